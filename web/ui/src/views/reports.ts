// Kernels and transfers: the report's tables, linked with the timeline.
import { get, type Report, type Table } from "../api";
import { h, show } from "../dom";
import { change, state } from "../state";
import { table } from "../table";
import { histogram } from "./histogram";

// reportView leaves out the warnings that the page shows anyhow.
export function reportView(told: () => string[], title: string, keys: string[], nameColumn: number): HTMLElement {
  const place = h("div");
  let part = false;
  const load = (): void => void show(place, async () => {
    const range = part && state.from !== undefined ? { from: Math.floor(state.from), to: Math.ceil(state.to!) } : {};
    const report = await get<Report>("report", { trace: state.trace, top: 5000, ...range });
    return [...report.warnings.filter((w) => !told().includes(w)).map((w) => h("p", { class: "error" }, w)),
      ...durations(report.tables.find((t) => keys[0] === "kernels" && t.key === "kernels"), range),
      ...keys.flatMap((key) => report.tables.filter((t) => t.key === key)).flatMap((t, i) => section(t, i === 0 ? nameColumn : 0))];
  });
  const window = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
    part = !part;
    window.setAttribute("aria-pressed", String(part));
    load();
  } }, "Only what the timeline shows");
  load();
  return h("div", { class: "view" }, h("h1", {}, title), state.from !== undefined && h("div", { class: "bar" }, window), place);
}

// durations is the histogram of a kernel of the table: of the one that is searched for,
// or the first.
function durations(t: Table | undefined, range: { from?: number; to?: number }): HTMLElement[] {
  const measured = t?.columns.findIndex((c) => c.key === "device_ns") ?? -1;
  const names = [...new Set(t?.rows.filter((r) => measured >= 0 && r[measured] !== null).map((r) => String(r[0] ?? "")))].filter((name) => name !== "");
  if (names.length === 0) return [];
  const place = h("div");
  const choose = (name: string): void => place.replaceChildren(histogram(name, range));
  const choice = h("select", { "aria-label": "Kernel", onchange: () => choose(choice.value) },
    ...names.map((name) => h("option", { value: name, selected: name === state.search }, name)));
  choose(choice.value);
  return [h("div", { class: "bar" }, h("label", {}, "Kernel ", choice)), place];
}

function section(t: Table, nameColumn: number): HTMLElement[] {
  const named = ["kernel", "variable", "event"].includes(t.columns[nameColumn]?.key ?? "");
  return [h("h2", {}, t.title), h("p", { class: "note" }, t.note),
    table({ label: t.title, rows: t.rows, empty: t.empty || "There are none.", goTitle: "Show in the timeline",
      columns: t.columns.map((c) => ({ title: c.title, unit: c.unit, meter: c.unit === "ns" && /(^device_ns|exclusive_ns|^time_ns)$/.test(c.key) })),
      here: (row) => state.search !== "" && row[nameColumn] === state.search,
      go: named ? (row) => change({ view: "timeline", search: String(row[nameColumn] ?? "") }) : undefined })];
}
