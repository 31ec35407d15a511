// Compare: two traces side by side.
import { get, type Compare, type Difference, type Summary, type TraceInfo } from "../api";
import { h, show } from "../dom";
import { fraction, show as shown, type Unit } from "../format";
import { change, state } from "../state";
import { table, type Column } from "../table";

const dimensions: [string, string][] = [["kernel", "kernel"], ["variable", "variable"], ["source", "source line"], ["kind", "event"]];

export function compareView(traces: TraceInfo[]): HTMLElement {
  const view = h("div", { class: "view" }, h("h1", {}, "Compare"));
  if (traces.length < 2) {
    view.append(h("p", { class: "empty" }, "There is one trace. Drop another one into this page to compare it with, or start accscope serve with two: accscope serve before.db after.db"));
    return view;
  }
  const place = h("div");
  const choice = h("select", { "aria-label": "Compare by", onchange: () => change({ view: "compare", by: choice.value }, true) },
    ...dimensions.map(([value, text]) => h("option", { value, selected: state.by === value }, `by ${text}`)));
  view.append(h("p", { class: "note" }, `A is ${traces[0]!.name}, B is ${traces[1]!.name}. Changes are from A to B: red got more, green less.`), place);
  void show(place, async () => {
    const c = await get<Compare>("compare", { by: state.by ?? "kernel" });
    const cautions = c.cautions.map((text) => h("p", { class: "remark" }, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`));
    return [...cautions, h("h2", {}, "Totals"), totals(c), h("h2", {}, "What changed"),
      h("div", { class: "bar" }, choice, h("span", { class: "note" }, "Host times leave out what is nested inside. Greatest changes first.")), differences(c)];
  });
  return view;
}

// relative is a change as people read it: +12.3%, new, gone.
export function relative(a: number, b: number): string {
  if (a === b) return a === 0 ? "" : fraction(0);
  if (a === 0) return "new";
  if (b === 0) return "gone";
  return b > 10 * a ? `${(b / a).toFixed(1)} times` : `${b > a ? "+" : "-"}${fraction(Math.abs(b - a) / a)}`;
}

const direction = (a: number, b: number): string => (a === b ? "" : b > a ? "up" : "down");

function totals(c: Compare): HTMLElement {
  const [a, b] = c.summaries as [Summary, Summary];
  const lines: [string, number, number, Unit][] = [["wall time", a.wall, b.wall, "ns"], ["device busy", a.busy, b.busy, "ns"], ["kernels", a.kernels, b.kernels, "ns"],
    ["transfers", a.transfers, b.transfers, "ns"], ["waits of the host", a.waits, b.waits, "ns"], ["other OpenACC calls of the host", a.calls, b.calls, "ns"], ["peak memory", a.peak, b.peak, "bytes"]];
  const names: Record<string, [string, Unit]> = { launches: ["kernels launched", "count"], "transfers.count": ["copies", "count"], "transfers.bytes": ["bytes moved", "bytes"], mappings: ["mappings", "count"] };
  for (const t of c.totals) lines.push([names[t.metric]?.[0] ?? t.metric, t.value, t.other, names[t.metric]?.[1] ?? "count"]);
  return h("div", { class: "table-wrap fit", tabindex: 0, role: "region", "aria-label": "Totals" }, h("table", {},
    h("thead", {}, h("tr", {}, ...["", "A", "B", "change", ""].map((t, i) => h("th", { scope: "col", class: i > 0 ? "num" : "" }, t)))),
    h("tbody", {}, ...lines.filter(([, x, y]) => x > 0 || y > 0).map(([name, x, y, unit]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "num" }, shown(x, unit)), h("td", { class: "num" }, shown(y, unit)),
      h("td", { class: `num ${direction(x, y)}` }, signed(y - x, unit)), h("td", { class: `num ${direction(x, y)}` }, relative(x, y)))))));
}

function signed(value: number, unit: Unit): string {
  return value === 0 ? "-" : `${value > 0 ? "+" : "-"}${shown(Math.abs(value), unit)}`;
}

function differences(c: Compare): HTMLElement {
  const columns: Column[] = [{ title: dimensions.find(([d]) => d === c.by)?.[1] ?? c.by, unit: "text" }];
  const values: ((d: Difference) => unknown)[] = [(d) => d.name];
  const pair = (title: string, unit: Unit, a: (d: Difference) => number, b: (d: Difference) => number): void => {
    if (!c.rows.some((d) => a(d) !== 0 || b(d) !== 0)) return;
    const at = columns.length;
    const style = (row: unknown[]): string => direction(Number(row[at] ?? 0), Number(row[at + 1] ?? 0));
    columns.push({ title: `${title} A`, unit }, { title: "B", unit }, { title: "change", unit, class: style, text: (row) => (row[at + 2] === null ? "-" : signed(Number(row[at + 2]), unit)) },
      { title: "%", unit: "fraction", class: style, text: (row) => relative(Number(row[at] ?? 0), Number(row[at + 1] ?? 0)) });
    values.push((d) => a(d) || null, (d) => b(d) || null, (d) => (a(d) === 0 && b(d) === 0 ? null : b(d) - a(d)), (d) => (a(d) === 0 || b(d) === 0 ? null : (b(d) - a(d)) / a(d)));
  };
  pair("device", "ns", (d) => d.device, (d) => d.other_device);
  pair("host", "ns", (d) => d.host, (d) => d.other_host);
  pair("count", "count", (d) => d.count, (d) => d.other_count);
  pair("bytes", "bytes", (d) => d.bytes, (d) => d.other_bytes);
  return table({ label: "Comparison", omitted: c.omitted, columns, empty: "Neither trace has any.", rows: c.rows.map((d) => values.map((value) => value(d))) });
}
