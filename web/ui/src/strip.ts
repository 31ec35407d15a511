// The whole run on a strip: what the threads did above, what the devices did below.
// It shows which part of it is in sight, and changes that.
import { get, type Overview, type Timeline } from "./api";
import { kindColour, token } from "./colour";
import { h } from "./dom";
import { state } from "./state";

// What takes part: of threads, the outermost constructs; the queues.
const mostLanes = 48;
const parts = 400;

// Classes of what is drawn, from the bottom up.
const hostClasses = ["wait", "compute_construct"];
const deviceClasses = ["kernel", "upload", "download"];
const classOf = (kind: string): string => (kind === "wait" || kind === "kernel" || kind === "upload" || kind === "download" ? kind : "compute_construct");

interface Shares { host: Map<string, Float64Array>; device: Map<string, Float64Array>; threads: number; queues: number }

export interface Window { from: number; to: number }

export class Strip {
  readonly element: HTMLCanvasElement;
  private shares: Shares | undefined;
  private abort: AbortController | undefined;
  // What does not depend on the window, and for which size, theme and names it was drawn.
  private readonly ground = document.createElement("canvas");
  private drawn = "";

  // window is what is in sight, undefined where nothing is to be marked; show changes it.
  constructor(private overview: Overview, private readonly window: () => Window | undefined, private readonly show: (from: number, to: number) => void, private readonly left: () => number) {
    this.element = h("canvas", { class: "run-strip", role: "img", "aria-label": "The whole run: threads above, device queues below" });
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.pointers();
  }

  async load(overview: Overview): Promise<void> {
    this.overview = overview;
    this.abort?.abort();
    this.abort = new AbortController();
    const spans = overview.lanes.filter((l) => l.type === "spans" && l.depth === 0).slice(0, mostLanes);
    const queues = overview.lanes.filter((l) => l.type === "queue").slice(0, mostLanes);
    if (spans.length + queues.length === 0) return;
    const { first, last } = overview.meta;
    try {
      const t = await get<Timeline>("timeline", { trace: state.trace, from: first, to: last + 1, pixels: parts, lanes: [...spans, ...queues].map((l) => l.id).join(",") }, this.abort.signal);
      this.shares = sharesOf(t, new Set(queues.map((l) => l.id)), first, last + 1, spans.length, queues.length);
      this.drawn = "";
      this.draw();
    } catch (error) {
      if (!(error instanceof DOMException)) console.warn(error);
    }
  }

  private scale(): { x0: number; width: number; first: number; length: number } {
    const x0 = this.left();
    const { first, last } = this.overview.meta;
    return { x0, width: Math.max(this.element.clientWidth - x0 - 8, 10), first, length: Math.max(last + 1 - first, 1) };
  }

