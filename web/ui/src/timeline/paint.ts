// Drawing the timeline on its canvas.
import type { Arrow, Counters, Label, Series } from "../api";
import { colour, font, kindColour, onColour, token } from "../colour";
import { plain } from "../dom";
import { bytes, figure, moment, rate, withoutOuter } from "../format";
import { state } from "../state";
import { first, type Blocks, type Data } from "./data";
import type { Layout, Row } from "./layout";

export let gutter = 190; // width of the names, pixels

// setGutter is for a change of it, to what the timeline's width has room for.
export function setGutter(pixels: number, width: number): void {
  gutter = Math.round(Math.min(Math.max(pixels, 60), Math.max(width * 0.6, 60)));
}

export const ruler = 26;

export interface Picture {
  width: number; height: number; scroll: number; // CSS pixels
  from: number; to: number;
  layout: Layout;
  data: Data;
  arrows: Arrow[];
  hover?: { row: Row; index: number };
  selected?: { lane: number; start: number; end: number };
  pointer?: number; // time under the pointer
  named?: string; // key of the row whose name the pointer is on
  range?: [number, number];
}

interface Theme { back: string; raised: string; line: string; text: string; dim: string; accent: string; bad: string }

export class Painter {
  private theme!: Theme;
  private colours: string[] = [];
  private matches: boolean[] = [];
  private searched = "";
  private hatch: CanvasPattern | undefined; // of gaps
  private readonly context: CanvasRenderingContext2D;

  constructor(canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.restyle();
  }

  // restyle is for a change of theme or colours.
  restyle(): void {
    this.theme = { back: token("back"), raised: token("raised"), line: token("line"), text: token("text"), dim: token("dim"), accent: token("accent"), bad: token("bad") };
    this.colours = [];
    this.matches = [];
    this.hatch = this.context.createPattern(hatching(this.theme.dim), "repeat") ?? undefined;
    widths.clear();
  }

  paint(p: Picture): void {
    const c = this.context;
    const t = this.theme;
    if (this.searched !== state.search) {
      this.searched = state.search;
      this.matches = [];
    }
    c.fillStyle = t.back;
    c.fillRect(0, 0, p.width, p.height);
    c.textBaseline = "middle";
    const k = (p.width - gutter) / (p.to - p.from);
    c.save();
    c.beginPath();
    c.rect(gutter, ruler, p.width - gutter, p.height - ruler);
    c.clip();
    this.grid(p, k);
    for (const row of p.layout.pinned) this.row(p, row, k);
    const below = ruler + p.layout.pinnedHeight;
    if (below > ruler) {
      c.fillStyle = t.dim;
      c.fillRect(gutter, below - 1, p.width - gutter, 1);
    }
    c.save();
    c.beginPath();
    c.rect(gutter, below, p.width - gutter, p.height - below);
    c.clip();
    for (const row of p.layout.rows) this.row(p, row, k);
    c.restore();
    this.arrows(p, k);
    this.overlay(p, k);
    c.restore();
    this.labels(p);
    this.ruler(p, k);
  }

  private row(p: Picture, row: Row, k: number): void {
    const y = top(p.layout, row, p.scroll);
    if (y > p.height || y + row.height < ruler) return;
    if (row.type === "group") {
      this.context.fillStyle = this.theme.raised;
      this.context.fillRect(gutter, y, p.width - gutter, row.height);
    } else if (row.lane) this.lane(p, row, y, k);
    else if (row.device) this.counter(p, row, y, k);
    else if (row.figure) this.figure(p, row, y, k);
    else if (row.track !== undefined) this.samples(p, row, y, k);
  }

  private grid(p: Picture, k: number): void {
    const c = this.context;
    c.fillStyle = this.theme.line;
    c.globalAlpha = 0.5;
    for (const tick of ticks(p.from, p.to, (p.width - gutter) / 110)) c.fillRect(Math.round(gutter + (tick - p.from) * k), ruler, 1, p.height);
    c.globalAlpha = 1;
  }

