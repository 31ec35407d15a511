// Colours of blocks: the same thing has the same colour everywhere.
import type { Label } from "./api";
import type { ColourMode } from "./state";

// A hue for each kind of event; related ones are near each other.
const hues: Record<string, [number, number]> = {
  compute_construct: [213, 45], enqueue_launch: [213, 75], kernel: [213, 75],
  enqueue_upload: [140, 60], upload: [140, 60], enqueue_download: [30, 85], download: [30, 85],
  copy: [80, 55], fill: [60, 55], enter_data: [165, 35], exit_data: [20, 35], update: [95, 40], wait: [350, 60],
  device_init: [275, 40], device_shutdown: [290, 35], runtime_shutdown: [290, 35],
  create: [170, 50], delete: [15, 55], alloc: [190, 50], free: [330, 45], error: [0, 90],
};

export function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}

export function named(text: string): string {
  const n = hash(text);
  return hsl(n % 360, 45 + ((n >>> 9) % 30), isDark() ? 48 + ((n >>> 17) % 12) : 62 + ((n >>> 17) % 12));
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
      return label.kind === "kernel" || label.kind === "enqueue_launch" ? named(label.name || label.kind) : grey;
    case "variable":
      return transfers.has(label.kind) && label.name ? named(label.name) : grey;
    case "source":
      return label.source ? named(label.source) : grey;
  }
  const known = hues[label.kind];
  if (!known) return named(label.kind);
  return hsl(known[0], known[1], dark ? 50 : 68);
}

// Text on any of these colours.
export const onColour = "#0b0e12";

export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
