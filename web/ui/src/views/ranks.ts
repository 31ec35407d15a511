// Ranks: time by rank as a heat map, of many the median and those that stand out; what is not
// balanced, and what the slowest one's time went to.
import { get, type Overview, type RankMap, type Report } from "../api";
import { token } from "../colour";
import { h, link, show } from "../dom";
import { count, duration, fraction } from "../format";
import { Pace, type View } from "../grown";
import { state } from "../state";
import { table } from "../table";
import { chart } from "./chart";

export function ranksView(o: Overview): View {
  const place = h("div");
  const tables = h("div");
  let one: number | undefined;
  const choice = h("input", { type: "text", placeholder: "all", "aria-label": "Ranks", size: 16, onchange: () => void map(false) });
  // What the timeline shows, if that is a part of the trace.
  const range = (): Record<string, number> => (state.from !== undefined ? { from: Math.floor(state.from), to: Math.ceil(state.to!) } : {});
  const map = (again: boolean): Promise<void> => show(place, async () =>
    heat(o, await get<RankMap>("ranks", { trace: state.trace, pixels: 400, ranks: choice.value.trim(), ...range() }), pick), again);
  const below = (again: boolean): Promise<void> => show(tables, async () => {
    const what = one === undefined ? { tables: "imbalance,critical_path" } : { rank: one, by: "kernel" };
    const report = await get<Report>("report", { trace: state.trace, top: 100, ...what, ...range() });
    return [one !== undefined && h("p", {}, `Rank ${one}. `, link("Back to all ranks", () => pick(undefined))),
      ...report.tables.flatMap((t) => [h("h2", {}, t.title), h("p", { class: "note" }, t.note),
        table({ label: t.title, rows: t.rows, empty: t.empty || "There are none.", columns: t.columns.map((c) => ({ title: c.title, unit: c.unit, meter: c.unit === "ns" && /(^device_ns|^time_ns|^max_ns)$/.test(c.key) })) })])];
  }, again);
  const pick = (rank: number | undefined): void => {
    one = rank;
    void below(false);
  };
  const load = (again = false): Promise<unknown> => Promise.all([map(again), below(again)]);
  const element = h("div", { class: "view" }, h("h1", {}, "Ranks"), h("div", { class: "bar" }, h("label", {}, "Ranks (0-15,617) ", choice)), place, tables);
  const pace = new Pace(element, load);
  void pace.load();
  return { element, grow(now, ended) {
    o = now;
    pace.grow(ended);
  } };
}

function heat(o: Overview, m: RankMap, pick: (rank: number) => void): HTMLElement[] {
  if (m.ranks === 0) return [h("p", { class: "empty" }, "The trace is of no MPI job, or of none of these ranks.")];
  const named = (name: HTMLElement | string, host: string, busy: number, use: number[]): HTMLElement =>
    h("tr", {}, h("td", {}, name), h("td", {}, host), h("td", { class: "num" }, duration(busy)), h("td", { class: "num" }, m.median_busy > 0 ? fraction(busy / m.median_busy) : "-"),
      h("td", {}, row(use, `How busy over time: ${fraction(use.reduce((a, b) => a + b, 0) / Math.max(use.length, 1))} on average`)));
  const what = m.device ? "devices were busy" : "host threads were in constructs and routines";
  return [h("p", { class: "note" }, `How much of the time ${what}: the more, the darker. From ${duration(m.from)} to ${duration(m.to)} of the trace${o.clocks !== "" ? `; clocks of other hosts: ${o.clocks}` : ""}.`,
      m.folded ? ` Of ${count(m.ranks)} ranks those whose time in the whole run is farthest from the median are shown; the median over time is of ${count(m.sampled)} of them.` : ""),
    h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "Ranks over time" }, h("table", {},
      h("thead", {}, h("tr", {}, ...["rank", "host", "busy time", "of the median", "over time"].map((t, i) => h("th", { scope: "col", class: i > 1 && i < 4 ? "num" : "" }, t)))),
      h("tbody", {}, m.rows.length > 1 && named(`median of ${count(m.ranks)}`, "", m.median_busy, m.median),
        ...m.rows.map((r) => named(link(`rank ${r.rank}`, () => pick(r.rank)), r.host, r.busy, r.use)))))];
}

// row is fractions as darker and lighter parts.
function row(values: number[], label: string): HTMLCanvasElement {
  return chart("strip heat", label, (c, width, height) => {
    c.fillStyle = token("raised");
    c.fillRect(0, 0, width, height);
    c.fillStyle = token("accent");
    const w = width / values.length;
    values.forEach((v, i) => {
      if (v <= 0) return;
      c.globalAlpha = Math.max(v, 0.08);
      c.fillRect(i * w, 0, Math.ceil(w), height);
    });
    c.globalAlpha = 1;
  });
}
