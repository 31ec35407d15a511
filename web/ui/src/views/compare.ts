// Compare: two traces side by side.
import { get, type Compare, type TraceInfo } from "../api";
import { h, show } from "../dom";
import { change, state } from "../state";
import { table, type Column } from "../table";

const dimensions: [string, string][] = [["kernel", "kernel"], ["variable", "variable"], ["source", "source line"], ["kind", "event"]];

export function compareView(traces: TraceInfo[]): HTMLElement {
  const view = h("div", { class: "view" }, h("h1", {}, "Compare"));
  if (traces.length < 2) {
    view.append(h("p", { class: "empty" }, "There is one trace. Start accscope serve with two to compare them: accscope serve before.db after.db"));
    return view;
  }
  const place = h("div");
  const choice = h("select", { "aria-label": "Compare by", onchange: () => change({ view: "compare", by: choice.value }, true) },
    ...dimensions.map(([value, text]) => h("option", { value, selected: state.by === value }, `by ${text}`)));
  view.append(h("p", { class: "note" }, `A is ${traces[0]!.name}, B is ${traces[1]!.name}. Host times leave out what is nested inside; red got slower from A to B, green faster. Greatest changes first.`),
    h("div", { class: "bar" }, choice), place);
  void show(place, async () => {
    const c = await get<Compare>("compare", { by: state.by ?? "kernel" });
    const change = (a: number, b: number): number | null => (a === 0 && b === 0 ? null : b - a);
    const colour = (column: number) => (row: unknown[]): string => {
      const d = row[column];
      return typeof d !== "number" || d === 0 ? "" : d > 0 ? "up" : "down";
    };
    const columns: Column[] = [{ title: dimensions.find(([d]) => d === c.by)?.[1] ?? c.by, unit: "text" },
      { title: "device A", unit: "ns" }, { title: "device B", unit: "ns" }, { title: "change", unit: "ns", class: colour(3) },
      { title: "host A", unit: "ns" }, { title: "host B", unit: "ns" }, { title: "change", unit: "ns", class: colour(6) },
      { title: "count A", unit: "count" }, { title: "count B", unit: "count" }, { title: "bytes A", unit: "bytes" }, { title: "bytes B", unit: "bytes" }];
    return [table({ label: "Comparison", columns, empty: "Neither trace has any.",
      rows: c.rows.map((r) => [r.name, r.device || null, r.other_device || null, change(r.device, r.other_device), r.host, r.other_host, change(r.host, r.other_host),
        r.count, r.other_count, r.bytes || null, r.other_bytes || null]) })];
  });
  return view;
}
