// Kernels and transfers: the report's tables, linked with the timeline.
import { get, type Report, type Table } from "../api";
import { clear, h, show } from "../dom";
import { Pace, type View } from "../grown";
import { change, state } from "../state";
import { table } from "../table";
import { histogram } from "./histogram";

// reportView leaves out the warnings that the page shows anyhow.
export function reportView(told: () => string[], title: string, keys: string[], nameColumn: number, counted = false): View {
  const place = h("div");
  let part = false;
  const graph = new Graph(counted);
  const load = (again: boolean): Promise<void> => show(place, async () => {
    const range = part && state.from !== undefined ? { from: Math.floor(state.from), to: Math.ceil(state.to!) } : {};
    const report = await get<Report>("report", { trace: state.trace, top: 5000, tables: keys.join(","), ...range });
    return [...report.warnings.filter((w) => !told().includes(w)).map((w) => h("p", { class: "error" }, w)),
      ...graph.of(report.tables.find((t) => keys[0] === "kernels" && t.key === "kernels"), range, again),
      ...keys.flatMap((key) => report.tables.filter((t) => t.key === key)).flatMap((t, i) => section(t, i === 0 ? nameColumn : 0))];
  }, again);
  const window = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
    part = !part;
    window.setAttribute("aria-pressed", String(part));
    void pace.load();
  } }, "Only what the timeline shows");
  const element = h("div", { class: "view" }, h("h1", {}, title), state.from !== undefined && h("div", { class: "bar" }, window), place);
  const pace = new Pace(element, load);
  void pace.load();
  return { element, grow: (_, ended) => pace.grow(ended) };
}

// Graph is the histogram of a kernel of the table: of the one that was chosen, or is
// searched for, or the first. It stays where the table is read again.
class Graph {
  private readonly place = h("div", { class: "histogram" });
  private range: { from?: number; to?: number } = {};
  private readonly choice = h("select", { "aria-label": "Kernel", onchange: () => void histogram(this.place, this.choice.value, this.range, false) });
  private readonly bar: HTMLElement;

  constructor(counted: boolean) {
    this.bar = h("div", { class: "bar" }, h("label", {}, "Kernel ", this.choice), counted && h("button", { type: "button", onclick: () => change({ view: "counted", kernel: this.choice.value }) }, "What its lines did"));
  }

  of(t: Table | undefined, range: { from?: number; to?: number }, again: boolean): HTMLElement[] {
    this.range = range;
    const measured = t?.columns.findIndex((c) => c.key === "device_ns") ?? -1;
    const names = [...new Set(t?.rows.filter((r) => measured >= 0 && r[measured] !== null).map((r) => String(r[0] ?? "")))].filter((name) => name !== "");
    if (names.length === 0) return [];
    const now = this.choice.value || state.search;
    clear(this.choice, ...names.map((name) => h("option", { value: name, selected: name === now }, name)));
    void histogram(this.place, this.choice.value, range, again && this.choice.value === now);
    return [this.bar, this.place];
  }
}

function section(t: Table, nameColumn: number): HTMLElement[] {
  const named = ["kernel", "variable", "event"].includes(t.columns[nameColumn]?.key ?? "");
  return [h("h2", {}, t.title), h("p", { class: "note" }, t.note),
    table({ label: t.title, omitted: t.omitted, rows: t.rows, empty: t.empty || "There are none.", goTitle: "Show in the timeline",
      columns: t.columns.map((c) => ({ title: c.title, unit: c.unit, meter: c.unit === "ns" && /(^device_ns|exclusive_ns|^time_ns)$/.test(c.key) })),
      here: (row) => state.search !== "" && row[nameColumn] === state.search,
      go: named ? (row) => change({ view: "timeline", search: String(row[nameColumn] ?? "") }) : undefined })];
}
