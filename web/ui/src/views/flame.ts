// Flame graph: time by what was nested in what, of the host or of the devices.
import { get, type FlameNode, type Overview } from "../api";
import { font, isKind, kindColour, named, onColour, token } from "../colour";
import { h, link, placeTip, plain, show } from "../dom";
import { bytes, count, duration, fraction } from "../format";
import { Pace, type View } from "../grown";
import { change, state } from "../state";
import { chart } from "./chart";

const rowHeight = 20;

interface Box { node: FlameNode; x: number; width: number; depth: number }

// Choice is what the user looks at, by names: the graph itself is another one each time
// that it is read.
interface Choice { device?: boolean; samples?: boolean; path: string[] }

export function flameView(o: Overview): View {
  const place = h("div");
  const tip = h("div", { class: "tip", hidden: true });
  let part = false;
  // The call stacks of a running program are not known before it ends.
  let known = o;
  const chosen: Choice = { path: [] };
  const load = (again: boolean): Promise<void> => show(place, async () => {
    const range = part && state.from !== undefined ? { from: Math.floor(state.from), to: Math.ceil(state.to!) } : {};
    const root = await get<FlameNode>("flame", { trace: state.trace, of: chosen.samples ? "samples" : undefined, ...range });
    const other = known.sampled.length > 0 ? (samples: boolean): void => {
      chosen.samples = samples;
      chosen.path = [];
      void pace.load();
    } : undefined;
    if (!other && root.host === 0 && root.device === 0) return [h("p", { class: "empty" }, "No construct has a duration.")];
    return contents(root, tip, chosen, other);
  }, again);
  const window = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
    part = !part;
    window.setAttribute("aria-pressed", String(part));
    void pace.load();
  } }, "Only what the timeline shows");
  const unknown = h("span");
  const say = (): void => void (unknown.textContent = known.call_stacks || known.running ? "" : " The trace has no host call stacks, so only the functions with constructs are shown: accscope run --callstack full records all that called them.");
  say();
  const element = h("div", { class: "view" }, h("h1", {}, "Flame graph"),
    h("p", { class: "note" }, "The wider, the more time was spent in it and in what is nested below. Click to zoom, click the top to get back.", unknown,
      o.sampled.length > 0 && " Samples are time of processors, apart for what threads were in."),
    state.from !== undefined && h("div", { class: "bar" }, window), place, tip);
  const pace = new Pace(element, load);
  void pace.load();
  return { element, grow: (now, ended) => {
    known = now;
    say();
    pace.grow(ended);
  } };
}

