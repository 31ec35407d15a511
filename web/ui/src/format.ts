// Numbers as people read them: as collector/report/units.go writes them. Cases that both
// are held to are in collector/report/testdata/units.json.

// rounded is the nearest multiple of one part of so many of a number that is not negative.
function rounded(size: number, parts: number): number {
  return Math.floor(size * parts + 0.5) / parts;
}

// fixed has so many decimals, halves away from zero.
function fixed(value: number, decimals: number): string {
  const size = rounded(Math.abs(value), 10 ** decimals);
  return (value < 0 && size > 0 ? -size : size).toFixed(decimals);
}

// digits has three significant digits, or more before the point; a whole number has none.
function digits(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(size)) return fixed(value, 0);
  return fixed(value, rounded(size, 100) < 10 ? 2 : rounded(size, 10) < 100 ? 1 : 0);
}

// scaled is a value in the largest of its units that is less than it.
function scaled(value: number, step: number, units: string[]): string {
  let i = 0;
  while (rounded(Math.abs(value), 1) >= step && i < units.length - 1) {
    value /= step;
    i++;
  }
  return `${digits(value)} ${units[i]}`;
}

// duration has three significant digits, from a minute on its seconds.
export function duration(ns: number): string {
  if (Math.abs(ns) < 59.95e9) return scaled(ns, 1000, ["ns", "us", "ms", "s"]);
  const sign = ns < 0 ? "-" : "";
  const two = (n: number): string => String(n).padStart(2, "0");
  const seconds = rounded(Math.abs(ns) / 1e9, 1);
  if (seconds < 3600) return `${sign}${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = rounded(seconds / 60, 1);
  return `${sign}${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

// moment is a time of the trace with enough digits to tell steps apart.
export function moment(ns: number, step: number): string {
  const size = Math.max(Math.abs(ns), step);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "us"] : [1, "ns"];
  const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / Math.max(step, 1)) - 1e-9)));
  return `${(ns / unit).toFixed(digits)} ${name}`;
}

export function bytes(n: number): string {
  return scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
}

export function rate(bytesPerSecond: number): string {
  return scaled(bytesPerSecond, 1000, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]);
}

// flops are operations of floating point in a second.
export function flops(perSecond: number): string {
  return scaled(perSecond, 1000, ["FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"]);
}

// figure is a sampled figure in its unit: 180%, 312 W, 5 GiB, 41 C, 1980 MHz.
export function figure(value: number, unit: string): string {
  switch (unit) {
    case "%": return `${fixed(value, 0)}%`;
    case "B": return bytes(value);
    case "mW": return `${fixed(value / 1000, 0)} W`;
    case "Cel": return `${fixed(value, 0)} C`;
  }
  return `${fixed(value, 0)} ${unit}`;
}

export function fraction(of1: number): string {
  return `${fixed(of1 * 100, 1)}%`;
}

export function count(n: number): string {
  return Number.isInteger(n) ? String(n) : digits(n);
}

export type Unit = "text" | "count" | "ns" | "time" | "bytes" | "bytes/s" | "fraction" | "address" | "variables" | "";

// few is a list of variables for a line: the first three, and how many there are beside.
// Commas in brackets are parts of names.
export function few(text: string): string {
  const names = text.replaceAll("->", "\u2192").split(/, (?![^<([]*[>)\]])/).map((name) => name.replaceAll("\u2192", "->"));
  return names.length <= 4 ? text : `${names.slice(0, 3).join(", ")} (+${names.length - 3})`;
}

export function show(value: unknown, unit: Unit): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  switch (unit) {
    case "ns": return duration(value);
    case "time": return moment(value, Math.max(Math.abs(value) / 1e6, 1));
    case "bytes": return bytes(value);
    case "bytes/s": return rate(value);
    case "fraction": return fraction(value);
    case "address": return `0x${value.toString(16)}`;
    case "count": return count(value);
  }
  return String(value);
}

// withoutOuter is a text without the outermost of the namespaces or classes that a C++ name in
// it begins with, whatever words stand before that; undefined where none does.
export function withoutOuter(text: string): string | undefined {
  let depth = 0;
  let begin = 0; // of the word
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === "<" || c === "{" || c === "(" && (depth > 0 || text.startsWith("(anonymous namespace)", i))) depth++;
    else if ((c === ">" || c === "}" || c === ")") && depth > 0) depth--;
    else if (depth > 0) continue;
    else if (c === "(") return undefined;
    else if (c === " ") begin = i + 1;
    else if (c === ":" && text[i + 1] === ":" && i > begin) return text.slice(0, begin) + text.slice(i + 2);
  }
  return undefined;
}
