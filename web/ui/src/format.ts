// Numbers as people read them.

function three(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  if (size < 999.5e3) return `${three(ns / 1e3)} µs`;
  if (size < 999.5e6) return `${three(ns / 1e6)} ms`;
  if (size < 120e9) return `${three(ns / 1e9)} s`;
  const minutes = Math.floor(size / 60e9);
  return `${ns < 0 ? "-" : ""}${minutes} min ${((size - minutes * 60e9) / 1e9).toFixed(0)} s`;
}

// moment is a time of the trace with enough digits to tell steps apart.
export function moment(ns: number, step: number): string {
  const size = Math.max(Math.abs(ns), step);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / Math.max(step, 1)) - 1e-9)));
  return `${(ns / unit).toFixed(digits)} ${name}`;
}

export function bytes(n: number): string {
  const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let i = 0;
  let value = n;
  while (Math.abs(value) >= 1024 && i < names.length - 1) {
    value /= 1024;
    i++;
  }
  return i === 0 ? `${Math.round(n)} B` : `${three(value)} ${names[i]}`;
}

export function count(n: number): string {
  return Number.isInteger(n) ? n.toLocaleString("en-US").replaceAll(",", "\u202f") : String(n);
}

export type Unit = "text" | "count" | "ns" | "time" | "bytes" | "bytes/s" | "fraction" | "address" | "variables" | "";

// few is a list of variables for a line: the first three, and how many there are beside.
// Commas in brackets are parts of names.
export function few(text: string): string {
  const names = text.replaceAll("->", "\u2192").split(/, (?![^<([]*[>)\]])/).map((name) => name.replaceAll("\u2192", "->"));
  return names.length <= 4 ? text : `${names.slice(0, 3).join(", ")} (+${names.length - 3})`;
}

export function show(value: unknown, unit: Unit): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  switch (unit) {
    case "ns": return duration(value);
    case "time": return moment(value, Math.max(Math.abs(value) / 1e6, 1));
    case "bytes": return value < 0 ? "unknown" : bytes(value);
    case "bytes/s": return `${bytes(value)}/s`;
    case "fraction": return `${(value * 100).toFixed(1)} %`;
    case "count": return count(value);
  }
  return String(value);
}