// contents draws a graph; other asks for that of samples, or of events again, where the trace has both.
function contents(root: FlameNode, tip: HTMLElement, chosen: Choice, other?: (samples: boolean) => void): HTMLElement[] {
  const samples = chosen.samples === true;
  const label = samples ? (n: FlameNode): string => n.name : labelOf; // functions have their names as they are
  let device = !samples && root.device > 0 && (chosen.device ?? root.host === 0);
  let path: FlameNode[] = [root];
  for (const name of chosen.path) {
    const next = path.at(-1)!.children.find((c) => identity(c) === name);
    if (!next) break;
    path.push(next);
  }
  const value = (n: FlameNode): number => (device ? n.device : n.host);
  const place = h("div");
  const facts = h("p", { class: "note flame-facts", "aria-live": "polite" });
  const choice = h("select", { "aria-label": "Time of", onchange: () => {
    chosen.device = choice.value === "device";
    if (samples || choice.value === "samples") return other?.(choice.value === "samples");
    device = chosen.device;
    path = [root];
    draw();
  } }, h("option", { value: "host" }, "time of the host"), (samples || root.device > 0) && h("option", { value: "device", selected: device }, "time of the devices"),
    other && h("option", { value: "samples", selected: samples }, "samples of the host's code"));
  const draw = (): void => {
    chosen.path = path.slice(1).map(identity);
    const top = path.at(-1)!;
    const boxes: Box[] = path.map((node, depth) => ({ node, x: 0, width: 1, depth }));
    const inside = (n: FlameNode, x: number, width: number, depth: number): void => {
      let at = x;
      for (const c of [...n.children].sort((a, b) => value(b) - value(a))) {
        const w = value(n) > 0 ? (value(c) / value(n)) * width : 0;
        if (w < 0.0004) continue;
        boxes.push({ node: c, x: at, width: w, depth });
        inside(c, at, w, depth + 1);
        at += w;
      }
    };
    inside(top, 0, 1, path.length);
    const high = (Math.max(...boxes.map((b) => b.depth)) + 1) * rowHeight;
    let over: Box | undefined;
    const canvas = chart("flame", "Flame graph", (c, width) => {
      c.font = font(11.5);
      for (const b of boxes) {
        const [x, y, w] = [b.x * width, b.depth * rowHeight, Math.max(b.width * width - 1, 0.5)];
        c.globalAlpha = b.depth < path.length - 1 ? 0.5 : 1;
        c.fillStyle = b === over ? token("accent") : b.depth === 0 ? token("line") : styleOf(b.node);
        c.fillRect(x, y, w, rowHeight - 1);
        c.globalAlpha = 1;
        if (w < 30) continue;
        c.fillStyle = b === over ? token("accent-text") : b.depth === 0 ? token("text") : onColour;
        c.save();
        c.beginPath();
        c.rect(x, y, w - 3, rowHeight);
        c.clip();
        c.fillText(plain(label(b.node)), x + 5, y + rowHeight / 2);
        c.restore();
      }
    });
    canvas.style.height = `${high}px`;
    canvas.tabIndex = 0;
    const find = (e: MouseEvent): Box | undefined => {
      const r = canvas.getBoundingClientRect();
      const [x, depth] = [(e.clientX - r.left) / r.width, Math.floor((e.clientY - r.top) / rowHeight)];
      return boxes.find((b) => b.depth === depth && x >= b.x && x < b.x + b.width);
    };
    canvas.addEventListener("pointermove", (e) => {
      const b = find(e);
      tip.hidden = !b;
      if (b) {
        tip.replaceChildren(h("b", {}, label(b.node)), ...describe(b.node, value(b.node), value(root), samples).map((l) => h("div", {}, l)));
        placeTip(tip, e.clientX, e.clientY);
      }
      if (b !== over) {
        over = b;
        canvas.dispatchEvent(new Event("redraw"));
      }
    });
    canvas.addEventListener("pointerleave", () => {
      tip.hidden = true;
      over = undefined;
      canvas.dispatchEvent(new Event("redraw"));
    });
    const zoom = (b: Box | undefined): void => {
      if (!b) return;
      tip.hidden = true;
      path = b.depth < path.length ? path.slice(0, b.depth + 1) : [...path, ...between(top, b.node)];
      draw();
    };
    canvas.addEventListener("click", (e) => zoom(find(e)));
    canvas.addEventListener("keydown", (e) => {
      if (e.key === "Escape" && path.length > 1) zoom(boxes[path.length - 2]);
      if (e.key === "Enter") zoom(boxes.find((b) => b.depth === path.length));
    });
    const n = top;
    facts.replaceChildren(`${label(n)}: ${describe(n, value(n), value(root), samples).join(" · ")}`, ...(n === root || n.file === "" ? [] : [" · ",
      link("source", () => change({ view: "sources", file: n.file, line: n.line || undefined }))]), ...(samples || n === root || n.file === "" || n.line === 0 ? [] : [" · ",
      link("in the timeline", () => change({ view: "timeline", search: `${n.file}:${n.line}` }))]));
    place.replaceChildren(canvas);
  };
  draw();
  return [h("div", { class: "bar" }, choice), facts, place];
}

const identity = (n: FlameNode): string => `${n.name} ${n.file}:${n.line}`;

// between are the nodes from one, without it, to another below it.
function between(from: FlameNode, to: FlameNode): FlameNode[] {
  for (const c of from.children) {
    if (c === to) return [c];
    const rest = between(c, to);
    if (rest.length > 0) return [c, ...rest];
  }
  return [];
}

// labelOf leaves out the kind where a name says more.
function labelOf(n: FlameNode): string {
  return n.name.replace(/^(enqueue_\w+) (?=\S)/, (_, kind: string) => `${kind.replace("enqueue_", "")} `).replaceAll("_", " ");
}

function styleOf(n: FlameNode): string {
  const kind = n.name.split(" ")[0]!;
  return isKind(kind) ? kindColour(kind) : named(n.name);
}

function describe(n: FlameNode, time: number, whole: number, samples: boolean): string[] {
  const lines = [`${duration(time)}, ${fraction(time / Math.max(whole, 1))}`, `${count(n.count)} ${samples ? "sample" : "event"}${n.count === 1 ? "" : "s"}`];
  if (n.bytes > 0) lines.push(`${bytes(n.bytes)} moved`);
  if (n.file !== "") lines.push(n.line > 0 ? `${n.file}:${n.line}` : n.file);
  return lines;
}
