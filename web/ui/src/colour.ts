// Colours of blocks: the same thing has the same colour everywhere.
import type { Label } from "./api";
import type { ColourMode } from "./state";

// A hue and a saturation for each kind of event, as the terminal has them: kernels
// are green, uploads blue, downloads purple, waits amber; what only enqueues one of
// them, or holds them, is a weaker tone of it.
// What is the program's own stands apart from these.
const hues: Record<string, [number, number]> = {
  kernel: [138, 54], enqueue_launch: [138, 40], compute_construct: [138, 16],
  upload: [212, 65], enqueue_upload: [212, 45], enter_data: [212, 20], create: [200, 35], alloc: [195, 30],
  download: [284, 50], enqueue_download: [284, 36], exit_data: [284, 18], delete: [300, 28], free: [310, 24], update: [245, 26],
  copy: [185, 55], fill: [175, 35], wait: [40, 80],
  device_init: [222, 10], device_shutdown: [222, 10], runtime_shutdown: [222, 10], error: [0, 90],
  frame: [72, 26], range: [96, 22], mark: [60, 65], mpi: [334, 48],
};

export function isKind(text: string): boolean {
  return text in hues;
}

// What kinds are called in a legend, in its order; what differs in tone only stands together.
export const kindNames: [string, string[]][] = [
  ["kernel", ["kernel", "enqueue_launch"]], ["upload", ["upload", "enqueue_upload"]], ["download", ["download", "enqueue_download"]],
  ["copy", ["copy", "fill"]], ["wait", ["wait"]], ["compute construct", ["compute_construct"]], ["enter data", ["enter_data", "create", "alloc"]],
  ["exit data", ["exit_data", "delete", "free"]], ["update", ["update"]], ["device init", ["device_init", "device_shutdown", "runtime_shutdown"]], ["error", ["error"]],
  ["MPI", ["mpi"]], ["range", ["range"]], ["frame", ["frame"]], ["mark", ["mark"]],
];

// Fonts come with the page (page.css).
export function font(pixels: number, weight = 400): string {
  return `${weight} ${pixels}px Inter, system-ui, sans-serif`;
}

// kindColour is that of a kind of event.
export function kindColour(kind: string): string {
  return colour({ text: "", kind, name: "", source: "" }, "kind");
}

export function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}

// The hues that names have got, in each family of names that stand beside each other.
const given = new Map<string, Map<string, number>>();

// hueOf gives a name the hue that its text says, or where another name of its family is
// near that, the middle of the widest gap.
export function hueOf(text: string, family: string): number {
  const hues = given.get(family) ?? new Map<string, number>();
  given.set(family, hues);
  const known = hues.get(text);
  if (known !== undefined) return known;
  let hue = hash(text) % 360;
  const used = [...hues.values()].sort((a, b) => a - b);
  const near = Math.min(25, 180 / (used.length + 1));
  if (used.some((u) => Math.min(Math.abs(u - hue), 360 - Math.abs(u - hue)) < near)) {
    let widest = 0;
    used.forEach((u, i) => {
      const gap = (used[i + 1] ?? used[0]! + 360) - u;
      if (gap > widest) [widest, hue] = [gap, (u + gap / 2) % 360];
    });
  }
  hues.set(text, hue);
  return hue;
}

export function named(text: string, family = "names"): string {
  const n = hash(text);
  return hsl(Math.round(hueOf(text, family)), 45 + ((n >>> 9) % 30), isDark() ? 48 + ((n >>> 17) % 12) : 62 + ((n >>> 17) % 12));
}

function hsl(hue: number, saturation: number, lightness: number): string {
  return `hsl(${hue} ${saturation}% ${lightness}%)`;
}

const transfers = new Set(["enqueue_upload", "enqueue_download", "upload", "download", "create", "delete", "alloc", "free"]);

export function colour(label: Label, mode: ColourMode): string {
  const dark = isDark();
  const grey = dark ? "#4a515c" : "#c5cad2";
  switch (mode) {
    case "kernel":
      return label.kind === "kernel" || label.kind === "enqueue_launch" ? named(label.name || label.kind, "kernels") : grey;
    case "variable":
      return transfers.has(label.kind) && label.name ? named(label.name, "variables") : grey;
    case "source":
      return label.source ? named(label.source, "sources") : grey;
  }
  const known = hues[label.kind];
  if (!known) return named(label.kind);
  return hsl(known[0], known[1], dark ? 52 : 64);
}

// Text on any of these colours.
export const onColour = "#0b0e12";

export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
