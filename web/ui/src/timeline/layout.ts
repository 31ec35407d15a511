// Which rows the timeline has and where they are.
import type { Device, Figure, Lane, Overview } from "../api";
import type { Arrangement } from "./arrangement";

export interface Row {
  type: "group" | "instants" | "spans" | "queue" | "memory" | "rate" | "figure" | "samples";
  key: string;
  label: string;
  hint: string;
  indent: number;
  y: number; // below the pinned rows; of a pinned row, below the ruler
  height: number;
  pinned: boolean;
  lane?: Lane;
  device?: Device;
  figure?: Figure; // what was sampled
  track?: number; // of samples of processors
  way?: "upload" | "download"; // of a rate
  folded?: boolean;
}

// Track is a row before it has a place, with those that belong to it.
export interface Track { row: Omit<Row, "y" | "pinned">; inner: Track[] }

export interface Layout { rows: Row[]; pinned: Row[]; height: number; pinnedHeight: number; byLane: Map<number, Row>; tracks: Track[] }

const heights = { group: 22, instants: 14, spans: 19, queue: 21, memory: 52, rate: 34, figure: 38, samples: 30 };

// From so many rows of threads on, devices come before them.
const manyRows = 12;

export function processName(o: Overview, id: number): string {
  const p = o.processes.find((x) => x.id === id);
  if (!p) return `process ${id}`;
  const name = p.program.split("/").pop() || "process";
  return `${p.rank >= 0 ? `rank ${p.rank} · ` : ""}${name} · ${p.pid}${o.processes.some((x) => x.host !== p.host) ? ` on ${p.host}` : ""}`;
}

// deviceName tells a device from those of other processes too.
export function deviceName(o: Overview, d: Device): string {
  return o.processes.length > 1 ? `${d.title} of ${processName(o, d.process)}` : d.title;
}

type Counted = ReadonlyMap<number, { memory: boolean; rate: boolean }>;

// tracks are what there is: by process the threads with their nested constructs, what was
// sampled of it, and the devices with their queues and counters; and what was sampled of
// GPUs, which belong to no process.
function tracks(o: Overview, counted: Counted): Track[] {
  const track = (type: Row["type"], key: string, label: string, indent: number, more: Partial<Row> = {}): Track =>
    ({ row: { type, key, label, hint: label, indent, height: heights[type], ...more }, inner: [] });
  // A group of figures, if there are any.
  const sampled = (key: string, label: string, indent: number, figures: Figure[]): Track[] => {
    if (figures.length === 0) return [];
    const group = track("group", key, label, indent, { hint: "sampled ten times a second" });
    for (const figure of figures) group.inner.push(track("figure", `c${figure.counter}`, figure.name.replaceAll("_", " "), indent + 1, { figure }));
    return [group];
  };
  const threads = new Map(o.threads.map((t) => [t.id, t]));
  const queues = new Map(o.queues.map((q) => [q.id, q]));
  const list: Track[] = [];
  for (const process of new Set([...o.processes.map((p) => p.id), ...o.lanes.map((l) => l.process)])) {
    const lanes = o.lanes.filter((l) => l.process === process);
    if (lanes.length === 0 && o.processes.length > 1) continue;
    const name = processName(o, process);
    const whole = track("group", `p${process}`, name, 0, { hint: o.processes.find((p) => p.id === process)?.program ?? name });
    const hosts: Track[] = [];
    for (const id of new Set(lanes.filter((l) => l.type !== "queue").map((l) => l.thread))) {
      const t = threads.get(id);
      const thread = track("group", `t${id}`, t ? t.tid === 0 ? t.name : `thread ${t.number}${t.name ? ` · ${t.name}` : ""} · ${t.tid}` : `thread ${id}`, 1);
      for (const lane of lanes.filter((l) => l.thread === id && l.type === "instants")) thread.inner.push(track("instants", `l${lane.id}`, "events", 2, { lane, hint: "events without duration" }));
      for (const lane of lanes.filter((l) => l.thread === id && l.type === "spans").sort((a, b) => a.depth - b.depth))
        thread.inner.push(track("spans", `l${lane.id}`, lane.depth === 0 ? "constructs" : `nested ${lane.depth}`, 2, { lane, hint: lane.depth === 0 ? "constructs" : `constructs, nested ${lane.depth} deep` }));
      const of = o.sampled.find((s) => s.thread === id);
      if (of) thread.inner.push(track("samples", `s${of.track}`, "samples", 2, { track: of.track, hint: "what the thread had a processor for, by samples" }));
      hosts.push(thread);
    }
    for (const of of o.sampled.filter((s) => s.process === process && s.thread === 0))
      hosts.push(track("samples", `s${of.track}`, "samples, other threads", 1, { track: of.track, hint: "what threads without events had processors for, by samples" }));
    const devices: Track[] = [];
    for (const device of o.devices.filter((d) => d.process === process && !d.requested)) {
      const own = lanes.filter((l) => l.type === "queue" && l.device === device.id);
      const has = counted.get(device.id) ?? { memory: true, rate: true };
      if (own.length === 0 && !has.memory && !has.rate) continue;
      const group = track("group", `d${device.id}`, device.title, 1);
      for (const lane of own) group.inner.push(track("queue", `l${lane.id}`, `queue ${queues.get(lane.queue)?.name ?? "?"}`, 2, { lane }));
      if (has.memory) group.inner.push(track("memory", `m${device.id}`, "memory", 2, { device, hint: "device memory in use" }));
      if (has.rate) for (const way of ["upload", "download"] as const)
        group.inner.push(track("rate", `x${device.id}${way}`, `${way} rate`, 2, { device, way, hint: `bytes a second ${way === "upload" ? "to" : "from"} the device` }));
      devices.push(group);
    }
    const many = hosts.reduce((rows, t) => rows + 1 + t.inner.length, 0) > manyRows;
    const figures = sampled(`f${process}`, "sampled", 1, o.figures.filter((f) => f.process === process));
    whole.inner.push(...(many ? [...devices, ...hosts, ...figures] : [...hosts, ...figures, ...devices]));
    list.push(whole);
  }
  const gpus = new Map<string, Figure[]>();
  for (const f of o.figures.filter((f) => f.process === 0)) {
    const key = `g${f.host}.${f.gpu}`;
    gpus.set(key, [...(gpus.get(key) ?? []), f]);
  }
  for (const [key, figures] of gpus) list.push(...sampled(key, figures[0]!.title, 0, figures));
  return list;
}

