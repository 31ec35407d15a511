// Inside kernels: what one of them did, line by line, and all of them below a roofline.
import { get, type CountedKernel, type CountedKernels, type CountedLine, type CountedLines, type Source, type Values } from "../api";
import { asked, met, operations, stride, traffic } from "../counters";
import { h, message, show } from "../dom";
import { bytes, count, duration, fraction } from "../format";
import { Pace, type View } from "../grown";
import { change, state } from "../state";
import { table, type Column } from "../table";
import { roofline } from "./roofline";

export function countedView(): View {
  const place = h("div");
  const load = (again: boolean): Promise<void> => show(place, async () => {
    const all = await get<CountedKernels>("kernels", { trace: state.trace });
    if (all.kernels.length === 0) return [h("p", { class: "empty" }, `${all.missing.charAt(0).toUpperCase()}${all.missing.slice(1)}.`)];
    const chosen = all.kernels.find((k) => k.symbol === state.kernel || k.name === state.kernel) ?? all.kernels[0]!;
    const { lines } = await get<CountedLines>("lines", { trace: state.trace, symbol: chosen.symbol });
    const choose = (symbol: string): void => change({ kernel: symbol }, true);
    const choice = h("select", { "aria-label": "Kernel", onchange: () => choose(choice.value) }, ...all.kernels.map((k) => h("option", { value: k.symbol, selected: k === chosen }, k.name)));
    return [h("div", { class: "bar" }, h("label", {}, "Kernel ", choice)), ...facts(chosen, all.cards.some((c) => c.modelled)), await ofLines(chosen, lines),
      h("h2", {}, "Roofline"), ...roofline(all.kernels, all.cards, chosen.symbol, choose),
      h("h2", {}, "All kernels"), ofKernels(all.kernels, chosen, choose)];
  }, again);
  const element = h("div", { class: "view" }, h("h1", {}, "Inside kernels"),
    h("p", { class: "note" }, "As counted while the program's GPU code was executed on the simulated device, all launches together: what the code asks for holds for a GPU. A request is a load or store of a warp of 32 lanes, a sector 32 bytes of memory."), place);
  const pace = new Pace(element, load);
  void pace.load();
  return { element, grow: (_, ended) => pace.grow(ended) };
}

const part = (v: Values, name: string, of: string): string => fraction((v[name] ?? 0) / Math.max(v[of] ?? 0, 1));

// facts are what holds of the kernel as a whole.
function facts(k: CountedKernel, modelled: boolean): HTMLElement[] {
  const v = k.values;
  const card = (value: string, text: string): HTMLElement => h("div", { class: "card" }, h("b", {}, value), h("span", {}, text));
  const cards = [
    card(`${v.gangs} × ${v.workers} × ${v.vector}`, `gangs, workers, vector lanes of ${v.launches === 1 ? "its launch" : `the largest of ${count(v.launches!)} launches`}`),
    card(part(v, "lanes_touching", "all_lanes"), `of the lanes used memory; ${part(v, "gangs_touching", "all_gangs")} of the gangs did`),
    card(count(v.lanes_per_instruction ?? 0), "of a warp's 32 lanes take part on average"),
    card(traffic(v) > 0 ? fraction(asked(v) / traffic(v)) : "-", `of ${bytes(traffic(v))} of memory traffic was asked for${asked(v) > traffic(v) ? ": lanes share what they read" : ""}`),
  ];
  if (v.gangs! > 1 && v.imbalance !== undefined) cards.push(card(`${count(v.imbalance)} ×`, "of the mean gang's work the busiest gang does"));
  if (k.card !== "" && v.occupancy !== undefined) cards.push(card(fraction(v.occupancy), `occupancy of ${k.card}, estimated by ${v.registers} registers a lane; ${count(v.waves ?? 0)} waves of gangs a launch`));
  if (modelled && k.timed > 0) cards.push(card(duration(k.time / k.timed), `a launch, modelled for ${k.card}`));
  return [h("div", { class: "cards" }, ...cards)];
}

