// The timeline: what is shown of the trace's time, and what is pointed at,
// selected and marked in it.
import { get, type Arrow, type Counters, type Detail, type Next, type Overview } from "../api";
import { h, message, placeTip } from "../dom";
import { bytes, duration, figure, fraction, moment, rate } from "../format";
import { change, colourModes, state, type ColourMode } from "../state";
import { Strip } from "../strip";
import { Data, first, gapAt, partAt, valueAt } from "./data";
import { Arrangement, TrackList } from "./arrangement";
import { keys, onEdge, pointers, type Target } from "./input";
import { layout, type Layout, type Row } from "./layout";
import { Legend } from "./legend";
import { gutter, Painter, ruler, setGutter, top, type Picture } from "./paint";
import { Panel } from "./panel";

// What has no length, or next to none, is shown within so many nanoseconds.
const around = 20_000;

export class Timeline implements Target {
  readonly element: HTMLElement;
  follow = false;
  private readonly scroller: HTMLElement;
  private readonly spacer: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly tip: HTMLElement;
  private readonly said: HTMLElement;
  private readonly shownWindow: HTMLElement;
  private readonly problem: HTMLElement;
  private readonly colours = h("select", { "aria-label": "Colours", title: "What colours mean", onchange: () => change({ colour: this.colours.value as ColourMode }) },
    ...colourModes.map((m) => h("option", { value: m }, `colour by ${m}`)));
  private readonly painter: Painter;
  private readonly panel: Panel;
  private readonly legend = new Legend();
  private readonly strip: Strip;
  private readonly arrangement: Arrangement;
  private readonly trackList: TrackList;
  private readonly hiddenTracks = h("button", { type: "button", hidden: true, title: "Show the list of tracks", onclick: () => this.trackList.open() });
  private readonly menuPlace = h("div", { class: "menu", role: "menu", hidden: true });
  private namesWidth = Number(localStorage.getItem("names")) || 0; // as the user has drawn it
  private named: string | undefined;
  private data: Data;
  private rows: Layout;
  private readonly folded = new Set<string>();
  private readonly counted = new Map<number, { memory: boolean; rate: boolean }>();
  private from = 0;
  private to = 1;
  private wide = 800;
  private high = 400;
  private hover: Picture["hover"];
  private pointer: number | undefined;
  private at = { x: 0, y: 0 };
  private arrows: Arrow[] = [];
  private selection: { lane: number; start: number; end: number; detail: Detail } | undefined;
  private asked = "";
  private due = false;
  private painted = false;

