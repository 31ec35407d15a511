// The roofline of a trace's kernels: operations a second by operations for each byte, below what a
// modelled GPU's memory and units let through.
import type { Card, CountedKernel } from "../api";
import { kindColour, token } from "../colour";
import { operations } from "../counters";
import { h, placeTip } from "../dom";
import { count, duration, flops, fraction, rate } from "../format";
import { chart } from "./chart";

// Levels of memory, with the columns of what kernels ask of them and what they give.
const levels = [
  { key: "memory", title: "memory", bytes: "memory_bytes", bandwidth: "memory_bandwidth" },
  { key: "second", title: "second level of cache", bytes: "second_level_bytes", bandwidth: "second_level_bandwidth" },
  { key: "first", title: "first level of cache (all requests)", bytes: "first_level_bytes", bandwidth: "first_level_bandwidth" },
] as const;
type Level = (typeof levels)[number];
let level: Level = levels[0]; // as it was chosen last

interface Point { kernel: CountedKernel; perByte: number; perSecond: number; roof: number }

// points are the kernels that a level's roofline has. The times of a kernel may be those of some of
// its launches.
function points(kernels: CountedKernel[], card: Card, at: Level): Point[] {
  return kernels.filter((k) => operations(k.values) > 0 && k.time > 0 && (k.values[at.bytes] ?? 0) > 0).map((kernel) => {
    const done = operations(kernel.values);
    const perByte = done / kernel.values[at.bytes]!;
    const peak = (done * card.operations32_rate * card.operations64_rate) /
      ((kernel.values.operations32 ?? 0) * card.operations64_rate + (kernel.values.operations64 ?? 0) * card.operations32_rate);
    return { kernel, perByte, perSecond: (done * kernel.timed) / kernel.values.launches! / (kernel.time / 1e9), roof: Math.min(peak, perByte * card[at.bandwidth]) };
  });
}

// roofline shows the kernels, one of them pointed out; go is what a click on one does.
export function roofline(kernels: CountedKernel[], cards: Card[], here: string, go: (symbol: string) => void): HTMLElement[] {
  const card = cards.find((c) => c.modelled);
  if (!card) return [h("p", { class: "note" }, "Kernels' times are those of their execution on this machine, which say nothing of a GPU's. Recorded by accscope run --counters --model h200, kernels take the time that they would on an H200, and stand here below what its memory and its units let through.")];
  const place = h("div");
  const draw = (): void => place.replaceChildren(...graph(kernels, card, level, here, go));
  const choice = h("select", { "aria-label": "Level of memory", onchange: () => {
    level = levels.find((l) => l.key === choice.value) ?? levels[0];
    draw();
  } }, ...levels.map((l) => h("option", { value: l.key, selected: l === level }, l.title)));
  draw();
  return [h("div", { class: "bar" }, h("label", {}, "Bytes of the ", choice)), place];
}

