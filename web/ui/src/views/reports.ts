// Kernels and transfers: the report's tables, linked with the timeline.
import { get, type Report, type Table } from "../api";
import { h, show } from "../dom";
import { change, state } from "../state";
import { table } from "../table";

// reportView leaves out the warnings that the page shows anyhow.
export function reportView(told: () => string[], title: string, keys: string[], nameColumn: number): HTMLElement {
  const place = h("div");
  let part = false;
  const load = (): void => void show(place, async () => {
    const range = part && state.from !== undefined ? { from: Math.max(Math.floor(state.from), 0), to: Math.ceil(state.to!) } : {};
    const report = await get<Report>("report", { trace: state.trace, top: 5000, ...range });
    return [...report.warnings.filter((w) => !told().includes(w)).map((w) => h("p", { class: "error" }, w)),
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

function section(t: Table, nameColumn: number): HTMLElement[] {
  const named = ["kernel", "variable", "event"].includes(t.columns[nameColumn]?.key ?? "");
  return [h("h2", {}, t.title), h("p", { class: "note" }, t.note),
    table({ label: t.title, rows: t.rows, empty: t.empty || "There are none.", goTitle: "Show in the timeline",
      columns: t.columns.map((c) => ({ title: c.title, unit: c.unit, meter: c.unit === "ns" && /(^device_ns|exclusive_ns|^time_ns)$/.test(c.key) })),
      here: (row) => state.search !== "" && row[nameColumn] === state.search,
      go: named ? (row) => change({ view: "timeline", search: String(row[nameColumn] ?? "") }) : undefined })];
}