  constructor(private overview: Overview, private readonly unfollow: () => void) {
    this.canvas = h("canvas", { tabindex: 0, role: "application", "aria-roledescription": "timeline", "aria-keyshortcuts": "w a s d f 0 m n , . Enter Escape",
      "aria-label": `Timeline of ${overview.name}. W and S zoom, A and D pan, comma and full stop go through a row, Enter selects, question mark helps.` });
    this.spacer = h("div");
    this.scroller = h("div", { class: "scroll" }, this.canvas, this.spacer);
    this.tip = h("div", { class: "tip", hidden: true });
    this.said = h("div", { class: "hidden-live", "aria-live": "polite" });
    this.shownWindow = h("span", { class: "window", id: "window" });
    this.problem = h("span", { class: "error", role: "alert" });
    this.panel = new Panel({
      select: (id) => void this.select(id, true),
      zoom: (from, to) => this.fit(from, to),
      closeSelection: () => void this.select(undefined),
      closeRange: () => this.mark(undefined),
    });
    this.arrangement = new Arrangement(overview.name, () => this.relayout());
    this.trackList = new TrackList(this.arrangement, () => this.rows.tracks);
    this.strip = new Strip(overview, () => ({ from: this.from, to: this.to }), (from, to) => {
      this.unfollow();
      this.show(from, to);
    }, () => gutter);
    const tool = (text: string, title: string, go: () => void): HTMLElement => h("button", { type: "button", "data-tool": text, title, onclick: go }, text);
    const tools = h("div", { class: "tools", role: "toolbar", "aria-label": "timeline" },
      tool("Fit", "Show the whole trace (0)", () => this.fit()),
      tool("+", "Zoom in (W)", () => this.zoom(0.5, gutter + this.width() / 2)),
      tool("−", "Zoom out (S)", () => this.zoom(2, gutter + this.width() / 2)),
      tool("Selection", "Show the selected span (F)", () => this.fitSelection()),
      tool("Statistics", "Statistics of what is shown; drag in the ruler for another range (M)", () => this.mark([this.from, this.to])),
      tool("Tracks", "Pin, hide and move tracks", () => this.trackList.open()), this.hiddenTracks,
      this.shownWindow, h("span", { class: "spacer" }), this.problem, this.colours);
    this.element = h("div", { class: "view timeline" }, tools, this.legend.element, this.strip.element, this.scroller, this.panel.element, this.tip, this.said, this.trackList.element, this.menuPlace);
    document.addEventListener("pointerdown", (e) => {
      if (!this.menuPlace.contains(e.target as Node)) this.menuPlace.hidden = true;
    });
    this.menuPlace.addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      this.menuPlace.hidden = true;
      this.focus();
    });
    this.painter = new Painter(this.canvas);
    this.data = new Data(state.trace, overview, () => this.arrived());
    this.rows = layout(overview, this.folded, this.counted, this.arrangement);
    this.restore();
    pointers(this.canvas, this);
    keys(this.canvas, this, (e) => this.key(e));
    this.scroller.addEventListener("scroll", () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(this.scroller);
  }

  // restore takes the view from the URL.
  restore(): void {
    this.colours.value = state.colour;
    this.from = state.from ?? this.overview.meta.first;
    this.to = state.to ?? Math.max(this.overview.meta.last, this.from + 1);
    if (state.from === undefined) this.margins();
    if (state.selected !== this.asked) void this.select(state.selected);
    this.panel.range(state.range, this.overview);
    this.redraw();
  }

  private margins(): void {
    const margin = (this.to - this.from) * 0.01;
    this.from -= margin;
    this.to += margin;
  }

  // grow is for a trace that got more.
  grow(overview: Overview): void {
    const span = this.to - this.from;
    const whole = this.to >= this.overview.meta.last && this.from <= this.overview.meta.first;
    this.overview = overview;
    this.counted.clear();
    this.data.renew(overview);
    if (this.follow) {
      if (whole) this.show(overview.meta.first, Math.max(overview.meta.last, overview.meta.first + 1));
      else this.show(overview.meta.last - span * 0.98, overview.meta.last + span * 0.02);
    }
    this.relayout();
    void this.strip.load(overview);
  }

  restyle(): void {
    this.painter.restyle();
    this.legend.update(this.data, this.overview, this.from, this.to);
    this.strip.draw();
    this.redraw();
  }

  focus(): void {
    this.canvas.focus({ preventScroll: true });
  }

  private relayout(): void {
    this.rows = layout(this.overview, this.folded, this.counted, this.arrangement);
    const hidden = this.arrangement.hiddenAmong(this.rows.tracks);
    this.hiddenTracks.hidden = hidden === 0;
    this.hiddenTracks.textContent = `${hidden} hidden`;
    this.resize();
  }

  private resize(): void {
    const box = this.scroller.getBoundingClientRect();
    if (box.width === 0) return;
    this.wide = this.scroller.clientWidth;
    this.high = Math.floor(box.height);
    setGutter(this.namesWidth || Math.min(190, this.wide * 0.32), this.wide);
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(this.wide * ratio);
    this.canvas.height = Math.round(this.high * ratio);
    this.canvas.style.width = `${this.wide}px`;
    this.canvas.style.height = `${this.high}px`;
    this.canvas.getContext("2d", { alpha: false })!.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.spacer.style.height = `${Math.max(0, this.rows.height + this.rows.pinnedHeight + ruler + 12 - this.high)}px`;
    this.redraw();
  }

  span(): number {
    return this.to - this.from;
  }

  width(): number {
    return Math.max(this.wide - gutter, 50);
  }

  private time(x: number): number {
    return this.from + ((x - gutter) / this.width()) * this.span();
  }

  zoom(factor: number, x: number): void {
    const length = this.overview.meta.last - this.overview.meta.first + 1;
    const span = Math.min(Math.max(this.span() * factor, 20), Math.max(length * 4, 1000));
    const about = this.time(Math.max(x, gutter));
    const share = (about - this.from) / this.span();
    this.unfollow();
    this.show(about - share * span, about + (1 - share) * span);
  }

  pan(pixels: number): void {
    if (pixels === 0) return;
    const by = (pixels / this.width()) * this.span();
    this.unfollow();
    this.show(this.from + by, this.to + by);
  }

  scroll(pixels: number): void {
    this.scroller.scrollTop += pixels;
  }

  fit(from?: number, to?: number): void {
    if (from === undefined || to === undefined) {
      this.forget();
      this.from = this.overview.meta.first;
      this.to = Math.max(this.overview.meta.last, this.from + 1);
      this.margins();
      change({ from: undefined, to: undefined });
      this.redraw();
      return;
    }
    const margin = to > from ? Math.max((to - from) * 0.2, 20) : around / 2;
    this.unfollow();
    this.show(from - margin, to + margin);
  }

  private fitSelection(): void {
    if (this.selection) this.fit(this.selection.start, this.selection.end);
    else if (state.range) this.fit(...state.range);
  }

  // forget takes the tooltip away: what was under the pointer is elsewhere.
  private forget(): void {
    this.hover = undefined;
    this.tip.hidden = true;
  }

  private show(from: number, to: number): void {
    this.forget();
    // Some of the trace stays in sight.
    const { first: begin, last: end } = this.overview.meta;
    const span = to - from;
    if (from > end - span * 0.02) from = end - span * 0.02;
    if (from + span < begin + span * 0.02) from = begin + span * 0.02 - span;
    this.from = from;
    this.to = from + span;
    change({ from: this.from, to: this.to });
    this.redraw();
  }

  // row finds the row at a height of the canvas.
  private row(y: number): Row | undefined {
    if (y < ruler) return undefined;
    const within = (r: Row): boolean => {
      const from = top(this.rows, r, this.scroller.scrollTop);
      return y >= from && y < from + r.height;
    };
    return this.rows.pinned.find(within) ?? (y < ruler + this.rows.pinnedHeight ? undefined : this.rows.rows.find(within));
  }

  // hit finds the block at a place; one that is narrow, within three pixels.
  private hit(x: number, y: number): Picture["hover"] {
    const row = this.row(y);
    if (!row?.lane || x < gutter) return undefined;
    const blocks = this.data.blocks(row.lane.id, this.from, this.to);
    if (!blocks) return undefined;
    const time = this.time(x);
    const near = (3 / this.width()) * this.span();
    let best: number | undefined;
    let distance = near;
    for (let i = first(blocks, time - near); i < blocks.start.length && blocks.start[i]! <= time + near; i++) {
      const away = time < blocks.start[i]! ? blocks.start[i]! - time : time > blocks.end[i]! ? time - blocks.end[i]! : 0;
      if (away < distance || (away === 0 && best === undefined)) {
        best = i;
        distance = away;
        if (away === 0) break;
      }
    }
    return best === undefined ? undefined : { row, index: best };
  }

  point(x: number, y: number, inside: boolean): void {
    this.at = { x, y };
    this.hover = inside ? this.hit(x, y) : undefined;
    this.pointer = inside && x >= gutter ? this.time(x) : undefined;
    const row = inside ? this.row(y) : undefined;
    this.named = row && x < gutter ? row.key : undefined;
    this.canvas.style.cursor = inside && onEdge(x) ? "ew-resize" : inside && y < ruler && x > gutter ? "col-resize" : this.hover || (row?.type === "group" && x < gutter) ? "pointer" : "default";
    this.describe(row, x);
    this.redraw();
  }

  private describe(row: Row | undefined, x: number): void {
    const lines: [string, string[]] | undefined = this.hover ? this.about(this.hover)
      : row && x < gutter && row.hint !== row.label ? [row.hint, []]
      : row?.track !== undefined && this.pointer !== undefined ? this.aboutSamples(row, this.pointer)
      : (row?.device || row?.figure) && this.pointer !== undefined ? this.aboutCounter(row)
      : row?.lane && this.pointer !== undefined ? this.aboutGap(row, this.pointer) : undefined;
    this.tip.hidden = lines === undefined;
    if (!lines) return;
    this.tip.replaceChildren(h("b", {}, lines[0]), ...lines[1].map((l) => h("div", {}, l)));
    const box = this.canvas.getBoundingClientRect();
    placeTip(this.tip, box.left + this.at.x, box.top + this.at.y);
  }

  private about(hit: NonNullable<Picture["hover"]>): [string, string[]] {
    const b = this.data.blocks(hit.row.lane!.id, this.from, this.to)!;
    const i = hit.index;
    const label = this.data.labels[b.label[i]!]!;
    const lines: string[] = [];
    if (b.count[i]! > 1) {
      lines.push(`${b.count[i]} together, the longest of them this`);
      if (b.busy[i]! > 0) lines.push(`busy ${duration(b.busy[i]!)} of ${duration(b.end[i]! - b.start[i]!)}; zoom in to tell them apart`);
    } else {
      if (label.kind !== label.text) lines.push(label.kind);
      if (b.open.has(i)) lines.push("has no end");
      else if (hit.row.type !== "instants") lines.push(duration(b.end[i]! - b.start[i]!));
    }
    if (b.bytes[i]! > 0) lines.push(bytes(b.bytes[i]!) + (hit.row.type === "queue" && b.count[i] === 1 && b.busy[i]! > 0 ? `, ${rate((b.bytes[i]! * 1e9) / b.busy[i]!)}` : ""));
    if (label.source) lines.push(label.source);
    lines.push(`at ${moment(b.start[i]!, Math.max(this.span() / 2000, 1))}`);
    return [label.text, lines];
  }

  private aboutGap(row: Row, time: number): [string, string[]] | undefined {
    const b = this.data.blocks(row.lane!.id, this.from, this.to);
    const i = b ? gapAt(b, time) : -1;
    if (i < 0) return undefined;
    const { start, end, why } = b!.gaps;
    return ["not all is known of this time", [why[i]!, duration(end[i]! - start[i]!), `at ${moment(start[i]!, Math.max(this.span() / 2000, 1))}`]];
  }

  // aboutSamples names the function that had most of the part under the pointer.
  private aboutSamples(row: Row, time: number): [string, string[]] | undefined {
    const s = this.data.samples(row.track!, this.from, this.to);
    const i = s ? partAt(s, time) : -1;
    if (!s || i < 0) return undefined;
    const doing = ([["else", s.else], ["in OpenACC", s.openacc], ["waiting", s.waiting], ["in MPI", s.mpi]] as [string, number[]][]).filter(([, v]) => v[i]! > 0);
    const whole = doing.reduce((sum, [, v]) => sum + v[i]!, 0);
    return [s.functions[s.function[i]!] || "(unknown)", [s.of[i]! < whole ? `${fraction(s.of[i]! / whole)} of the samples here` : "all samples here",
      `${fraction(whole / s.step)} of a processor: ${doing.map(([name, v]) => `${name} ${duration(v[i]!)}`).join(", ")}`, `at ${moment(s.begin + s.part[i]! * s.step, Math.max(this.span() / 2000, 1))}`]];
  }

  private aboutCounter(row: Row): [string, string[]] | undefined {
    if (row.figure) {
      const values = this.data.figure(row.figure.counter, this.from, this.to);
      const value = values && valueAt(values, this.pointer!);
      return value === undefined ? undefined : [`${row.label} ${figure(value, row.figure.unit)}`, []];
    }
    const c = this.data.counters(row.device!.id, this.from, this.to);
    const time = this.pointer!;
    if (!c) return undefined;
    if (row.type === "memory") {
      return [`${bytes(valueAt(c.memory, time) ?? 0)} in use`, []];
    }
    const i = Math.floor((time - c.rates.begin) / c.rates.step);
    if (i < 0 || i >= c.rates.upload.length) return undefined;
    const lines = ([row.way === "upload" ? ["to the device", c.rates.upload] : ["from the device", c.rates.download], ["either way", c.rates.mixed]] as [string, number[]][])
      .filter(([, v]) => v[i]! > 0).map(([name, v]) => `${rate(v[i]!)} ${name}`);
    return [lines.length > 0 ? lines[0]! : "nothing moves", [...lines.slice(1), ...(c.rates.measured ? [] : ["by the times of the enqueue calls"])]];
  }

  tap(x: number, y: number): void {
    const row = this.row(y);
    if (row && x < gutter && x > gutter - 20 && this.menu(x, y)) return;
    if (row?.type === "group" && x < gutter) {
      if (!this.folded.delete(row.key)) this.folded.add(row.key);
      this.relayout();
      return;
    }
    const hit = this.hit(x, y);
    if (!hit) {
      if (y >= ruler && x >= gutter) void this.select(undefined);
      return;
    }
    this.choose(hit);
  }

  resizeNames(pixels: number): void {
    this.namesWidth = Math.max(Math.round(pixels), 60);
    localStorage.setItem("names", String(this.namesWidth));
    this.resize();
    this.strip.draw();
  }

  // menu offers what can be done with the track whose name is at a place.
  menu(x: number, y: number): boolean {
    const row = this.row(y);
    if (!row || x >= gutter) return false;
    const item = (text: string, go: () => void): HTMLElement => h("button", { type: "button", role: "menuitem", onclick: () => {
      this.menuPlace.hidden = true;
      go();
      this.focus();
    } }, text);
    const pinned = this.arrangement.isPinned(row.key);
    this.menuPlace.replaceChildren(...(row.type === "group" ? [] : [item(pinned ? "Unpin" : "Pin to the top", () => this.arrangement.pin(row.key, !pinned))]),
      item("Hide", () => this.arrangement.hide(row.key, true)), item("Move up", () => this.arrangement.move(this.rows.tracks, row.key, -1)),
      item("Move down", () => this.arrangement.move(this.rows.tracks, row.key, 1)), item("All tracks …", () => this.trackList.open()));
    this.menuPlace.hidden = false;
    this.forget();
    const box = this.canvas.getBoundingClientRect();
    this.menuPlace.style.left = `${Math.min(box.left + x, innerWidth - this.menuPlace.offsetWidth - 6)}px`;
    this.menuPlace.style.top = `${Math.min(box.top + y, innerHeight - this.menuPlace.offsetHeight - 6)}px`;
    this.menuPlace.querySelector("button")?.focus();
    return true;
  }

  private choose(hit: NonNullable<Picture["hover"]>): void {
    const b = this.data.blocks(hit.row.lane!.id, this.from, this.to)!;
    if (b.count[hit.index]! > 1) this.mark([b.start[hit.index]!, Math.max(b.end[hit.index]!, b.start[hit.index]! + 1)]);
    else void this.select(`${hit.row.type === "queue" ? "a" : "r"}${b.id[hit.index]}`);
  }

  open(x: number, y: number): void {
    const hit = this.hit(x, y);
    if (!hit) return;
    const b = this.data.blocks(hit.row.lane!.id, this.from, this.to)!;
    this.fit(b.start[hit.index]!, b.end[hit.index]!);
  }

  range(x0: number, x1: number, done: boolean): void {
    const [a, b] = [this.time(Math.max(Math.min(x0, x1), gutter)), this.time(Math.max(x0, x1))];
    if (b - a < 1) return;
    if (done) this.mark([a, b]);
    else change({ range: [a, b] });
    this.redraw();
  }

  private mark(range: [number, number] | undefined): void {
    const whole = range && ([Math.floor(range[0]), Math.ceil(range[1])] as [number, number]);
    change({ range: whole });
    this.panel.range(whole, this.overview);
    this.redraw();
  }

  // select shows everything about a record (r…) or activity (a…).
  async select(id: string | undefined, reveal = false): Promise<void> {
    this.asked = id ?? "";
    if (state.selected !== id) change({ selected: id });
    if (id === undefined) {
      this.selection = undefined;
      this.arrows = [];
      this.panel.detail(undefined, this.overview);
      this.redraw();
      return;
    }
    const number = id.slice(1);
    const activity = id.startsWith("a");
    try {
      const [detail, arrows] = await Promise.all([
        get<Detail>(activity ? "activity" : "record", { trace: state.trace, id: number }),
        get<Arrow[]>("arrows", { trace: state.trace, [activity ? "activity" : "record"]: number }),
      ]);
      if (this.asked !== id) return;
      const lane = this.overview.lanes.find((l) => activity ? l.type === "queue" && l.queue === detail.queue
        : l.thread === detail.thread && (detail.end > detail.start ? l.type === "spans" && l.depth === detail.depth : l.type === "instants"));
      this.selection = { lane: lane?.id ?? 0, start: detail.start, end: detail.end, detail };
      this.arrows = arrows;
      this.panel.detail(detail, this.overview);
      this.said.textContent = `${detail.title}, ${duration(detail.end - detail.start)}`;
      if (reveal) this.reveal(detail.start, detail.end, lane?.id);
      this.problem.textContent = lane || this.overview.ranks.about === "" ? "" : `This is of a rank that is not shown (only ${this.overview.ranks.about} is).`;
    } catch (error) {
      this.problem.textContent = message(error);
    }
    this.redraw();
  }

  private reveal(start: number, end: number, lane: number | undefined): void {
    this.forget();
    const span = this.span();
    const length = end - start;
    const wide = Math.max(length * 50, around); // in which a short hit is to be seen among its neighbours
    if (length > span) this.fit(start - length, end + length);
    else if (length / span < 0.004 && wide < span) this.show((start + end - wide) / 2, (start + end + wide) / 2);
    else if (start < this.from || end > this.to) this.show((start + end - span) / 2, (start + end + span) / 2);
    const row = lane === undefined ? undefined : this.rows.byLane.get(lane);
    if (!row || row.pinned) return;
    const above = this.scroller.scrollTop;
    if (row.y < above || row.y + row.height + ruler + this.rows.pinnedHeight > above + this.high) this.scroller.scrollTop = row.y - this.high / 2;
  }

  // find goes to the next or the previous match of the search.
  async find(text: string, forwards: boolean): Promise<boolean> {
    const at = this.selection ? this.selection.detail.start : forwards ? this.overview.meta.first - 1 : this.overview.meta.last + 1;
    const query = { trace: state.trace, text };
    let next = await get<Next>("next", { ...query, [forwards ? "after" : "before"]: Math.floor(at) });
    if (next.record === 0 && this.selection) // on from the other end
      next = await get<Next>("next", { ...query, [forwards ? "after" : "before"]: forwards ? undefined : Math.floor(this.overview.meta.last + 1) });
    if (next.record === 0) return false;
    await this.select(`r${next.record}`, true);
    return true;
  }

  private key(e: KeyboardEvent): boolean {
    switch (e.key) {
      case "0": case "Home": this.fit(); return true;
      case "f": this.fitSelection(); return true;
      case "m":
        if (this.selection) this.mark([this.selection.start, Math.max(this.selection.end, this.selection.start + 1)]);
        else this.mark([this.from, this.to]);
        return true;
      case "n": case "N":
        if (state.search) void this.find(state.search, e.key === "n").catch((error: unknown) => (this.problem.textContent = message(error)));
        return true;
      case ",": case ".": this.step(e.key === "." ? 1 : -1); return true;
      case "Enter": this.step(0); return true;
      case "Escape":
        void this.select(undefined);
        this.mark(undefined);
        return true;
    }
    return false;
  }

  // step selects the neighbour of the selected block in its row, or what is in
  // sight.
  private step(by: number): void {
    const rows = [...this.rows.pinned, ...this.rows.rows].filter((r) => r.lane && (r.type === "spans" || r.type === "queue"));
    const row = rows.find((r) => r.lane!.id === this.selection?.lane) ?? rows[0];
    const blocks = row && this.data.blocks(row.lane!.id, this.from, this.to);
    if (!row || !blocks || blocks.start.length === 0) return;
    let i = first(blocks, this.from);
    if (this.selection && by !== 0) {
      const here = blocks.start.findIndex((s) => s >= this.selection!.start);
      i = (here < 0 ? blocks.start.length - 1 : here) + by;
    }
    if (i >= 0 && i < blocks.start.length) {
      this.choose({ row, index: i });
      if (blocks.start[i]! < this.from || blocks.end[i]! > this.to) this.reveal(blocks.start[i]!, blocks.end[i]!, row.lane!.id);
    }
  }

  // countDevices finds out which devices moved or held anything where the whole trace
  // is not in sight.
  private async countDevices(): Promise<void> {
    const { first, last } = this.overview.meta;
    for (const device of this.overview.devices.filter((d) => !d.requested && !this.counted.has(d.id))) {
      this.count(device.id, await get<Counters>("counters", { trace: state.trace, from: first, to: last + 1, pixels: 64, device: device.id }));
      this.relayout();
    }
  }

  private count(device: number, c: Counters): void {
    this.counted.set(device, { memory: c.memory.time.length > 0,
      rate: c.rates.upload.some((v) => v > 0) || c.rates.download.some((v) => v > 0) || c.rates.mixed.some((v) => v > 0) });
  }

  private arrived(): void {
    // Devices that moved and held nothing get no counters.
    let changed = false;
    for (const device of this.overview.devices) {
      const c = this.data.counters(device.id, this.from, this.to);
      if (!c || this.counted.has(device.id) || this.from > this.overview.meta.first || this.to < this.overview.meta.last) continue;
      this.count(device.id, c);
      changed = true;
    }
    this.problem.textContent = this.data.error;
    if (this.painted) this.legend.update(this.data, this.overview, this.from, this.to);
    if (changed) this.relayout();
    else this.redraw();
  }

  redraw(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.canvas.isConnected) return;
    const scroll = this.scroller.scrollTop;
    const seen = [...this.rows.pinned, ...this.rows.rows.filter((r) => r.y + r.height >= scroll - 200 && r.y <= scroll + this.high + 200)];
    this.data.want(this.from, this.to, this.width(), seen.filter((r) => r.lane).map((r) => r.lane!.id),
      [...new Set(seen.filter((r) => r.device).map((r) => r.device!.id))], seen.filter((r) => r.figure).map((r) => r.figure!.counter),
      seen.filter((r) => r.track !== undefined).map((r) => r.track!));
    this.painter.paint({ width: this.wide, height: this.high, scroll, from: this.from, to: this.to, layout: this.rows, data: this.data,
      arrows: this.arrows, hover: this.hover, selected: this.selection, pointer: this.pointer, named: this.named, range: state.range });
    if (this.painted) this.strip.draw();
    if (!this.painted && !this.data.empty) {
      this.painted = true;
      performance.mark("first-trace-paint");
      setTimeout(() => this.rest());
    }
    const step = Math.max(this.span() / 2000, 1);
    this.shownWindow.textContent = `${moment(this.from, step)} to ${moment(this.to, step)} · ${duration(this.span())}`;
  }

  // rest is what can wait until something of the trace is to be seen.
  private rest(): void {
    this.legend.update(this.data, this.overview, this.from, this.to);
    void this.strip.load(this.overview);
    void this.countDevices().catch((error: unknown) => (this.problem.textContent = message(error)));
  }
}
