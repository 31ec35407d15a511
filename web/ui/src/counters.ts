// What is counted inside of kernels: how a line's figure is written, and how much it weighs.
import type { Values } from "./api";
import { bytes, count, fraction } from "./format";

export interface Counter {
  key: string;
  title: string;
  about: string; // what a dark line has much of
  text(v: Values): string; // "" where the line has nothing of it
  heat(v: Values): number;
}

const of = (v: Values, name: string): number => v[name] ?? 0;
const sector = 32;

// excess are the sectors of loads or stores beyond those that their bytes fill.
const excess = (v: Values, access: "load" | "store"): number => Math.max(0, of(v, `${access}_sectors`) - Math.max(of(v, `${access}_requests`), Math.ceil(of(v, `${access}_bytes`) / sector)));
export const traffic = (v: Values): number => sector * (of(v, "load_sectors") + of(v, "store_sectors") + of(v, "atomic_sectors"));
export const asked = (v: Values): number => of(v, "load_bytes") + of(v, "store_bytes") + of(v, "atomic_bytes");
export const operations = (v: Values): number => of(v, "operations32") + of(v, "operations64");

// plain is a counter whose number is its weight, too.
const plain = (key: string, title: string, about: string, value = (v: Values): number => of(v, key), text = count): Counter =>
  ({ key, title, about, heat: value, text: (v) => (value(v) > 0 ? text(value(v)) : "") });

const ratio = (v: Values, key: string): string => (v[key] === undefined ? "" : count(v[key]));

export const counters: Counter[] = [
  plain("instructions", "instructions", "instructions of warps"),
  { key: "lanes", title: "active lanes", about: "lanes of warps that take no part", text: (v) => ratio(v, "lanes_per_instruction"), heat: (v) => 32 * of(v, "instructions") - of(v, "active_lanes") },
  plain("load_requests", "loads", "loads of warps from global memory"),
  { key: "load_sectors", title: "sectors a load", about: "sectors of 32 bytes beyond those that the loaded bytes fill", text: (v) => ratio(v, "sectors_per_load"), heat: (v) => excess(v, "load") },
  plain("store_requests", "stores", "stores of warps to global memory"),
  { key: "store_sectors", title: "sectors a store", about: "sectors of 32 bytes beyond those that the stored bytes fill", text: (v) => ratio(v, "sectors_per_store"), heat: (v) => excess(v, "store") },
  plain("traffic", "memory traffic", "bytes of the sectors that requests touch", traffic, bytes),
  { key: "used", title: "traffic used", about: "bytes that are moved and that no lane asked for", text: (v) => (traffic(v) > 0 ? fraction(asked(v) / traffic(v)) : ""), heat: (v) => Math.max(0, traffic(v) - asked(v)) },
  plain("operations", "operations", "operations of floating point", operations),
  plain("divergent_branches", "divergent branches", "branches that part a warp's lanes"),
  plain("atomic_lanes", "atomic updates", "lanes at atomic updates"),
  plain("meeting", "atomics that meet", "lanes at atomic updates of an address that another lane of the warp updates, too", (v) => Math.max(0, of(v, "atomic_lanes") - of(v, "atomic_addresses"))),
  plain("conflicts", "bank conflicts", "passes of shared memory beyond those without conflicts", (v) => Math.max(0, of(v, "shared_passes") - of(v, "shared_least_passes"))),
  plain("barriers", "barriers", "barriers of warps"),
  plain("local_bytes", "stack", "bytes of lanes' own stacks", undefined, bytes),
];

// met are those that some line has anything of.
export function met(lines: { values: Values }[]): Counter[] {
  return counters.filter((c) => lines.some((l) => c.text(l.values) !== "" && (c.heat(l.values) > 0 || ["lanes", "load_sectors", "store_sectors", "used"].includes(c.key))));
}

// stride is how far the lanes of a line's loads or stores are apart, where most are evenly.
export function stride(v: Values): string {
  const apart = (access: string): number | undefined => (2 * of(v, `${access}_strided`) > of(v, `${access}_requests`) ? Math.abs(of(v, `${access}_stride`)) : undefined);
  const [load, store] = [apart("load"), apart("store")];
  return [load, store === load ? undefined : store].filter((s) => s !== undefined).map((s) => bytes(s)).join(", ");
}
