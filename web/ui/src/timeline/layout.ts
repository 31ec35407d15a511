// Which rows the timeline has and where they are.
import type { Device, Lane, Overview } from "../api";

export interface Row {
  type: "group" | "instants" | "spans" | "queue" | "memory" | "rate";
  key: string;
  label: string;
  hint: string;
  indent: number;
  y: number;
  height: number;
  lane?: Lane;
  device?: Device;
  folded?: boolean;
}

export interface Layout { rows: Row[]; height: number; byLane: Map<number, Row> }

const heights = { group: 22, instants: 14, spans: 19, queue: 21, memory: 52, rate: 44 };

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

// layout puts rows under one another: by process the threads with their nested
// constructs, then the devices with their queues and counters.
export function layout(o: Overview, folded: ReadonlySet<string>, counted: ReadonlyMap<number, { memory: boolean; rate: boolean }>): Layout {
  const rows: Row[] = [];
  let y = 0;
  const add = (type: Row["type"], key: string, label: string, indent: number, more: Partial<Row> = {}): void => {
    rows.push({ type, key, label, hint: label, indent, y, height: heights[type], ...more });
    y += heights[type];
  };
  const group = (key: string, label: string, indent: number, hint = label): boolean => {
    add("group", key, label, indent, { folded: folded.has(key), hint });
    return !folded.has(key);
  };
  const threads = new Map(o.threads.map((t) => [t.id, t]));
  const queues = new Map(o.queues.map((q) => [q.id, q]));
  const processes = [...new Set([...o.processes.map((p) => p.id), ...o.lanes.map((l) => l.process)])];
  for (const process of processes) {
    const lanes = o.lanes.filter((l) => l.process === process);
    const devices = o.devices.filter((d) => d.process === process && !d.requested);
    if (lanes.length === 0 && o.processes.length > 1) continue;
    if (!group(`p${process}`, processName(o, process), 0, o.processes.find((p) => p.id === process)?.program)) continue;
    for (const id of new Set(lanes.filter((l) => l.type !== "queue").map((l) => l.thread))) {
      const t = threads.get(id);
      if (!group(`t${id}`, t ? `thread ${t.number}${t.name ? ` · ${t.name}` : ""} · ${t.tid}` : `thread ${id}`, 1)) continue;
      for (const lane of lanes.filter((l) => l.thread === id && l.type === "instants")) add("instants", `l${lane.id}`, "events", 2, { lane, hint: "events without duration" });
      for (const lane of lanes.filter((l) => l.thread === id && l.type === "spans").sort((a, b) => a.depth - b.depth))
        add("spans", `l${lane.id}`, lane.depth === 0 ? "constructs" : "", 2, { lane, hint: `constructs, nesting ${lane.depth}` });
    }
    for (const device of devices) {
      const own = lanes.filter((l) => l.type === "queue" && l.device === device.id);
      const has = counted.get(device.id) ?? { memory: true, rate: true };
      if (own.length === 0 && !has.memory && !has.rate) continue;
      if (!group(`d${device.id}`, device.title, 1)) continue;
      for (const lane of own) add("queue", `l${lane.id}`, `queue ${queues.get(lane.queue)?.name ?? "?"}`, 2, { lane });
      if (has.memory) add("memory", `m${device.id}`, "memory", 2, { device, hint: "device memory in use" });
      if (has.rate) add("rate", `x${device.id}`, "transfer rate", 2, { device, hint: "bytes a second to and from the device" });
    }
  }
  return { rows, height: y, byLane: new Map(rows.filter((r) => r.lane).map((r) => [r.lane!.id, r])) };
}