  draw(): void {
    const [wide, high] = [this.element.clientWidth, this.element.clientHeight];
    if (wide === 0) return;
    const ratio = devicePixelRatio || 1;
    const { x0, width, first, length } = this.scale();
    const half = Math.floor(high / 2);
    const now = [wide, high, ratio, x0, document.documentElement.dataset.theme].join(" ");
    if (now !== this.drawn) {
      this.drawn = now;
      this.colours = { back: token("back"), accent: token("accent") };
      for (const canvas of [this.element, this.ground]) {
        canvas.width = Math.round(wide * ratio);
        canvas.height = Math.round(high * ratio);
      }
      this.drawGround(x0, width, high, half, ratio);
    }
    const c = this.element.getContext("2d")!;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.element.width, this.element.height);
    c.drawImage(this.ground, 0, 0);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const seen = this.window();
    if (!seen) return;
    const at = (time: number): number => x0 + (Math.min(Math.max(time - first, 0), length) / length) * width;
    const [a, b] = [at(seen.from), Math.max(at(seen.to), at(seen.from) + 3)];
    c.fillStyle = this.colours.back;
    c.globalAlpha = 0.62;
    c.fillRect(x0, 0, a - x0, high);
    c.fillRect(b, 0, x0 + width - b, high);
    c.globalAlpha = 1;
    c.strokeStyle = c.fillStyle = this.colours.accent;
    c.lineWidth = 1.5;
    c.strokeRect(a + 0.75, 0.75, Math.max(b - a - 1.5, 1.5), high - 1.5);
    for (const x of [a, b - 3]) c.fillRect(x, half - 7, 3, 14);
  }

  private colours = { back: "", accent: "" };

  private drawGround(x0: number, width: number, high: number, half: number, ratio: number): void {
    const c = this.ground.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, x0 + width + 8, high);
    c.fillStyle = token("raised");
    c.fillRect(x0, 0, width, high);
    const rows: [Map<string, Float64Array> | undefined, string[], number, number][] = [
      [this.shares?.host, hostClasses, this.shares?.threads ?? 1, half - 1], [this.shares?.device, deviceClasses, this.shares?.queues ?? 1, high - 1]];
    for (const [shares, classes, lanes, bottom] of rows) {
      if (!shares) continue;
      let most = 0; // lanes at once
      for (let i = 0; i < parts; i++) most = Math.max(most, classes.reduce((sum, name) => sum + (shares.get(name)?.[i] ?? 0), 0));
      most = Math.min(Math.max(most, 0.5), lanes);
      const styles = new Map(classes.map((name) => [name, kindColour(name)]));
      for (let i = 0; i < parts; i++) {
        let y = bottom;
        for (const name of classes) {
          const share = shares.get(name)?.[i] ?? 0;
          if (share <= 0) continue;
          const tall = Math.max(Math.min(share / most, 1) * (half - 3), 0.6);
          c.fillStyle = styles.get(name)!;
          c.fillRect(x0 + (i * width) / parts, Math.max(y - tall, bottom - half + 3), width / parts + 0.5, Math.min(tall, y - (bottom - half + 3)));
          y = Math.max(y - tall, bottom - half + 3);
        }
      }
    }
    c.fillStyle = token("line");
    c.fillRect(x0, half, width, 1);
  }

  // pointers: a drag of the window moves it, of an edge resizes it, elsewhere it marks
  // a new one; a click centres it.
  private pointers(): void {
    let held: { kind: "move" | "from" | "to" | "new"; time: number; from: number; to: number; moved: boolean } | undefined;
    const time = (e: MouseEvent): number => {
      const { x0, width, first, length } = this.scale();
      return first + ((e.clientX - this.element.getBoundingClientRect().left - x0) / width) * length;
    };
    const near = (e: MouseEvent): "move" | "from" | "to" | "new" => {
      const seen = this.window();
      const { width, length, first } = this.scale();
      if (!seen) return "new";
      const slack = (6 / width) * length;
      const [from, to] = [Math.max(seen.from, first), Math.min(seen.to, first + length)];
      const t = time(e);
      if (Math.abs(t - from) < slack) return "from";
      if (Math.abs(t - to) < slack) return "to";
      return t > from && t < to && to - from < length * 0.98 ? "move" : "new";
    };
    this.element.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      this.element.setPointerCapture(e.pointerId);
      const seen = this.window() ?? { from: 0, to: 0 };
      held = { kind: near(e), time: time(e), from: seen.from, to: seen.to, moved: false };
    });
    this.element.addEventListener("pointermove", (e) => {
      if (!held) {
        this.element.style.cursor = { move: "grab", from: "ew-resize", to: "ew-resize", new: "crosshair" }[near(e)];
        return;
      }
      const t = time(e);
      const { width, length } = this.scale();
      if (Math.abs(t - held.time) < (3 / width) * length && !held.moved) return;
      held.moved = true;
      if (held.kind === "move") this.show(held.from + t - held.time, held.to + t - held.time);
      else if (held.kind === "from") this.show(Math.min(t, held.to - 20), held.to);
      else if (held.kind === "to") this.show(held.from, Math.max(t, held.from + 20));
      else if (Math.abs(t - held.time) > 20) this.show(Math.min(t, held.time), Math.max(t, held.time));
    });
    this.element.addEventListener("pointerup", () => {
      if (held && !held.moved && held.to > held.from) {
        const half = (held.to - held.from) / 2;
        if (held.time < held.from || held.time > held.to) this.show(held.time - half, held.time + half);
      } else if (held && !held.moved) {
        const { length } = this.scale();
        this.show(held.time - length / 20, held.time + length / 20);
      }
      held = undefined;
    });
    this.element.addEventListener("pointercancel", () => (held = undefined));
  }
}

// sharesOf adds up, for equal parts of the run, how busy the lanes were with what.
function sharesOf(t: Timeline, queues: ReadonlySet<number>, first: number, until: number, threads: number, lanes: number): Shares {
  const shares: Shares = { host: new Map(), device: new Map(), threads: Math.max(threads, 1), queues: Math.max(lanes, 1) };
  const step = (until - first) / parts;
  for (const lane of t.lanes) {
    const into = queues.has(lane.lane) ? shares.device : shares.host;
    for (let i = 0; i < lane.start.length; i++) {
      const name = classOf(t.labels[lane.label[i]!]!.kind);
      let values = into.get(name);
      if (!values) into.set(name, (values = new Float64Array(parts)));
      const [start, end] = [Math.max(lane.start[i]!, first), Math.min(lane.end[i]!, until)];
      if (end <= start) continue;
      const density = lane.count[i]! > 1 ? Math.min(lane.busy[i]! / (lane.end[i]! - lane.start[i]!), 1) : 1;
      for (let p = Math.floor((start - first) / step); p < parts && first + p * step < end; p++)
        values[p]! += (Math.max(0, Math.min(end, first + (p + 1) * step) - Math.max(start, first + p * step)) / step) * density;
    }
  }
  return shares;
}
