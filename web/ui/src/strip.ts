// The whole run on a strip: what the threads did above, what the devices did below.
// It shows which part of it is in sight, and changes that.
import { get, type Lane, type LaneBlocks, type Overview, type Timeline } from "./api";
import { kindColour, token } from "./colour";
import { h } from "./dom";
import { count } from "./format";
import { state } from "./state";

// What takes part: of threads, the outermost constructs within what is the program's own;
// the queues.
const mostLanes = 48;
const parts = 400;

// Classes of what is drawn, from the bottom up.
const hostClasses = ["wait", "mpi", "compute_construct"];
const deviceClasses = ["kernel", "upload", "download"];
const classOf = (kind: string): string => ([...hostClasses, ...deviceClasses].includes(kind) ? kind : "compute_construct");

// Spans of the program's own that say nothing of what is done in them.
const annotations = new Set(["frame", "range"]);

// partsOf says what the halves of the strip are.
export function partsOf(o: Overview): string {
  const some = (all: number, what: string): string => (all > mostLanes ? `the first ${mostLanes} of ${count(all)} ${what}` : what);
  const threads = some(outermost(o).length, "threads");
  return `${threads.charAt(0).toUpperCase()}${threads.slice(1)} above, ${some(o.lanes.filter((l) => l.type === "queue").length, "device queues")} below`;
}

function outermost(o: Overview): Lane[] {
  return o.lanes.filter((l) => l.type === "spans" && l.depth === 0);
}

interface Shares { host: Map<string, Float64Array>; device: Map<string, Float64Array>; threads: number; queues: number }

export interface Window { from: number; to: number }

export class Strip {
  readonly element: HTMLCanvasElement;
  private shares: Shares | undefined;
  private abort: AbortController | undefined;
  private marked: Window | undefined; // while it is being marked
  // What does not depend on the window, and for which size, theme and names it was drawn.
  private readonly ground = document.createElement("canvas");
  private drawn = "";

  // window is what is in sight, undefined where nothing is to be marked; show changes it.
  constructor(private overview: Overview, private readonly window: () => Window | undefined, private readonly show: (from: number, to: number) => void, private readonly left: () => number) {
    this.element = h("canvas", { class: "run-strip", role: "img" });
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.pointers();
  }

  async load(overview: Overview): Promise<void> {
    this.overview = overview;
    this.abort?.abort();
    this.abort = new AbortController();
    const signal = this.abort.signal;
    this.element.title = partsOf(overview);
    this.element.setAttribute("aria-label", `The whole run: ${this.element.title}`);
    let spans = outermost(overview).slice(0, mostLanes);
    let queues = overview.lanes.filter((l) => l.type === "queue").slice(0, mostLanes);
    if (spans.length + queues.length === 0) return;
    const { first, last } = overview.meta;
    const sums = new Sums(first, last + 1, spans.length, queues.length);
    try {
      // Below frames and ranges is what the threads do in them.
      while (spans.length + queues.length > 0) {
        const t = await get<Timeline>("timeline", { trace: state.trace, from: first, to: last + 1, pixels: parts, lanes: [...spans, ...queues].map((l) => l.id).join(",") }, signal);
        const open = sums.add(t, spans, queues);
        const depth = (spans[0]?.depth ?? 0) + 1;
        spans = overview.lanes.filter((l) => l.type === "spans" && l.depth === depth && open.has(l.thread));
        queues = [];
      }
      this.shares = sums;
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
    const seen = this.marked ?? this.window();
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
  // a new one, which is shown once it is let go; a click centres it.
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
      else {
        this.marked = { from: Math.min(t, held.time), to: Math.max(t, held.time) };
        this.draw();
      }
    });
    this.element.addEventListener("pointerup", () => {
      const marked = this.marked;
      this.marked = undefined;
      if (marked && marked.to - marked.from > 20) this.show(marked.from, marked.to);
      else if (held && !held.moved && held.to > held.from) {
        const half = (held.to - held.from) / 2;
        if (held.time < held.from || held.time > held.to) this.show(held.time - half, held.time + half);
      } else if (held && !held.moved) {
        const { length } = this.scale();
        this.show(held.time - length / 20, held.time + length / 20);
      }
      held = undefined;
    });
    this.element.addEventListener("pointercancel", () => {
      held = this.marked = undefined;
      this.draw();
    });
  }
}

// Sums adds up, for equal parts of the run, how busy the lanes were with what.
class Sums implements Shares {
  readonly host = new Map<string, Float64Array>();
  readonly device = new Map<string, Float64Array>();
  readonly threads: number;
  readonly queues: number;
  // Of each thread, what has been counted: what is nested in that is part of it.
  private readonly taken = new Map<number, { start: number; end: number }[]>();

  constructor(private readonly first: number, private readonly until: number, threads: number, queues: number) {
    this.threads = Math.max(threads, 1);
    this.queues = Math.max(queues, 1);
  }

  // add counts the lanes of one depth, and queues; it gives the threads of which there are
  // frames or ranges, to look into.
  add(t: Timeline, spans: Lane[], queues: Lane[]): Set<number> {
    const open = new Set<number>();
    const threads = new Map(spans.map((l) => [l.id, l.thread]));
    const ours = new Set(queues.map((l) => l.id));
    for (const lane of t.lanes) {
      const thread = threads.get(lane.lane);
      if (ours.has(lane.lane)) for (let i = 0; i < lane.start.length; i++) this.block(this.device, t, lane, i);
      if (thread === undefined) continue;
      const counted = this.taken.get(thread) ?? [];
      const more: { start: number; end: number }[] = [];
      let at = 0;
      for (let i = 0; i < lane.start.length; i++) {
        if (annotations.has(t.labels[lane.label[i]!]!.kind)) {
          open.add(thread);
          continue;
        }
        const middle = (lane.start[i]! + lane.end[i]!) / 2;
        while (at < counted.length && counted[at]!.end < middle) at++;
        if (at < counted.length && counted[at]!.start <= middle) continue;
        this.block(this.host, t, lane, i);
        more.push({ start: lane.start[i]!, end: lane.end[i]! });
      }
      this.taken.set(thread, [...counted, ...more].sort((a, b) => a.start - b.start));
    }
    return open;
  }

  private block(into: Map<string, Float64Array>, t: Timeline, lane: LaneBlocks, i: number): void {
    const name = classOf(t.labels[lane.label[i]!]!.kind);
    let values = into.get(name);
    if (!values) into.set(name, (values = new Float64Array(parts)));
    const [first, step] = [this.first, (this.until - this.first) / parts];
    const [start, end] = [Math.max(lane.start[i]!, first), Math.min(lane.end[i]!, this.until)];
    if (end <= start) return;
    const density = lane.count[i]! > 1 ? Math.min(lane.busy[i]! / (lane.end[i]! - lane.start[i]!), 1) : 1;
    for (let p = Math.floor((start - first) / step); p < parts && first + p * step < end; p++)
      values[p]! += (Math.max(0, Math.min(end, first + (p + 1) * step) - Math.max(start, first + p * step)) / step) * density;
  }
}
