// A table that sorts by its columns and shows large results in steps.
import { h, clear, plain } from "./dom";
import { show, type Unit } from "./format";
import { state } from "./state";

export interface Column { title: string; unit: Unit; meter?: boolean; class?: (row: unknown[]) => string; text?: (row: unknown[]) => string }
export interface TableOptions {
  columns: Column[];
  rows: unknown[][];
  omitted?: number; // further rows, which the server left out
  empty: string;
  label: string;
  sort?: number; // column, descending
  go?: (row: unknown[]) => void; // what a row leads to
  goTitle?: string;
  here?: (row: unknown[]) => boolean; // the row to point out
}

const step = 200;

// How the user arranged tables, by view, label and columns: a table that is drawn anew,
// as its trace has grown, stays so.
interface Arrangement { by: number; down: boolean; shown: number }
const arrangements = new Map<string, Arrangement>();

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

export function table(o: TableOptions): HTMLElement {
  if (o.rows.length === 0) return h("p", { class: "empty" }, o.empty);
  const key = [state.view, o.label, ...o.columns.map((c) => c.title)].join("\n");
  let { by, down, shown } = arrangements.get(key) ?? { by: o.sort ?? -1, down: true, shown: step };
  const keep = (): void => {
    arrangements.set(key, { by, down, shown });
    draw();
  };
  const place = h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-label": o.label });
  const isText = (c: Column): boolean => ["text", "variables", ""].includes(c.unit);
  // Without a unit, what stands in a column says whether it holds numbers.
  const numbers = o.columns.map((c, i) => !isText(c) || (c.unit === "" && o.rows.some((r) => typeof r[i] === "number") &&
    o.rows.every((r) => typeof r[i] === "number" || r[i] === null || r[i] === "NULL")));
  const sorted = (): unknown[][] => {
    if (by < 0) return o.rows;
    const sign = down ? -1 : 1;
    return [...o.rows].sort((a, b) => {
      const [x, y] = [a[by], b[by]];
      if (x === y) return 0;
      if (x === null) return 1;
      if (y === null) return -1;
      if (typeof x === "number" && typeof y === "number") return sign * (x - y);
      return sign * String(x).localeCompare(String(y), "en", { numeric: true });
    });
  };
  const draw = (): void => {
    const rows = sorted();
    const most = o.columns.map((c, i) => (c.meter ? Math.max(...rows.slice(0, 5000).map((r) => Number(r[i]) || 0), 0) : 0));
    const head = h("tr", {}, ...o.columns.map((c, i) =>
      h("th", { class: numbers[i] ? "num" : "", scope: "col", "aria-sort": by === i ? (down ? "descending" : "ascending") : "none" },
        h("button", { type: "button", title: `Sort by ${c.title}`, onclick: () => {
          if (by === i) down = !down;
          else { by = i; down = numbers[i]!; }
          keep();
          place.querySelectorAll<HTMLElement>("th button")[i]?.focus(); // it is another one
        } }, c.title + (by === i ? (down ? " ↓" : " ↑") : "")))));
    const body = rows.slice(0, shown).map((row) => {
      const line = h("tr", { class: (o.go ? "go " : "") + (o.here?.(row) ? "here" : "") });
      o.columns.forEach((c, i) => {
        const text = shortened(c.text ? c.text(row) : show(row[i], c.unit), 300);
        const whole = c.unit === "variables" ? show(row[i], "text") : text;
        const number = numbers[i]!;
        const cell = h("td", { class: `${number ? "num" : "text"} ${c.class?.(row) ?? ""}`, title: number ? undefined : shortened(whole, 2000) });
        if (c.meter && most[i]! > 0 && typeof row[i] === "number") {
          const meter = h("span", { class: "meter", "aria-hidden": "true" });
          meter.style.width = `${Math.max(1, (50 * (row[i] as number)) / most[i]!)}px`;
          cell.append(meter);
        }
        if (i === 0 && o.go) cell.append(h("button", { class: "link", type: "button", title: o.goTitle ?? "Show in the timeline" }, text || "(no name)"));
        else cell.append(plain(text));
        line.append(cell);
      });
      if (o.go) line.addEventListener("click", () => o.go!(row));
      return line;
    });
    const more = rows.length > shown && h("tr", {}, h("td", { colspan: o.columns.length }, h("button", { type: "button", onclick: () => {
      shown += 5 * step;
      keep();
    } }, `${rows.length - shown} more rows`)));
    const left = o.omitted && h("tr", {}, h("td", { colspan: o.columns.length, class: "omitted" }, `${o.omitted} more are not listed`));
    clear(place, h("table", {}, h("thead", {}, head), h("tbody", {}, ...body, more, left || false)));
    place.querySelector("tr.here")?.scrollIntoView({ block: "nearest" });
  };
  draw();
  return place;
}