  private lane(p: Picture, row: Row, y: number, k: number): void {
    const blocks = p.data.blocks(row.lane!.id, p.from, p.to);
    if (!blocks) return;
    const c = this.context;
    const h = row.height - 2;
    const instants = row.type === "instants";
    const searching = state.search !== "";
    const n = blocks.start.length;
    this.gaps(p, blocks, y, row.height, k);
    let lastPixel = -1;
    let fill = "";
    c.font = font(11);
    for (let i = first(blocks, p.from); i < n; i++) {
      const start = blocks.start[i]!;
      if (start > p.to) break;
      const x0 = gutter + (start - p.from) * k;
      let x1 = gutter + (blocks.end[i]! - p.from) * k;
      if (instants && blocks.count[i] === 1) x1 = x0 + 2;
      const label = blocks.label[i]!;
      const match = !searching || this.match(p.data.labels[label]!, label);
      // Of blocks narrower than a pixel one stands for all in that pixel.
      if (x1 - x0 < 1 && Math.floor(x1) === lastPixel && !(searching && match)) continue;
      lastPixel = Math.floor(x1);
      const left = Math.max(x0, gutter - 2);
      const width = Math.max(Math.min(x1, p.width + 2) - left, 1);
      const colour = this.colour(p.data.labels[label]!, label);
      if (colour !== fill) c.fillStyle = fill = colour;
      // Groups are as high as they are dense.
      let high = h;
      if (blocks.count[i]! > 1 && !instants) {
        const length = blocks.end[i]! - start;
        high = Math.max(h * 0.35, h * Math.min(1, length > 0 ? blocks.busy[i]! / length : 1));
      }
      // A group may hold matches that its longest block is none of.
      if (!match) c.globalAlpha = blocks.count[i]! > 1 ? 0.4 : 0.18;
      const gap = width > 3 && blocks.count[i] === 1 ? 0.5 : 0;
      c.fillRect(left, y + 1 + h - high, width - gap, high);
      if (blocks.open.has(i)) {
        c.fillStyle = fill = this.theme.bad;
        c.fillRect(Math.min(x1, p.width) - 3, y + 1, 3, h);
      }
      if (width > 34 && !instants && blocks.count[i] === 1) {
        c.fillStyle = fill = onColour;
        this.text(p.data.labels[label]!.text, left + 4, y + row.height / 2, width - 8);
      }
      c.globalAlpha = 1;
    }
    this.outline(p, row, y, k, blocks);
  }

  // gaps hatches the times of which the trace has not all that happened.
  private gaps(p: Picture, blocks: Blocks, y: number, height: number, k: number): void {
    if (!this.hatch) return;
    this.context.fillStyle = this.hatch;
    blocks.gaps.start.forEach((start, i) => {
      const x = Math.max(gutter + (start - p.from) * k, gutter);
      const width = Math.min(gutter + (blocks.gaps.end[i]! - p.from) * k, p.width) - x;
      if (x < p.width && x + width >= gutter) this.context.fillRect(x, y, Math.max(width, 2), height);
    });
  }

  private outline(p: Picture, row: Row, y: number, k: number, blocks: Blocks): void {
    const c = this.context;
    const frame = (start: number, end: number, style: string, width: number): void => {
      const x = Math.max(gutter + (start - p.from) * k, gutter - 4);
      const w = Math.max(Math.min(gutter + (end - p.from) * k, p.width + 4) - x, 3);
      c.strokeStyle = style;
      c.lineWidth = width;
      c.strokeRect(x, y + 1.5, w, row.height - 3);
    };
    if (p.hover && p.hover.row.key === row.key && p.hover.index < blocks.start.length)
      frame(blocks.start[p.hover.index]!, blocks.end[p.hover.index]!, this.theme.dim, 1.5);
    if (p.selected && p.selected.lane === row.lane!.id) frame(p.selected.start, p.selected.end, this.theme.text, 2);
  }

  private counter(p: Picture, row: Row, y: number, k: number): void {
    const counters = p.data.counters(row.device!.id, p.from, p.to);
    if (!counters) return;
    if (row.type === "memory") this.curve(p, counters.memory, 0, bytes, y, row.height, k);
    else this.rates(p, counters.rates, row.way!, y, row.height, k);
    this.context.fillStyle = this.theme.line;
    this.context.fillRect(gutter, y + row.height - 1, p.width - gutter, 1);
  }

  private figure(p: Picture, row: Row, y: number, k: number): void {
    const { counter, unit } = row.figure!;
    const values = p.data.figure(counter, p.from, p.to);
    if (!values) return;
    this.curve(p, values, unit === "%" ? 100 : 0, (value) => figure(value, unit), y, row.height, k);
    this.context.fillStyle = this.theme.line;
    this.context.fillRect(gutter, y + row.height - 1, p.width - gutter, 1);
  }

