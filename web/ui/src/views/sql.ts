// SQL: statements of the user's own on the trace.
import { address, get, type Sql, type ViewInfo } from "../api";
import { clear, h, link, show } from "../dom";
import { count, duration } from "../format";
import { change, state } from "../state";
import { table } from "../table";

const examples: [string, string][] = [
  ["kernels", "SELECT kernel, count(*) AS launches, sum(device_time) AS device_time\nFROM kernels GROUP BY kernel ORDER BY 3 DESC"],
  ["transfers", "SELECT direction, variable, source_file, line, count(*) AS count, sum(bytes) AS bytes\nFROM transfers GROUP BY 1, 2, 3, 4 ORDER BY bytes DESC"],
  ["waits", "SELECT async_queue, count(*) AS waits, sum(duration) AS blocked, max(duration) AS longest\nFROM waits GROUP BY 1 ORDER BY blocked DESC"],
  ["longest spans", "SELECT record, kind, name, source_file, line, start, duration\nFROM spans ORDER BY duration DESC LIMIT 50"],
  ["allocations", "SELECT variable, kind, bytes, lifetime, source_file, line\nFROM allocations ORDER BY bytes DESC LIMIT 100"],
  ["gaps on a queue", "SELECT async_queue, start, start - lag(end) OVER (PARTITION BY queue ORDER BY start) AS idle, kind, name\nFROM device_activity ORDER BY idle DESC LIMIT 50"],
  ["errors", "SELECT time, error_code, message, source_file, line FROM errors"],
];

const words = ("SELECT FROM WHERE GROUP BY ORDER LIMIT HAVING JOIN LEFT ON AS AND OR NOT IN IS NULL LIKE BETWEEN CASE WHEN THEN ELSE END DISTINCT UNION ALL WITH DESC ASC OVER PARTITION " +
  "count( sum( avg( min( max( total( coalesce( round( length( substr( lag( lead( row_number( demangled(").split(" ");

export function sqlView(): HTMLElement {
  const text = h("textarea", { class: "sql", "aria-label": "SQL statement", spellcheck: "false", autocomplete: "off", "aria-autocomplete": "list", rows: 6 });
  text.value = state.sql ?? examples[0]![1];
  const rows = h("input", { type: "number", min: 1, max: 100000, value: 1000, "aria-label": "Rows at most" });
  const result = h("div", { "aria-live": "polite" });
  const csv = h("a", { download: "accscope.csv", href: "#" }, "as CSV");
  const known = h("div", { class: "schema" });
  let views: ViewInfo[] = [];
  const query = (): Record<string, string | number> => ({ trace: state.trace, sql: text.value, rows: Number(rows.value) || 1000 });
  const run = (): void => {
    change({ sql: text.value });
    void show(result, async () => {
      const s = await get<Sql>("sql", query());
      const record = s.columns.indexOf("record");
      const cells = s.rows.map((r) => r.map((v) => (v === null ? "NULL" : v)));
      return [h("p", { class: "note" }, `${count(s.rows.length)} ${s.rows.length === 1 ? "row" : "rows"} in ${duration(s.seconds * 1e9)}${s.limit ? `: ${s.limit}` : ""}`),
        table({ label: "Result", empty: "The statement gave no rows.", rows: cells, columns: s.columns.map((c) => ({ title: c, unit: "" })),
          go: record < 0 ? undefined : (row) => typeof row[record] === "number" && change({ view: "timeline", selected: `r${row[record]}` }) })];
    });
  };
  const insert = (word: string): void => {
    text.setRangeText(word, text.selectionStart, text.selectionEnd, "end");
    text.focus();
  };
  csv.addEventListener("click", () => (csv.href = address("sql", { ...query(), format: "csv" })));
  const completion = complete(text, () => views, run);
  void show(known, async () => {
    views = await get<ViewInfo[]>("schema", { trace: state.trace });
    return views.map((v) => h("details", {}, h("summary", {}, v.name), h("ul", {}, h("li", {}, link("SELECT … LIMIT 100", () => {
      text.value = `SELECT * FROM ${v.name} LIMIT 100`;
      run();
    })), ...v.columns.map((c) => h("li", {}, link(c, () => insert(c)))))));
  });
  if (state.sql) run();
  return h("div", { class: "view" }, h("h1", {}, "SQL"),
    h("p", { class: "note" }, "One SELECT on the trace's views, read-only, at most 10 seconds. Times are nanoseconds since the trace's begin, sizes bytes. Ctrl+Enter runs it, Tab completes."),
    h("div", { class: "split sql" }, h("section", { "aria-label": "Views and columns" }, h("h2", {}, "Views"), known),
      h("div", {}, h("div", { class: "bar" }, "Examples:", ...examples.map(([name, sql]) => link(name, () => {
        text.value = sql;
        run();
      }))), h("div", { class: "editor" }, text, completion),
      h("div", { class: "bar" }, h("button", { class: "primary", type: "button", onclick: run }, "Run"), h("label", {}, "at most ", rows, " rows"), csv), result)));
}

// complete offers the words that begin as the one before the cursor does: columns of
// the views that the statement names first, then views, then SQL's own.
function complete(text: HTMLTextAreaElement, views: () => ViewInfo[], run: () => void): HTMLElement {
  const list = h("ul", { class: "completion", role: "listbox", hidden: true, id: "completion" });
  text.setAttribute("aria-controls", "completion");
  let offered: string[] = [];
  let chosen = 0;
  let walked = false; // by the arrow keys: Enter takes what they chose
  const begun = (): string => /[A-Za-z_][\w]*$/.exec(text.value.slice(0, text.selectionStart))?.[0] ?? "";
  const hide = (): void => {
    list.hidden = true;
    offered = [];
  };
  const take = (word: string): void => {
    text.setRangeText(word, text.selectionStart - begun().length, text.selectionStart, "end");
    hide();
    text.focus();
  };
  const draw = (): void => {
    list.hidden = offered.length === 0;
    clear(list, ...offered.map((word, i) => h("li", { role: "option", "aria-selected": i === chosen ? "true" : "false", onpointerdown: (e: Event) => {
      e.preventDefault();
      take(word);
    } }, word)));
    list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  };
  const offer = (any: boolean): void => {
    const start = begun().toLowerCase();
    if (start === "" && !any) return hide();
    const named = views().filter((v) => new RegExp(`\\b${v.name}\\b`, "i").test(text.value));
    const all = [...named.flatMap((v) => v.columns), ...views().map((v) => v.name), ...(named.length > 0 ? [] : views().flatMap((v) => v.columns)), ...words];
    offered = [...new Set(all)].filter((w) => w.toLowerCase().startsWith(start) && w.toLowerCase() !== start).slice(0, 12);
    chosen = 0;
    walked = false;
    draw();
  };
  text.addEventListener("input", () => offer(false));
  text.addEventListener("blur", hide);
  text.addEventListener("click", hide);
  text.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      hide();
      run();
      return;
    }
    if (offered.length === 0) {
      if (e.key === " " && e.ctrlKey) {
        e.preventDefault();
        offer(true);
      }
      return;
    }
    if (e.key === "Tab" || (e.key === "Enter" && walked)) take(offered[chosen]!);
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      walked = true;
      chosen = (chosen + (e.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length;
      draw();
    } else if (e.key === "Escape") hide();
    else {
      if (e.key === "Enter") hide();
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  });
  return list;
}
