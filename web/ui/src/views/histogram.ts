// How the durations of a kernel are distributed.
import { get, type Durations } from "../api";
import { kindColour, token } from "../colour";
import { h, link, placeTip, show } from "../dom";
import { count, duration } from "../format";
import { change, state } from "../state";
import { chart } from "./chart";

const left = 52;
const bottom = 20;

// histogram shows in a place the launches of a kernel by how long they took; again says
// that it is there already.
export function histogram(place: HTMLElement, kernel: string, range: { from?: number; to?: number }, again: boolean): Promise<void> {
  return show(place, async () => {
    const d = await get<Durations>("durations", { trace: state.trace, kernel, ...range });
    if (d.count === 0) return [h("h2", {}, kernel), h("p", { class: "empty" }, "The runtime measured no launch of it on the device.")];
    const fact = (value: number, text: string): HTMLElement => h("span", {}, `${text} `, h("b", {}, duration(value)));
    return [h("h2", {}, `Durations of ${kernel}`),
      h("div", { class: "legend" }, h("span", {}, h("b", {}, count(d.count)), d.count === 1 ? " launch" : " launches"), fact(d.shortest, "shortest"), fact(d.median, "median"),
        fact(d.total / d.count, "average"), fact(d.p95, "95% within"), fact(d.longest, "longest"),
        link("Show the longest", () => change({ view: "timeline", selected: `a${d.slowest}`, search: kernel })), link("Show all in the timeline", () => change({ view: "timeline", search: kernel }))),
      bars(d)];
  }, again);
}

function bars(d: Durations): HTMLElement {
  const tip = h("div", { class: "tip", hidden: true });
  const high = Math.max(...d.buckets.map((b) => b.count), 1);
  const n = d.buckets.length;
  const x = (i: number, width: number): number => left + (i / n) * (width - left - 8);
  let over = -1;
  const canvas = chart("bars", `Histogram: ${d.buckets.filter((b) => b.count > 0).map((b) => `${b.count} from ${duration(b.from)} to ${duration(b.to)}`).join(", ")}`, (c, width, height) => {
    const y = (value: number): number => height - bottom - (value / high) * (height - bottom - 10);
    c.fillStyle = token("dim");
    c.textAlign = "right";
    for (const share of [0, 0.5, 1]) {
      const value = Math.round(high * share);
      c.fillText(count(value), left - 6, y(value));
      c.fillRect(left, Math.round(y(value)), width - left - 8, 0.5);
    }
    d.buckets.forEach((b, i) => {
      c.fillStyle = i === over ? token("accent") : kindColour("kernel");
      const tall = b.count > 0 ? Math.max(height - bottom - y(b.count), 1.5) : 0;
      c.fillRect(x(i, width) + 0.5, height - bottom - tall, Math.max((width - left - 8) / n - 1, 1), tall);
    });
    c.fillStyle = token("dim");
    c.textAlign = "center";
    const each = Math.max(1, Math.ceil(n / Math.max((width - left) / 90, 1)));
    for (let i = 0; i < n; i += each) {
      const at = x(i, width);
      if (at > left + 20 && at < width - 40) c.fillText(duration(d.buckets[i]!.from), at, height - bottom / 2 + 1);
    }
    c.textAlign = "left";
    c.fillText(duration(d.shortest), left, height - bottom / 2 + 1);
    c.textAlign = "right";
    c.fillText(duration(d.longest), width - 8, height - bottom / 2 + 1);
  });
  const point = (e: PointerEvent | undefined): void => {
    const r = canvas.getBoundingClientRect();
    const i = e ? Math.floor(((e.clientX - r.left - left) / (r.width - left - 8)) * n) : -1;
    const b = d.buckets[i];
    tip.hidden = !b;
    if (b && e) {
      tip.replaceChildren(h("b", {}, `${count(b.count)} ${b.count === 1 ? "launch" : "launches"}`), h("div", {}, `${duration(b.from)} to ${duration(b.to)}`));
      placeTip(tip, e.clientX, e.clientY);
    }
    if (i !== over) {
      over = i;
      canvas.dispatchEvent(new Event("redraw"));
    }
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerleave", () => point(undefined));
  return h("div", {}, canvas, tip);
}