  // samples draws how much of a processor a thread had, the program's own code below.
  private samples(p: Picture, row: Row, y: number, k: number): void {
    const s = p.data.samples(row.track!, p.from, p.to);
    if (!s) return;
    const c = this.context;
    // Several threads may have more than one.
    const high = s.part.reduce((most, _, i) => Math.max(most, s.else[i]! + s.openacc[i]! + s.waiting[i]! + s.mpi[i]!), s.step);
    const bottom = y + row.height - 1;
    const width = Math.max(s.step * k, 1);
    s.part.forEach((part, i) => {
      const x = gutter + (s.begin + part * s.step - p.from) * k;
      if (x + width < gutter || x > p.width) return;
      let base = bottom;
      for (const [kind, values] of [["", s.else], ["compute_construct", s.openacc], ["wait", s.waiting], ["mpi", s.mpi]] as [string, number[]][]) {
        const tall = (values[i]! / high) * (row.height - 2);
        if (tall <= 0) continue;
        c.fillStyle = kind === "" ? this.theme.accent : kindColour(kind);
        c.fillRect(x, base - tall, width, tall);
        base -= tall;
      }
    });
    c.fillStyle = this.theme.line;
    c.fillRect(gutter, bottom, p.width - gutter, 1);
  }

  // curve draws values up to the highest in sight, or to least if that is more.
  private curve(p: Picture, m: Series, least: number, shown: (value: number) => string, y: number, height: number, k: number): void {
    const c = this.context;
    let high = least;
    for (let i = 0; i < m.time.length; i++) if (m.end[i]! >= p.from && m.time[i]! <= p.to) high = Math.max(high, m.high[i]!);
    for (let i = m.time.length - 1; i >= 0; i--)
      if (m.end[i]! < p.from) {
        high = Math.max(high, m.last[i]!);
        break;
      }
    if (high === 0) return;
    const bottom = y + height - 1;
    const at = (value: number): number => bottom - (value / high) * (height - 16);
    c.beginPath();
    c.moveTo(gutter, bottom);
    let previous = 0;
    for (let i = 0; i < m.time.length; i++) {
      if (m.time[i]! > p.to) break;
      if (m.end[i]! >= p.from) {
        const x0 = gutter + (m.time[i]! - p.from) * k;
        const x1 = gutter + (m.end[i]! - p.from) * k;
        c.lineTo(x0, at(previous));
        c.lineTo(x0, at(m.high[i]!));
        c.lineTo(x1, at(m.high[i]!));
        c.lineTo(x1, at(m.last[i]!));
      } else c.moveTo(gutter, bottom), c.lineTo(gutter, at(m.last[i]!));
      previous = m.last[i]!;
    }
    c.lineTo(p.width + 1, at(previous));
    c.lineTo(p.width + 1, bottom);
    c.closePath();
    c.fillStyle = this.theme.accent;
    c.globalAlpha = 0.35;
    c.fill();
    c.globalAlpha = 1;
    this.scale(shown(high), y);
  }

  // rates draws one way; what went either way stands on top, and counts for both.
  private rates(p: Picture, r: Counters["rates"], way: "upload" | "download", y: number, height: number, k: number): void {
    const c = this.context;
    const low = Math.max(0, Math.floor((p.from - r.begin) / r.step));
    const until = Math.min(r.upload.length, Math.ceil((p.to - r.begin) / r.step));
    let high = 0;
    for (let i = low; i < until; i++) high = Math.max(high, r[way][i]! + r.mixed[i]!);
    if (high === 0) return;
    const bottom = y + height - 1;
    const width = Math.max(r.step * k, 1);
    const series: [number[], string][] = [
      [r[way], kindColour(way)], [r.mixed, this.theme.dim]];
    for (let i = low; i < until; i++) {
      let base = bottom;
      for (const [values, style] of series) {
        const tall = (values[i]! / high) * (height - 16);
        if (tall <= 0) continue;
        c.fillStyle = style;
        c.fillRect(gutter + (r.begin + i * r.step - p.from) * k, base - tall, width, tall);
        base -= tall;
      }
    }
    this.scale(rate(high), y);
  }

  private scale(text: string, y: number): void {
    const c = this.context;
    c.font = font(10.5);
    const width = c.measureText(text).width;
    c.fillStyle = this.theme.back;
    c.globalAlpha = 0.75;
    c.fillRect(gutter + 2, y + 1, width + 6, 13);
    c.globalAlpha = 1;
    c.fillStyle = this.theme.dim;
    c.fillText(text, gutter + 5, y + 8);
  }