// layout puts rows under one another, as they were arranged.
export function layout(o: Overview, folded: ReadonlySet<string>, counted: Counted, arrangement: Arrangement): Layout {
  const all = arrangement.sorted(tracks(o, counted));
  const rows: Row[] = [];
  const pinned: Row[] = [];
  let [height, pinnedHeight] = [0, 0];
  const owner = (path: Track[]): string => path.slice(o.processes.length > 1 ? 0 : 1).map((t) => t.row.label).join(" · ");
  const pin = (track: Track, path: Track[]): void => {
    const name = owner(path.filter((t) => t !== track));
    pinned.push({ ...track.row, label: name && track.row.type !== "group" ? `${track.row.label} · ${name}` : track.row.label, hint: [name, track.row.hint].filter(Boolean).join(" · "), indent: 0, y: pinnedHeight, pinned: true });
    pinnedHeight += track.row.height;
  };
  // What is folded hides all but what is pinned, however deep that lies.
  const pinInside = (track: Track, path: Track[]): void => {
    for (const inner of track.inner) {
      if (arrangement.isHidden(inner.row.key)) continue;
      if (arrangement.isPinned(inner.row.key) && inner.row.type !== "group") pin(inner, [...path, inner]);
      else pinInside(inner, [...path, inner]);
    }
  };
  const add = (track: Track, path: Track[]): void => {
    if (arrangement.isHidden(track.row.key)) return;
    const inside = [...path, track];
    if (arrangement.isPinned(track.row.key) && track.row.type !== "group") {
      pin(track, inside);
      return;
    }
    rows.push({ ...track.row, folded: track.row.type === "group" ? folded.has(track.row.key) : undefined, y: height, pinned: false });
    height += track.row.height;
    if (folded.has(track.row.key)) pinInside(track, inside);
    else for (const inner of track.inner) add(inner, inside);
  };
  for (const track of all) add(track, []);
  return { rows, pinned, height, pinnedHeight, tracks: all, byLane: new Map([...rows, ...pinned].filter((r) => r.lane).map((r) => [r.lane!.id, r])) };
}