// wasted is what the report lists lines by: bytes that are moved and that nobody asked for.
const wasted = (v: Values): number => Math.max(0, 32 * (v.load_sectors ?? 0) - (v.load_bytes ?? 0)) + Math.max(0, 32 * (v.store_sectors ?? 0) - (v.store_bytes ?? 0));

async function ofLines(k: CountedKernel, lines: CountedLine[]): Promise<HTMLElement> {
  const texts = new Map<string, string[]>();
  let unread = "";
  for (const file of new Set(lines.map((l) => l.file).filter((f) => f !== ""))) {
    try {
      texts.set(file, (await get<Source>("source", { trace: state.trace, file })).lines);
    } catch (error) {
      unread = message(error);
    }
  }
  const shown = met(lines);
  const name = (l: CountedLine): string => (l.file === "" ? "(unknown)" : `${l.file.slice(l.file.lastIndexOf("/") + 1)}:${l.line}`);
  const apart = lines.some((l) => stride(l.values) !== "");
  // Columns of counters sort by the weight of what stands in them.
  const columns: Column[] = [{ title: "line", unit: "text" }, { title: "source", unit: "text" },
    ...shown.map((c): Column => ({ title: c.title, unit: "count", meter: ["instructions", "traffic"].includes(c.key), text: (row) => c.text((row.at(-1) as CountedLine).values) || "-" }))];
  if (apart) columns.push({ title: "lanes apart", unit: "text" });
  columns.push({ title: "what it says", unit: "text" });
  const rows = [...lines].sort((a, b) => wasted(b.values) - wasted(a.values) || traffic(b.values) - traffic(a.values) || b.values.instructions! - a.values.instructions!)
    .map((l) => [name(l), texts.get(l.file)?.[l.line - 1]?.trim() ?? "", ...shown.map((c) => c.heat(l.values)), ...(apart ? [stride(l.values)] : []), l.says, l]);
  return h("div", {}, unread !== "" && h("p", { class: "note" }, `${unread.charAt(0).toUpperCase()}${unread.slice(1)}.`),
    table({ label: `Lines of ${k.name}`, empty: "No line of it was counted.", columns, rows, goTitle: "Show in the source",
      go: (row) => {
        const l = row.at(-1) as CountedLine;
        if (l.file !== "") change({ view: "sources", file: l.file, line: l.line, heat: state.heat ?? "traffic" }, true);
      } }));
}

function ofKernels(kernels: CountedKernel[], chosen: CountedKernel, choose: (symbol: string) => void): HTMLElement {
  const columns: Column[] = [{ title: "kernel", unit: "text" }, { title: "launches", unit: "count" }, { title: "device time", unit: "ns", meter: true }, { title: "instructions", unit: "count", meter: true },
    { title: "lanes", unit: "count" }, { title: "traffic", unit: "bytes", meter: true }, { title: "used", unit: "fraction" }, { title: "imbalance", unit: "count" },
    { title: "registers (estimated)", unit: "count" }, { title: "occupancy (estimated)", unit: "fraction" }, { title: "operations", unit: "count" }, { title: "per byte", unit: "count" }];
  const or = (n: number | undefined): number | null => n ?? null;
  return table({ label: "All kernels", empty: "", columns, goTitle: "Show its lines", go: (row) => choose((row.at(-1) as CountedKernel).symbol), here: (row) => row.at(-1) === chosen,
    rows: kernels.map(({ values: v, ...k }, i) => [k.name, v.launches, k.timed > 0 ? k.time : null, v.instructions, or(v.lanes_per_instruction), traffic(v), traffic(v) > 0 ? asked(v) / traffic(v) : null,
      or(v.imbalance), or(v.registers), or(v.occupancy), operations(v), or(v.operations_per_byte), kernels[i]]) });
}
