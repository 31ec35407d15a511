// The blocks and counters that the timeline draws: asked for a little beyond
// the window, so that a pan has something to show, and again when the window
// leaves that or its scale changes.
import { get, type Counters, type Gaps, type Label, type LaneBlocks, type Overview, type Sampled, type Samples, type SampleTrack, type Series, type Timeline } from "../api";

export interface Blocks {
  start: Float64Array; end: Float64Array; count: Float64Array; busy: Float64Array; bytes: Float64Array; id: Float64Array;
  label: Int32Array; open: ReadonlySet<number>; gaps: Gaps;
}

// The server takes times up to this, ns either way.
const limit = 2 ** 61 - 2 ** 10;

interface Part { from: number; to: number; perPixel: number; lanes: Map<number, Blocks>; counters: Map<number, Counters>; figures: Map<number, Series>; samples: Map<number, TrackOfSamples> }

// TrackOfSamples is a track with what it shares with the others of its answer.
export interface TrackOfSamples extends SampleTrack { begin: number; step: number; functions: string[] }

export class Data {
  readonly labels: Label[] = [];
  private readonly numbers = new Map<string, number>();
  private base: Part | undefined; // the whole trace
  private part: Part | undefined; // around the window
  private running: { from: number; to: number; perPixel: number; abort: AbortController } | undefined;
  private previous: Pick<Part, "counters" | "figures" | "samples"> | undefined; // of the part before
  private asked = "";
  private generation = 0;
  error = "";
  loading = false;

  constructor(private readonly trace: number, private overview: Overview, private readonly arrived: () => void) {}

  // renew is for a trace that has grown: what is shown stays until there is new.
  renew(overview: Overview): void {
    this.overview = overview;
    this.generation++;
    if (this.part) this.part.perPixel = Infinity;
    if (this.base) this.base.perPixel = Infinity;
  }

  get empty(): boolean {
    return this.base === undefined;
  }

  // blocks gives the lane's best data that reach over the window, or what there is.
  blocks(lane: number, from: number, to: number): Blocks | undefined {
    return (this.covers(this.part, from, to) ? this.part : this.base ?? this.part)?.lanes.get(lane) ?? this.part?.lanes.get(lane) ?? this.base?.lanes.get(lane);
  }

  counters(device: number, from: number, to: number): Counters | undefined {
    return (this.covers(this.part, from, to) ? this.part : this.base ?? this.part)?.counters.get(device) ?? this.previous?.counters.get(device);
  }

  figure(counter: number, from: number, to: number): Series | undefined {
    return (this.covers(this.part, from, to) ? this.part : this.base ?? this.part)?.figures.get(counter) ?? this.previous?.figures.get(counter);
  }

  samples(track: number, from: number, to: number): TrackOfSamples | undefined {
    return (this.covers(this.part, from, to) ? this.part : this.base ?? this.part)?.samples.get(track) ?? this.previous?.samples.get(track);
  }

  private covers(part: { from: number; to: number } | undefined, from: number, to: number): boolean {
    return part !== undefined && part.from <= from && part.to >= to;
  }

  // want asks for what the window needs unless it is here or under way.
  want(from: number, to: number, pixels: number, lanes: readonly number[], devices: readonly number[], figures: readonly number[], tracks: readonly number[]): void {
    const perPixel = (to - from) / pixels;
    const good = (p: { from: number; to: number; perPixel: number } | undefined): boolean => {
      if (!p) return false;
      const first = Math.max(from, this.overview.meta.first);
      const last = Math.min(to, this.overview.meta.last);
      return (first >= last || (p.from <= first && p.to >= last)) && p.perPixel <= perPixel * 1.3 && p.perPixel >= perPixel * 0.3;
    };
    const complete = (p: Part | undefined): boolean => good(p) && lanes.every((l) => p!.lanes.has(l)) && devices.every((d) => p!.counters.has(d)) && figures.every((f) => p!.figures.has(f)) && tracks.every((t) => p!.samples.has(t));
    if (complete(this.part)) return;
    if (this.running && good(this.running)) return;
    // What was answered, or failed, is not asked for again before something changes.
    const question = [from, to, pixels, this.generation, lanes.join(), devices.join(), figures.join(), tracks.join()].join(" ");
    if (question === this.asked) return;
    this.asked = question;
    this.running?.abort.abort();
    const margin = (to - from) * 0.6;
    const run = { from: Math.max(Math.floor(from - margin), -limit), to: Math.min(Math.ceil(to + margin) + 1, limit), perPixel, abort: new AbortController() };
    this.running = run;
    // Groups of up to 1.4 pixels look the same, and are fewer.
    const wide = Math.min(16384, Math.ceil((run.to - run.from) / perPixel / 1.4));
    const blocks = (part: Part): void => {
      if (this.running !== run) return;
      this.previous = this.part ?? this.previous;
      this.part = part;
      if (!this.base || (part.from <= this.overview.meta.first && part.to >= this.overview.meta.last)) this.base = part;
      this.arrived();
    };
    this.load(run.from, run.to, wide, lanes, devices, figures, tracks, run.abort.signal, blocks).then(
      () => {
        if (this.running === run) this.finish("");
      },
      (error: unknown) => {
        if (this.running === run) this.finish(error instanceof Error ? error.message : String(error));
      },
    );
    this.loading = true;
  }

