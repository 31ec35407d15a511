// The summary: where the time went, what could be better, what cost most.
import { get, type CostRow, type Finding, type Findings, type Frames, type Overview, type Report, type Summary } from "../api";
import { kindColour, token } from "../colour";
import { clear, h, link, show } from "../dom";
import { bytes, count, duration, fraction } from "../format";
import { Pace, type View } from "../grown";
import { code } from "../source";
import { change, state } from "../state";
import { partsOf, Strip, type Window } from "../strip";
import { table } from "../table";
import { framesSection } from "./frames";

// askAgain is how long the page waits until it asks again for what is being looked for, ms.
const askAgain = 500;

// summaryView shows the trace as it is; grow is for one that got more, and for its end.
export function summaryView(o: Overview): View {
  const figures = h("div");
  const findings = h("div");
  const costs = h("div");
  const remarks = h("div");
  const messages = h("section", { hidden: true });
  let chosen: Window | undefined; // from the first to the last of the chosen frames or ranges
  const strip = new Strip(o, () => chosen, (from, to) => change({ view: "timeline", from, to }), () => 0);
  const parts = h("p", { class: "note" });
  const time = h("section", { class: "over-time" }, h("h2", {}, "Over time"), strip.element, parts);
  const own = framesSection();
  const element = h("div", { class: "view summary" }, figures, time, h("section", {}, h("h2", {}, state.inside === "" ? "What could be better" : "What could be better in the whole run"), findings), remarks, costs, messages, own.element);
  const load = (again: boolean): Promise<unknown> => {
    time.hidden = o.lanes.length === 0;
    const note = `${partsOf(o)}. Mark a part, or click, to see it in the timeline.`;
    parts.textContent = note;
    void strip.load(o);
    if (state.inside !== "") {
      void get<Frames>("frames", { trace: state.trace, inside: state.inside }).then((f) => {
        chosen = { from: f.from, to: Math.max(f.to, f.from + 1) };
        parts.textContent = `${note} What lies before and behind ${state.inside} is pale.`;
        strip.draw();
      }, () => undefined); // the summary says what is wrong with the choice
    }
    const summed = show(figures, async () => {
      const s = await get<Summary>("summary", { trace: state.trace });
      const said = s.remarks.filter((r) => !o.warnings.includes(r));
      clear(remarks, said.length > 0 && h("section", {}, h("h2", {}, "What stands out"), h("ul", { class: "remarks" }, ...said.map((r) => h("li", {}, sentence(r))))));
      costs.replaceChildren(...costTables(s));
      messages.hidden = s.mpi_ranks === 0;
      if (!messages.hidden) messages.replaceChildren(...await communication());
      return head(o, s);
    }, again);
    const looked = show(findings, async () => {
      const list = await found();
      if (list.length === 0) return [h("p", { class: "empty" }, "accscope advise finds nothing to mend: no data sent for nothing, no mapping that could stay, no wait that nothing needs.")];
      const most = list.slice(0, 5);
      const rest = list.slice(5);
      const open = findings.querySelector("details")?.open;
      return [h("ol", { class: "findings" }, ...most.map(findingItem)),
        rest.length > 0 && h("details", { open }, h("summary", {}, `${rest.length} more`), h("ol", { class: "findings", start: 6 }, ...rest.map(findingItem)))];
    }, again);
    return Promise.all([summed, looked, own.load(o, again)]);
  };
  // found waits until the trace has been looked through, and says how far that is.
  const found = async (): Promise<Finding[]> => {
    for (;;) {
      const f = await get<Findings>("findings", { trace: state.trace });
      if (f.read >= f.rules) return f.findings;
      findings.replaceChildren(h("p", { class: "loading", role: "status" }, `Looking through the trace: ${f.read} of ${f.rules} rules …`));
      await new Promise((again) => setTimeout(again, askAgain));
      if (!element.isConnected) return [];
    }
  };
  const pace = new Pace(element, load);
  void pace.load();
  return { element, grow(now, ended) {
    o = now;
    pace.grow(ended);
  } };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

// said is a finding as a sentence; a variable that it begins with is written as in the program.
const said = (f: Finding): string => (f.variable !== "" && f.what.startsWith(f.variable) && !/^\w/.test(f.what.slice(f.variable.length)) ? `${f.what}.` : sentence(f.what));

const percent = (part: number, whole: number): string => (whole > 0 ? fraction(part / whole) : "-");

function head(o: Overview, s: Summary): HTMLElement[] {
  const card = (value: string, text: string, go?: () => void): HTMLElement => h("div", { class: "card" }, h("b", {}, value), go ? link(text, go) : h("span", {}, text));
  const programs = [...new Set(o.processes.map((p) => p.program.split("/").pop() || "program"))];
  const whole = s.wall * Math.max(s.devices, 1);
  const cards = [card(duration(s.wall), state.inside === "" ? "wall time" : `wall time of ${state.inside}`)];
  if (s.devices > 0) cards.push(card(`${s.at_least ? "at least " : ""}${percent(s.busy, whole)}`, s.devices === 1 ? "device busy" : `${s.devices} devices busy`, () => change({ view: "queues" })));
  if (s.peak_device !== "") cards.push(card(bytes(s.peak), `peak memory${s.capacity > 0 ? ` of ${bytes(s.capacity)}` : ""}, ${s.peak_device}`, () => change({ view: "memory" })));
  if (s.threads > 0) cards.push(card(percent(Math.max(s.host - s.waits - s.calls, 0), s.host), s.threads === 1 ? "of the host outside of OpenACC" : `of ${count(s.threads)} threads outside of OpenACC`));
  const bars: HTMLElement[] = [];
  if (s.threads > 0) bars.push(shares(s.threads === 1 ? "Host" : `Host, ${count(s.threads)} threads`, s.host, [
    ["waiting", s.waits, kindColour("wait")], ["in other OpenACC calls", s.calls, kindColour("compute_construct")],
    ["outside of OpenACC", Math.max(s.host - s.waits - s.calls, 0), token("line")]]));
  if (s.devices > 0) {
    const both = s.at_least ? 0 : Math.max(s.kernels + s.transfers - s.busy, 0);
    const parts: [string, number, string][] = s.at_least ? [["busy, at least", s.busy, kindColour("kernel")]] : [
      ["kernels", s.kernels - both, kindColour("kernel")], ["kernels and transfers at once", both, kindColour("copy")], ["transfers", s.transfers - both, kindColour("upload")],
      ["other", Math.max(s.busy - s.kernels - s.transfers + both, 0), kindColour("fill")]];
    bars.push(shares(s.devices === 1 ? "Device" : `${s.devices} devices`, whole, [...parts, ["idle", Math.max(whole - s.busy, 0), token("line")]]));
  }
  if (s.mpi_ranks > 0) {
    const calls: [string, number, string][] = s.mpi_waiting ? [["calls, for late ranks", s.mpi_waited, kindColour("wait")], ["calls, transfer", Math.max(s.mpi_time - s.mpi_waited, 0), kindColour("mpi")]] : [["calls", s.mpi_time, kindColour("mpi")]];
    bars.push(shares(`MPI, ${count(s.mpi_ranks)} ranks from MPI_Init to MPI_Finalize`, s.mpi_whole, [...calls, ["computation", Math.max(s.mpi_whole - s.mpi_time, 0), token("line")]]));
  }
  return [h("h1", {}, programs.slice(0, 3).join(", ") || o.name),
    s.simulated ? h("p", { class: "remark" }, "Simulated device: times are not your GPU's.") : h("span"),
    h("div", { class: "cards" }, ...cards),
    o.clocks !== "" ? h("p", { class: "note" }, `Clocks of other hosts: ${o.clocks}.`) : h("span"),
    h("section", {}, h("h2", {}, "Where the time went"), ...bars,
      s.devices === 0 ? h("p", { class: "note" }, s.cost_kernels.length > 0 ? "The runtime measures no device times." : "No device was used: constructs on the host are what is measured.") : h("span"))];
}

// shares is a bar of parts of a whole, with what they are.
function shares(title: string, whole: number, parts: [string, number, string][]): HTMLElement {
  const shown = parts.filter(([, value]) => value > 0);
  const mark = (style: string): HTMLElement => {
    const i = h("i");
    i.style.background = style;
    return i;
  };
  const bar = h("div", { class: "shares-bar", "aria-hidden": "true" }, ...shown.map(([name, value, style]) => {
    const part = h("span", { title: `${name}: ${duration(value)}, ${percent(value, whole)}` });
    part.style.background = style;
    part.style.flexGrow = String(value / Math.max(whole, 1));
    return part;
  }));
  return h("div", { class: "shares" }, h("h3", {}, title), bar,
    h("div", { class: "legend" }, ...shown.map(([name, value, style]) => h("span", {}, mark(style), `${name} `, h("b", {}, percent(value, whole)), ` ${duration(value)}`))));
}

// remedy is a line of what to write instead: words, a directive, or words with a colon and
// then one. A directive reaches to the line's end (advice.Finding).
function remedy(line: string, file: string): HTMLElement {
  const parts = /^(.*: )?((?:#pragma acc|!\$acc) .*)$/.exec(line);
  return parts ? h("div", {}, (parts[1] ?? "").trimEnd(), code(parts[2]!, file)) : h("div", {}, sentence(line));
}

function findingItem(f: Finding): HTMLElement {
  const place = f.file !== "" && f.line > 0;
  const facts = h("dl", { class: "finding-facts" },
    h("div", {}, h("dt", {}, "why"), h("dd", {}, sentence(f.why))),
    f.directive !== "" && h("div", {}, h("dt", {}, "here"), h("dd", {}, code(f.directive, f.file))),
    h("div", {}, h("dt", {}, "instead"), h("dd", {}, ...f.instead.split("\n").map((line) => remedy(line, f.file)))));
  return h("li", {}, h("div", { class: "finding-head" }, h("b", {}, said(f)), h("span", { class: "gain" }, f.gain_ns > 0 ? `gains about ${f.cost}` : f.cost)),
    h("p", { class: "finding-place" }, h("span", { class: `tag ${f.confidence}` }, f.confidence), `${f.rule.replaceAll("-", " ")} · ${f.subject}`,
      place && " · ", place && link(f.place, () => change({ view: "sources", file: f.file, line: f.line })),
      place && " · ", place && link("in the timeline", () => change({ view: "timeline", search: `${f.file}:${f.line}` })),
      " · ", link(`${count(f.count)} ${f.count === 1 ? "row" : "rows"} of evidence`, () => change({ view: "sql", sql: f.sql }))),
    facts);
}

// communication is a table of the calls of MPI.
async function communication(): Promise<HTMLElement[]> {
  const report = await get<Report>("report", { trace: state.trace, tables: "communication" });
  return report.tables.flatMap((t) => [h("h2", {}, t.title), h("p", { class: "note" }, sentence(t.note)),
    table({ label: t.title, rows: t.rows, empty: "There is none.", columns: t.columns.map((c) => ({ title: c.title, unit: c.unit, meter: c.key === "time_ns" })) })]);
}

function costTables(s: Summary): HTMLElement[] {
  const part = (title: string, what: string, list: CostRow[], counted: string, sizes: boolean, all: [string, () => void], search: boolean): HTMLElement | false => {
    const named = list.every((c) => c.name.startsWith(c.place)); // kernels are called by theirs
    return list.length > 0 && h("section", {}, h("h2", {}, title), table({ label: title, empty: "",
      rows: list.map((c) => [c.name || "(no name)", ...(named ? [] : [c.place]), c.timed ? c.time : null, c.timed ? c.share : null, c.count, c.bytes]),
      columns: [{ title: what, unit: "text" }, ...(named ? [] : [{ title: "place", unit: "text" as const }]), { title: "time", unit: "ns", meter: true }, { title: "share", unit: "fraction" }, { title: counted, unit: "count" },
        ...(sizes ? [{ title: "bytes", unit: "bytes" as const }] : [])],
      go: search ? (row) => change({ view: "timeline", search: String(row[0]) }) : undefined }), h("p", {}, link(...all)));
  };
  const parts = [part("Kernels that cost most", "kernel", s.cost_kernels, "launches", false, ["All kernels", () => change({ view: "kernels" })], true),
    part("Variables that cost most", "variable", s.cost_variables, "copies", true, ["All transfers", () => change({ view: "transfers" })], true),
    part("Copies between devices", "from and to", s.cost_between, "copies", true, ["All transfers", () => change({ view: "transfers" })], true),
    part("Constructs that cost most", "construct", s.cost_constructs, "count", false, ["All constructs", () => change({ view: "kernels" })], false)];
  return [h("div", { class: "columns" }, ...parts)];
}
