// Sources: what each line cost.
import { get, type Cost, type Source, type SourceFile } from "../api";
import { h, show } from "../dom";
import { bytes, duration } from "../format";
import { change, state } from "../state";
import { table } from "../table";

export function sourcesView(): HTMLElement {
  const place = h("div");
  void show(place, async () => {
    const files = await get<SourceFile[]>("sources", { trace: state.trace });
    if (files.length === 0) return [h("p", { class: "empty" }, "The trace names no sources. They are known where the program has debug information (gcc -g), or where its runtime tells them.")];
    const chosen = files.find((f) => f.file === state.file) ?? files[0]!;
    const text = h("div");
    void show(text, () => lines(chosen));
    const list = table({ label: "Sources", empty: "", rows: files.map((f) => [f.file, f.exclusive, f.device || null]), goTitle: "Show this source",
      columns: [{ title: "file", unit: "text" }, { title: "host", unit: "ns", meter: true }, { title: "device", unit: "ns", meter: true }],
      here: (row) => row[0] === chosen.file, go: (row) => change({ view: "sources", file: String(row[0]), line: undefined }, true) });
    return [h("div", { class: "split" }, h("div", {}, list), text)];
  });
  return h("div", { class: "view" }, h("h1", {}, "Sources"),
    h("p", { class: "note" }, "By line: time of the host without what is nested inside, time on the device, bytes moved. A line with costs leads to its events in the timeline."), place);
}

async function lines(f: SourceFile): Promise<HTMLElement[]> {
  const costs = new Map(f.lines.map((c) => [c.line, c]));
  const go = (c: Cost): void => change({ view: "timeline", search: `${f.file}:${c.line}` });
  let s: Source;
  try {
    s = await get<Source>("source", { trace: state.trace, file: f.file });
  } catch (error) {
    return [h("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error)),
      table({ label: f.file, empty: "", rows: f.lines.map((c) => [c.line, c.count, c.exclusive, c.device || null, c.bytes || null]), sort: 2,
        columns: [{ title: "line", unit: "" }, { title: "events", unit: "count" }, { title: "host", unit: "ns", meter: true }, { title: "device", unit: "ns", meter: true }, { title: "moved", unit: "bytes" }],
        go: (row) => go(costs.get(row[0] as number)!) })];
  }
  const heading = h("div", { class: "row" }, h("span", { class: "c" }, "host"), h("span", { class: "c" }, "device"), h("span", { class: "c" }, "moved"), h("span", { class: "n" }, ""), h("b", {}, f.file));
  const rows = s.lines.map((text, i) => {
    const number = s.first + i;
    const c = costs.get(number);
    const row = h("div", { class: `row${c ? " cost" : ""}${number === state.line ? " here" : ""}`, tabindex: c ? 0 : undefined, role: c ? "link" : undefined,
      title: c ? "Show in the timeline" : undefined },
      h("span", { class: "c" }, c ? duration(c.exclusive) : ""), h("span", { class: "c" }, c?.device ? duration(c.device) : ""), h("span", { class: "c" }, c?.bytes ? bytes(c.bytes) : ""),
      h("span", { class: "n" }, String(number)), h("span", {}, text));
    if (c) {
      row.addEventListener("click", () => go(c));
      row.addEventListener("keydown", (e) => e.key === "Enter" && go(c));
    }
    return row;
  });
  setTimeout(() => rows[(state.line ?? 0) - 1]?.scrollIntoView({ block: "center" }));
  const unknown = costs.get(-1);
  return [s.newer ? h("p", { class: "note" }, "The file is newer than the run: lines may have moved.") : h("span"),
    unknown ? h("p", { class: "note" }, `${duration(unknown.exclusive)} of the host at no known line.`) : h("span"),
    h("pre", { class: "source" }, heading, ...rows)];
}
