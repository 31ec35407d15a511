// Sources: what each line cost.
import { get, type Cost, type Source, type SourceFile } from "../api";
import { met } from "../counters";
import { h, message, show } from "../dom";
import { bytes, duration } from "../format";
import { Pace, type View } from "../grown";
import { coloured, Highlighter } from "../source";
import { change, state } from "../state";
import { table } from "../table";

export function sourcesView(): View {
  const place = h("div");
  const names = h("div");
  const note = h("span");
  const text = h("div");
  const split = h("div", { class: "split" }, names, text);
  let file = "";
  const load = (again: boolean): Promise<void> => show(place, async () => {
    const files = await get<SourceFile[]>("sources", { trace: state.trace });
    if (files.length === 0) return [h("p", { class: "empty" }, "The trace names no sources. They are known where the program has debug information (gcc -g), or where its runtime tells them.")];
    const chosen = files.find((f) => f.file === state.file) ?? files[0]!;
    const same = again && file === chosen.file;
    file = chosen.file;
    const draw = (keep: boolean): void => void show(text, async () => [chosen.counted.length > 0 && heatChoice(chosen, () => draw(true)), ...(await lines(chosen, keep))], keep);
    draw(same);
    const sampled = files.some((f) => f.sampled > 0);
    note.textContent = sampled ? " Sampled is processor time at the line itself." : "";
    const common = folder(files.map((f) => f.file));
    const list = table({ label: "Sources", empty: "", rows: files.map((f) => [f.file.slice(common.length), f.exclusive, f.device || null, ...(sampled ? [f.sampled || null] : []), f.file]), goTitle: "Show this source",
      columns: [{ title: "file", unit: "text" }, { title: "host", unit: "ns", meter: true }, { title: "device", unit: "ns", meter: true },
        ...(sampled ? [{ title: "sampled", unit: "ns", meter: true } as const] : [])],
      here: (row) => row.at(-1) === chosen.file, go: (row) => change({ view: "sources", file: String(row.at(-1)), line: undefined }, true) });
    await show(names, async () => [common !== "" && h("p", { class: "note" }, `in ${common}`), list], again);
    return [split];
  }, again);
  const element = h("div", { class: "view" }, h("h1", {}, "Sources"),
    h("p", { class: "note" }, "By line: time of the host's threads without what is nested inside, and, beside it, time of the device. The darker a line, the more of either it took. A line with costs leads to its events in the timeline.", note), place);
  const pace = new Pace(element, load);
  void pace.load();
  return { element, grow: (_, ended) => pace.grow(ended) };
}

// folder is what the paths have in common, to a slash; "" where some are relative.
function folder(paths: string[]): string {
  let common = paths[0]!.slice(0, paths[0]!.lastIndexOf("/") + 1);
  for (const p of paths) while (!p.startsWith(common)) common = common.length < 2 ? "" : common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  return common;
}

// heatChoice chooses what lines are coloured by: their times, or what kernels did there.
function heatChoice(f: SourceFile, draw: () => void): HTMLElement {
  const choice = h("select", { "aria-label": "Heat by", onchange: () => {
    change({ heat: choice.value === "" ? undefined : choice.value });
    draw();
  } }, h("option", { value: "" }, "time"), ...met(f.counted).map((c) => h("option", { value: c.key, selected: c.key === state.heat }, c.title)));
  return h("div", { class: "bar" }, h("label", {}, "Heat by ", choice));
}