  private arrows(p: Picture, k: number): void {
    const c = this.context;
    c.strokeStyle = c.fillStyle = this.theme.text;
    c.lineWidth = 1.2;
    c.globalAlpha = p.arrows.length > 20 ? 0.45 : 0.9;
    for (const a of p.arrows) {
      const rows = [...p.layout.pinned, ...p.layout.rows];
      const from = rows.find((r) => r.lane?.type === "spans" && r.lane.thread === a.thread && r.lane.depth === a.depth);
      const to = rows.find((r) => r.lane?.type === "queue" && r.lane.queue === a.queue);
      if (!from || !to) continue;
      const x0 = gutter + (a.from - p.from) * k;
      const x1 = gutter + (a.to - p.from) * k;
      if (Math.max(x0, x1) < gutter - 200 || Math.min(x0, x1) > p.width + 200) continue;
      const [above, below] = [top(p.layout, from, p.scroll), top(p.layout, to, p.scroll)];
      const down = below >= above ? 1 : -1; // queues may stand above the threads
      const y0 = down > 0 ? above + from.height - 2 : above + 2;
      const y1 = down > 0 ? below + 2 : below + to.height - 2;
      c.beginPath();
      c.moveTo(x0, y0);
      c.bezierCurveTo(x0 + 24, y0 + (y1 - y0) / 3, x1 - 24, y1 - (y1 - y0) / 3, x1, y1);
      c.stroke();
      c.beginPath();
      c.moveTo(x1, y1 + 2 * down);
      c.lineTo(x1 - 4, y1 - 5 * down);
      c.lineTo(x1 + 4, y1 - 5 * down);
      c.fill();
    }
    c.globalAlpha = 1;
  }

  private overlay(p: Picture, k: number): void {
    const c = this.context;
    if (p.range) {
      const [x0, x1] = p.range.map((t) => gutter + (t - p.from) * k) as [number, number];
      c.fillStyle = this.theme.accent;
      c.globalAlpha = 0.13;
      c.fillRect(x0, ruler, x1 - x0, p.height);
      c.globalAlpha = 1;
      c.fillRect(x0, ruler, 1, p.height);
      c.fillRect(x1, ruler, 1, p.height);
    }
    if (p.pointer !== undefined) {
      c.fillStyle = this.theme.dim;
      c.globalAlpha = 0.6;
      c.fillRect(gutter + (p.pointer - p.from) * k, ruler, 1, p.height);
      c.globalAlpha = 1;
    }
  }

  private labels(p: Picture): void {
    const c = this.context;
    const t = this.theme;
    c.save();
    c.beginPath();
    c.rect(0, ruler, p.width, p.height - ruler);
    c.clip();
    c.fillStyle = t.raised;
    c.fillRect(0, ruler, gutter, p.height);
    for (const row of p.layout.pinned) this.name(p, row);
    const below = ruler + p.layout.pinnedHeight;
    if (below > ruler) {
      c.fillStyle = t.dim;
      c.fillRect(0, below - 1, gutter, 1);
    }
    c.save();
    c.beginPath();
    c.rect(0, below, p.width, p.height - below);
    c.clip();
    for (const row of p.layout.rows) this.name(p, row);
    c.restore();
    c.fillStyle = t.line;
    c.fillRect(gutter - 1, ruler, 1, p.height);
    c.restore();
  }

  private name(p: Picture, row: Row): void {
    const c = this.context;
    const t = this.theme;
    const y = top(p.layout, row, p.scroll);
    if (y > p.height || y + row.height < ruler) return;
    const group = row.type === "group";
    c.font = font(11.5, group ? 600 : 400);
    c.fillStyle = group ? t.text : t.dim;
    const x = 8 + row.indent * 10;
    if (group) {
      c.beginPath();
      const middle = y + row.height / 2;
      if (row.folded) {
        c.moveTo(x, middle - 4);
        c.lineTo(x + 6, middle);
        c.lineTo(x, middle + 4);
      } else {
        c.moveTo(x - 1, middle - 3);
        c.lineTo(x + 7, middle - 3);
        c.lineTo(x + 3, middle + 4);
      }
      c.fill();
      c.fillStyle = t.line;
      c.fillRect(0, y, p.width, 1);
      c.fillStyle = t.text;
    }
    const dots = p.named === row.key && gutter > 80;
    this.text(row.label, group ? x + 12 : x, y + Math.min(row.height, 24) / 2, gutter - x - (group ? 18 : 6) - (dots ? 14 : 0));
    if (!dots) return;
    c.fillStyle = t.text;
    for (const by of [-4, 0, 4]) c.fillRect(gutter - 12 + by, y + Math.min(row.height, 24) / 2 - 1, 2, 2);
  }

