// SQL: statements of the user's own on the trace.
import { address, get, type Sql } from "../api";
import { h, link, show } from "../dom";
import { count } from "../format";
import { change, state } from "../state";
import { table } from "../table";

const examples: [string, string][] = [
  ["kernels", "SELECT kernel, count(*) AS launches, sum(device_time) AS device_time\nFROM kernels GROUP BY kernel ORDER BY 3 DESC"],
  ["transfers", "SELECT direction, variable, source_file, line, count(*) AS count, sum(bytes) AS bytes\nFROM transfers GROUP BY 1, 2, 3, 4 ORDER BY bytes DESC"],
  ["waits", "SELECT async_queue, count(*) AS waits, sum(duration) AS blocked, max(duration) AS longest\nFROM waits GROUP BY 1 ORDER BY blocked DESC"],
  ["longest spans", "SELECT record, kind, name, source_file, line, start, duration\nFROM spans ORDER BY duration DESC LIMIT 50"],
  ["allocations", "SELECT variable, kind, bytes, lifetime, source_file, line\nFROM allocations ORDER BY bytes DESC LIMIT 100"],
  ["errors", "SELECT time, error_code, message, source_file, line FROM errors"],
  ["views", "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name"],
];

export function sqlView(): HTMLElement {
  const text = h("textarea", { class: "sql", "aria-label": "SQL statement", spellcheck: "false" });
  text.value = state.sql ?? examples[0]![1];
  const rows = h("input", { type: "number", min: 1, max: 100000, value: 1000, "aria-label": "Rows at most" });
  const result = h("div", { "aria-live": "polite" });
  const csv = h("a", { download: "accscope.csv", href: "#" }, "as CSV");
  const query = (): Record<string, string | number> => ({ trace: state.trace, sql: text.value, rows: Number(rows.value) || 1000 });
  const run = (): void => {
    change({ sql: text.value });
    void show(result, async () => {
      const s = await get<Sql>("sql", query());
      const record = s.columns.indexOf("record");
      const cells = s.rows.map((r) => r.map((v) => (v === null ? "NULL" : v)));
      return [h("p", { class: "note" }, `${count(s.rows.length)} ${s.rows.length === 1 ? "row" : "rows"} in ${(s.seconds * 1000).toFixed(1)} ms${s.limit ? `: ${s.limit}` : ""}`),
        table({ label: "Result", empty: "The statement gave no rows.", rows: cells, columns: s.columns.map((c) => ({ title: c, unit: "" })),
          go: record < 0 ? undefined : (row) => typeof row[record] === "number" && change({ view: "timeline", selected: `r${row[record]}` }) })];
    });
  };
  csv.addEventListener("click", () => (csv.href = address("sql", { ...query(), format: "csv" })));
  text.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) run();
  });
  if (state.sql) run();
  return h("div", { class: "view" }, h("h1", {}, "SQL"),
    h("p", { class: "note" }, "One SELECT on the trace's views, read-only, at most 10 seconds. Times are nanoseconds since the trace's begin, sizes bytes. Ctrl+Enter runs it."),
    h("div", { class: "bar" }, "Examples:", ...examples.map(([name, sql]) => link(name, () => {
      text.value = sql;
      run();
    }))), text,
    h("div", { class: "bar" }, h("button", { class: "primary", type: "button", onclick: run }, "Run"), h("label", {}, "at most ", rows, " rows"), csv), result);
}