  private finish(error: string): void {
    this.running = undefined;
    this.loading = false;
    this.error = error;
    this.arrived();
  }

  private async load(from: number, to: number, pixels: number, lanes: readonly number[], devices: readonly number[], figures: readonly number[], tracks: readonly number[], signal: AbortSignal, blocks: (part: Part) => void): Promise<void> {
    const generation = this.generation;
    const timeline: Timeline = lanes.length > 0 ? await get<Timeline>("timeline", { trace: this.trace, from, to, pixels, lanes: lanes.join(",") }, signal) : { from, to, labels: [], lanes: [] };
    const numbers = timeline.labels.map((l) => this.number(l));
    const part: Part = { from, to, perPixel: generation === this.generation ? (to - from) / pixels / 1.4 : Infinity, lanes: new Map(), counters: new Map(), figures: new Map(), samples: new Map() };
    for (const lane of timeline.lanes) part.lanes.set(lane.lane, blocksOf(lane, numbers));
    blocks(part);
    // Counters come after the blocks, which are looked at first.
    await Promise.all(devices.map(async (device) => part.counters.set(device, await get<Counters>("counters", { trace: this.trace, from, to, pixels, device }, signal))));
    if (tracks.length > 0) {
      // A part is two pixels wide: narrower ones are of a fraction of a sample.
      const { tracks: list, ...shared } = await get<Samples>("samples", { trace: this.trace, from, to, pixels: Math.ceil(pixels / 2), tracks: tracks.join(",") }, signal);
      for (const t of list) part.samples.set(t.track, { ...t, ...shared });
    }
    if (figures.length === 0) return;
    const sampled = await get<Sampled>("sampled", { trace: this.trace, from, to, pixels, figures: figures.join(",") }, signal);
    for (const f of sampled.figures) part.figures.set(f.counter, f.values);
  }

  private number(l: Label): number {
    const key = `${l.kind}\0${l.name}\0${l.source}\0${l.text}`;
    let n = this.numbers.get(key);
    if (n === undefined) {
      n = this.labels.push(l) - 1;
      this.numbers.set(key, n);
    }
    return n;
  }
}

function blocksOf(l: LaneBlocks, numbers: number[]): Blocks {
  return {
    start: Float64Array.from(l.start), end: Float64Array.from(l.end), count: Float64Array.from(l.count), busy: Float64Array.from(l.busy),
    bytes: Float64Array.from(l.bytes), id: Float64Array.from(l.id), label: Int32Array.from(l.label, (i) => numbers[i]!), open: new Set(l.open), gaps: l.gaps,
  };
}

// gapAt is the gap of a lane that a time is in, -1 if none.
export function gapAt(b: Blocks, time: number): number {
  return b.gaps.start.findIndex((start, i) => start <= time && time < b.gaps.end[i]!);
}

// first is the index of the first block that ends after a time.
export function first(b: Blocks, time: number): number {
  let low = 0;
  let high = b.end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (b.end[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// partAt is the index of the part of a track of samples that a time is in, -1 if it has none.
export function partAt(s: TrackOfSamples, time: number): number {
  return s.part.indexOf(Math.floor((time - s.begin) / s.step));
}

// valueAt is what a series was at a time: where several values lie together, the highest;
// undefined before its first.
export function valueAt(s: Series, time: number): number | undefined {
  let value: number | undefined;
  for (let i = 0; i < s.time.length && s.time[i]! <= time; i++) value = s.end[i]! >= time ? s.high[i]! : s.last[i]!;
  return value;
}