  private ruler(p: Picture, k: number): void {
    const c = this.context;
    const t = this.theme;
    c.fillStyle = t.raised;
    c.fillRect(0, 0, p.width, ruler);
    c.fillStyle = t.line;
    c.fillRect(0, ruler - 1, p.width, 1);
    c.font = font(11);
    const list = ticks(p.from, p.to, (p.width - gutter) / 110);
    const step = list.length > 1 ? list[1]! - list[0]! : p.to - p.from;
    for (const tick of list) {
      const x = gutter + (tick - p.from) * k;
      if (x < gutter) continue;
      c.fillStyle = t.line;
      c.fillRect(Math.round(x), ruler - 7, 1, 7);
      c.fillStyle = t.dim;
      c.fillText(moment(tick, step), x + 4, ruler / 2);
    }
    if (p.pointer !== undefined) {
      const text = moment(p.pointer, Math.max((p.to - p.from) / 2000, 1));
      const width = c.measureText(text).width + 10;
      const x = Math.min(Math.max(gutter + (p.pointer - p.from) * k - width / 2, gutter), p.width - width);
      c.fillStyle = t.accent;
      c.fillRect(x, 3, width, ruler - 7);
      c.fillStyle = t.back;
      c.fillText(text, x + 5, ruler / 2);
    }
    c.fillStyle = t.raised;
    c.fillRect(0, 0, gutter - 1, ruler - 1);
    c.fillStyle = t.dim;
    this.text(p.data.loading ? "loading …" : gutter < 150 ? "time" : "time since the begin", 8, ruler / 2, gutter - 16);
  }

  // text draws what fits, with an ellipsis where something does not.
  private text(text: string, x: number, y: number, width: number): void {
    const c = this.context;
    if (width < 8 || text === "") return;
    let clean = plain(text);
    let known = this.measure(clean);
    // A name goes without its namespaces before it is cut.
    for (let inner = withoutOuter(clean); inner !== undefined && known * 1.07 > width; inner = withoutOuter(clean)) {
      clean = inner;
      known = this.measure(clean);
    }
    if (known * 1.07 <= width) {
      c.fillText(clean, x, y, width);
      return;
    }
    const fits = Math.floor((clean.length * width) / (known * 1.07)) - 1;
    if (fits >= 2) c.fillText(`${[...clean].slice(0, fits).join("")}…`, x, y, width);
  }

  private measure(text: string): number {
    let known = widths.get(text);
    if (known === undefined) {
      if (widths.size > 20000) widths.clear();
      known = this.context.measureText(text.slice(0, 400)).width * (this.context.font.startsWith("600") ? 0.94 : 1);
      widths.set(text, known);
    }
    return known;
  }

  private colour(label: Label, n: number): string {
    return (this.colours[n] ??= colour(label, state.colour));
  }

  private match(label: Label, n: number): boolean {
    return (this.matches[n] ??= matches(label, this.searched));
  }
}

// hatching is a tile of slanting lines.
export function hatching(colour: string): HTMLCanvasElement {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const c = tile.getContext("2d")!;
  c.strokeStyle = colour;
  c.globalAlpha = 0.6;
  c.beginPath();
  for (const x of [-6, 0, 6]) {
    c.moveTo(x, 6);
    c.lineTo(x + 6, 0);
  }
  c.stroke();
  return tile;
}

// top is where a row begins on the canvas.
export function top(layout: Layout, row: Row, scroll: number): number {
  return ruler + (row.pinned ? row.y : layout.pinnedHeight + row.y - scroll);
}

const widths = new Map<string, number>();

export function matches(label: Label, text: string): boolean {
  const small = text.toLowerCase();
  return `${label.text}\n${label.kind}\n${label.name}\n${label.source}`.toLowerCase().includes(small);
}

// ticks are round times, about as many as wanted.
export function ticks(from: number, to: number, wanted: number): number[] {
  const rough = Math.max((to - from) / Math.max(wanted, 1), 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough)!;
  const list: number[] = [];
  for (let t = Math.ceil(from / step) * step; t <= to && list.length < 200; t += step) list.push(t);
  return list;
}