// lines is the text of a source with its costs; again says that it is shown already, so
// that it stays scrolled as it is.
async function lines(f: SourceFile, again: boolean): Promise<HTMLElement[]> {
  const costs = new Map(f.lines.map((c) => [c.line, c]));
  const go = (c: Cost): void => change({ view: "timeline", search: `${f.file}:${c.line}` });
  let s: Source;
  try {
    s = await get<Source>("source", { trace: state.trace, file: f.file });
  } catch (error) {
    return [h("p", { class: "error", role: "alert" }, message(error)),
      f.lines.length === 0 && f.counted.length > 0 ? h("p", { class: "note" }, "Only kernels have code from there: the view Inside kernels has its lines.") :
      table({ label: f.file, empty: "", rows: f.lines.map((c) => [c.line, c.count, c.exclusive, c.device || null, c.bytes || null, c.sampled || null]), sort: 2,
        columns: [{ title: "line", unit: "" }, { title: "events", unit: "count" }, { title: "host", unit: "ns", meter: true }, { title: "device", unit: "ns", meter: true }, { title: "moved", unit: "bytes" }, { title: "sampled", unit: "ns", meter: true }],
        go: (row) => go(costs.get(row[0] as number)!) })];
  }
  const counted = new Map(f.counted.map((l) => [l.line, l]));
  const counter = met(f.counted).find((c) => c.key === state.heat);
  const heaviest = counter ? Math.max(...f.counted.map((l) => counter.heat(l.values)), 1) : 1;
  const time = (c: Cost): number => Math.max(c.exclusive, c.device, c.sampled);
  const most = f.lines.reduce((longest, c) => Math.max(longest, time(c)), 1);
  const hottest = f.lines.filter((c) => c.line > 0).reduce<Cost | undefined>((best, c) => (!best || time(c) > time(best) ? c : best), undefined)?.line;
  const here = state.line ?? (counter ? f.counted.find((l) => l.line > 0 && counter.heat(l.values) === heaviest)?.line : undefined) ?? hottest;
  const highlighter = new Highlighter(f.file);
  const cell = (text: string, share = 0): HTMLElement => {
    const c = h("span", { class: "c" }, text);
    if (share > 0) {
      c.classList.add("hot");
      c.style.setProperty("--heat", `${Math.round(8 + 62 * Math.sqrt(share))}%`);
    }
    return c;
  };
  const sampled = f.sampled > 0;
  const beside = (text: string, share = 0): HTMLElement => {
    const c = cell(text, share);
    c.classList.add("counter");
    return c;
  };
  const heading = h("div", { class: "row heading" }, cell("host"), cell("device"), sampled && cell("sampled"), cell("moved"), counter && beside(counter.title), h("span", { class: "n" }, ""), h("b", {}, f.file));
  const rows = s.lines.map((text, i) => {
    const number = s.first + i;
    const c = costs.get(number);
    const did = counter && counted.get(number);
    const heat = (of: number): number => (counter ? 0 : of / most);
    const row = h("div", { class: `row${c ? " cost" : ""}${number === here ? " here" : ""}`, tabindex: c ? 0 : undefined, role: c ? "link" : undefined,
      title: c ? "Show in the timeline" : undefined },
      cell(c && c.count > 0 ? duration(c.exclusive) : "", c ? heat(c.exclusive) : 0), cell(c?.device ? duration(c.device) : "", c ? heat(c.device) : 0),
      sampled && cell(c?.sampled ? duration(c.sampled) : "", c ? heat(c.sampled) : 0), cell(c?.bytes ? bytes(c.bytes) : ""),
      counter && beside(did ? counter.text(did.values) : "", did ? counter.heat(did.values) / heaviest : 0),
      h("span", { class: "n" }, String(number)), coloured(highlighter.line(text)), did && did.says !== "" && h("span", { class: "says" }, did.says));
    if (c) {
      row.addEventListener("click", () => go(c));
      row.addEventListener("keydown", (e) => e.key === "Enter" && go(c));
    }
    return row;
  });
  const body = h("pre", { class: "source whole", tabindex: 0, role: "region", "aria-label": f.file }, heading, ...rows);
  if (!again) setTimeout(() => {
    const row = rows[(here ?? 0) - 1];
    if (row) body.scrollTop = row.offsetTop - body.clientHeight / 2;
  });
  const unknown = costs.get(-1);
  return [s.newer ? h("p", { class: "note" }, "The file is newer than the run: lines may have moved.") : h("span"),
    counter ? h("p", { class: "note" }, `In kernels; the darker a line, the more ${counter.about}.`) : h("span"),
    unknown ? h("p", { class: "note" }, `${duration(unknown.exclusive)} of the host at no known line.`) : h("span"), body];
}
