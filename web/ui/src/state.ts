// What the page shows, kept in the fragment of its URL so that a view can be
// shared and the browser's back button works.

export const views = ["summary", "timeline", "memory", "queues", "kernels", "transfers", "flame", "sources", "sql", "compare", "ranks", "counted"] as const;
export type ViewName = (typeof views)[number];
export const colourModes = ["kind", "kernel", "variable", "source"] as const;
export type ColourMode = (typeof colourModes)[number];

export interface State {
  view: ViewName;
  trace: number;
  from?: number; // ns
  to?: number;
  selected?: string; // r and a record, or a and an activity
  range?: [number, number];
  colour: ColourMode;
  search: string;
  ranks: string; // of a job, that the timeline, memory and queues are limited to
  inside: string; // ranges or frames of the program's own that views are limited to
  file?: string;
  line?: number;
  sql?: string;
  by?: string;
  at?: number;
  kernel?: string; // the symbol, or the name, of the one that is looked into
  heat?: string; // the counter that lines are coloured by
}

function read(): State {
  const p = new URLSearchParams(location.hash.slice(1));
  const number = (name: string): number | undefined => {
    const n = Number(p.get(name) ?? NaN);
    return Number.isFinite(n) ? n : undefined;
  };
  const view = p.get("view") as ViewName;
  const colour = p.get("colour") as ColourMode;
  const from = number("from");
  const to = number("to");
  const begin = number("begin");
  const finish = number("finish");
  const selected = p.get("selected") ?? undefined;
  return {
    view: views.includes(view) ? view : p.has("selected") || p.has("from") ? "timeline" : "summary",
    colour: colourModes.includes(colour) ? colour : "kind",
    trace: number("trace") === 1 ? 1 : 0,
    from: from !== undefined && to !== undefined && to > from ? from : undefined,
    to: from !== undefined && to !== undefined && to > from ? to : undefined,
    range: begin !== undefined && finish !== undefined && finish > begin ? [begin, finish] : undefined,
    selected: selected && /^[ra][1-9]\d*$/.test(selected) ? selected : undefined,
    search: p.get("search") ?? "",
    inside: p.get("inside") ?? "",
    ranks: p.get("ranks") ?? "",
    file: p.get("file") ?? undefined,
    line: number("line"),
    sql: p.get("sql") ?? undefined,
    by: p.get("by") ?? undefined,
    at: number("at"),
    kernel: p.get("kernel") ?? undefined,
    heat: p.get("heat") ?? undefined,
  };
}

export let state: State = read();
const listeners: ((changed: Partial<State>) => void)[] = [];
let timer = 0;

export function onChange(f: (changed: Partial<State>) => void): void {
  listeners.push(f);
}

// change applies a change and tells everybody. A step is one for the back button.
export function change(to: Partial<State>, step = false): void {
  const viewChanged = to.view !== undefined && to.view !== state.view;
  state = { ...state, ...to };
  for (const f of listeners) f(to);
  if (viewChanged || step) write(true);
  else {
    clearTimeout(timer);
    timer = setTimeout(() => write(false), 250);
  }
}

function write(push: boolean): void {
  clearTimeout(timer);
  const p = new URLSearchParams();
  const set = (name: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== "") p.set(name, String(value));
  };
  set("view", state.view);
  if (state.trace) set("trace", state.trace);
  if (state.from !== undefined) {
    set("from", Math.round(state.from));
    set("to", Math.round(state.to!));
  }
  set("selected", state.selected);
  if (state.range) {
    set("begin", Math.round(state.range[0]));
    set("finish", Math.round(state.range[1]));
  }
  if (state.colour !== "kind") set("colour", state.colour);
  set("search", state.search);
  set("inside", state.inside);
  set("ranks", state.ranks);
  if (state.view === "sources") {
    set("file", state.file);
    set("line", state.line);
  }
  if (state.view === "sources") set("heat", state.heat);
  if (state.view === "counted") set("kernel", state.kernel);
  if (state.view === "sql") set("sql", state.sql);
  if (state.view === "compare") set("by", state.by);
  if (state.view === "memory") set("at", state.at);
  const hash = `#${p}`;
  if (hash === location.hash) return;
  if (push) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

addEventListener("popstate", () => {
  state = read();
  for (const f of listeners) f(state);
});