function graph(kernels: CountedKernel[], card: Card, at: Level, here: string, go: (symbol: string) => void): HTMLElement[] {
  const list = points(kernels, card, at);
  const chosen = list.find((p) => p.kernel.symbol === here);
  const without = kernels.filter((k) => operations(k.values) === 0).length;
  const cached = kernels.filter((k) => operations(k.values) > 0 && !((k.values[at.bytes] ?? 0) > 0)).length;
  const some = (n: number, one: string, more: string): string => (n === 0 ? "" : n === 1 ? `One kernel ${one}. ` : `${n} kernels ${more}. `);
  const note = h("p", { class: "note" }, `Modelled for ${card.card}: kernels' times and what the caches leave over are the model's, the lines are its description's. ` +
    some(without, "has no operations of floating point and is not shown", "have no operations of floating point and are not shown") +
    some(cached, `asks nothing of the ${at.title}, and is not shown`, `ask nothing of the ${at.title}, and are not shown`));
  if (list.length === 0) return [note];
  const said = h("p", {}, chosen ? `${chosen.kernel.name}: ${flops(chosen.perSecond)} at ${count(chosen.perByte)} operations a byte, ${fraction(chosen.perSecond / chosen.roof)} of what the ${
    chosen.roof < chosen.perByte * card[at.bandwidth] ? "units" : at.title} would let through.` : "A kernel that is clicked on is shown above.");
  const tip = h("div", { class: "tip", hidden: true });
  const bandwidth = card[at.bandwidth];
  // Powers of ten around what is drawn, with the roof's edge.
  const edge = card.operations32_rate / bandwidth;
  const low = Math.floor(Math.log10(Math.min(edge / 10, ...list.map((p) => p.perByte))));
  const high = Math.ceil(Math.log10(Math.max(edge * 10, ...list.map((p) => p.perByte))));
  const top = Math.log10(card.operations32_rate) + 0.4;
  const bottom = Math.min(top - 2, Math.floor(Math.log10(Math.min(...list.map((p) => p.perSecond)))));
  const [left, below] = [78, 34];
  const place = (perByte: number, perSecond: number, width: number, height: number): [number, number] => [
    left + ((Math.log10(perByte) - low) / (high - low)) * (width - left - 12), height - below - ((Math.log10(perSecond) - bottom) / (top - bottom)) * (height - below - 8)];
  let over: Point | undefined;
  const canvas = chart("roofline", `Roofline: ${list.map((p) => `${p.kernel.name} ${flops(p.perSecond)} at ${count(p.perByte)} operations a byte`).join(", ")}`, (c, width, height) => {
    c.fillStyle = token("dim");
    for (let e = low; e <= high; e++) {
      const [x] = place(10 ** e, 1, width, height);
      c.fillRect(Math.round(x), 8, 0.5, height - below - 8);
      c.textAlign = e === low ? "left" : e === high ? "right" : "center";
      c.fillText(count(e < 0 ? Number((10 ** e).toFixed(-e)) : 10 ** e).replace(/^0\.00$/, (10 ** e).toExponential(0)), x, height - below + 10);
    }
    c.textAlign = "center";
    c.fillText("operations of floating point for each byte", (left + width) / 2, height - 8);
    c.textAlign = "right";
    for (let e = Math.ceil(bottom); e <= top; e++) {
      const [, y] = place(1, 10 ** e, width, height);
      if (10 ** e < card.operations32_rate) c.fillRect(left, Math.round(y), width - left - 12, 0.5);
      c.fillText(flops(10 ** e), left - 6, y);
    }
    c.lineWidth = 1.5;
    for (const [peak, name, beside] of [[card.operations32_rate, "float", -8], [card.operations64_rate, "double", 9]] as const) {
      const [from] = place(peak / bandwidth, peak, width, height);
      const [to, y] = place(10 ** high, peak, width, height);
      c.strokeStyle = token("accent");
      c.beginPath();
      c.moveTo(from, y);
      c.lineTo(to, y);
      c.stroke();
      c.fillStyle = token("text");
      c.fillText(`${name} ${flops(peak)}`, to - 4, y + beside);
    }
    const [x0, y0] = place(Math.max(10 ** low, 10 ** bottom / bandwidth), Math.max(10 ** low * bandwidth, 10 ** bottom), width, height);
    const [x1, y1] = place(edge, card.operations32_rate, width, height);
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
    c.save();
    c.translate((x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3);
    c.rotate(Math.atan2(y1 - y0, x1 - x0));
    c.textAlign = "center";
    c.fillText(`${at.title.replace(/ \(.*/, "")} ${rate(bandwidth)}`, 0, -9);
    c.restore();
    for (const p of list) {
      const [x, y] = place(p.perByte, p.perSecond, width, height);
      const mine = p.kernel.symbol === here || p === over;
      c.fillStyle = mine ? token("accent") : kindColour("kernel");
      c.beginPath();
      c.arc(x, y, mine ? 7 : 5, 0, 2 * Math.PI);
      c.fill();
      c.lineWidth = 1;
      c.strokeStyle = token("back");
      c.stroke();
    }
  });
  const near = (e: MouseEvent): Point | undefined => {
    const r = canvas.getBoundingClientRect();
    const far = (p: Point): number => {
      const [x, y] = place(p.perByte, p.perSecond, r.width, r.height);
      return Math.hypot(x - (e.clientX - r.left), y - (e.clientY - r.top));
    };
    return list.filter((p) => far(p) < 14).sort((a, b) => far(a) - far(b))[0];
  };
  const show = (p: Point | undefined, e?: MouseEvent): void => {
    tip.hidden = !p;
    if (p && e) {
      tip.replaceChildren(h("b", {}, p.kernel.name), h("div", {}, `${flops(p.perSecond)} at ${count(p.perByte)} operations a byte`),
        h("div", {}, `${fraction(p.perSecond / p.roof)} of what is below the lines`), h("div", {}, `${duration(p.kernel.time)} in ${count(p.kernel.timed)} launches`));
      placeTip(tip, e.clientX, e.clientY);
    }
    canvas.style.cursor = p ? "pointer" : "";
    if (p === over) return;
    over = p;
    canvas.dispatchEvent(new Event("redraw"));
  };
  canvas.addEventListener("pointermove", (e) => show(near(e), e));
  canvas.addEventListener("pointerleave", () => show(undefined));
  canvas.addEventListener("click", (e) => {
    const p = near(e);
    if (p) go(p.kernel.symbol);
  });
  return [canvas, tip, said, note];
}
