// Frames and ranges of the program's own: how long those of each name took, and each one.
import { get, type Frames, type Overview, type Report } from "../api";
import { kindColour, token } from "../colour";
import { h, message, placeTip, show } from "../dom";
import { duration } from "../format";
import { chooseInside } from "../only";
import { state } from "../state";
import { table } from "../table";
import { chart } from "./chart";

// framesSection is empty where the program marks nothing; load reads it, again where its
// trace has grown.
export function framesSection(): { element: HTMLElement; load(o: Overview, again: boolean): Promise<void> } {
  const [place, each] = [h("div"), h("div")];
  const element = h("section", { class: "frames", hidden: true }, h("h2", {}, "Frames, ranges and marks of the program"), place, each);
  let chosen: string | undefined;
  const showEach = (name: string, again: boolean): Promise<void> => {
    chosen = name;
    return show(each, async () => [h("h3", {}, `Each ${name}`), bars(name, await get<Frames>("frames", { trace: state.trace, inside: name }))], again);
  };
  return {
    element,
    async load(o, again) {
      element.hidden = o.annotations.length === 0;
      if (element.hidden) return;
      await show(place, async () => {
        const report = await get<Report>("report", { trace: state.trace, top: 1000, tables: "annotations" });
        const t = report.tables.find((x) => x.key === "annotations");
        if (!t) return [];
        return [h("p", { class: "note" }, `${t.note}. A row shows each one of its name; the field above limits timeline, kernels, transfers and flame graph to some.`),
          table({ label: t.title, rows: t.rows, empty: "There are none.", columns: t.columns.map((c) => ({ title: c.title, unit: c.unit, meter: c.key === "time_ns" })),
            goTitle: "Show each one", go: (row) => row[1] !== "mark" && void showEach(String(row[0]), false) })];
      }, again);
      await showEach(chosen ?? (o.annotations.find((a) => a.kind === "frame") ?? o.annotations[0]!).name, again);
    },
  };
}

// bars are the times of frames, in their order; a click chooses one for timeline, kernels, transfers and flame graph.
function bars(name: string, f: Frames): HTMLElement {
  const list = f.frames;
  const high = Math.max(...list.map((x) => x.end - x.start), 1);
  const tip = h("div", { class: "tip", hidden: true });
  const said = h("p", { class: "note", role: "status" }, f.omitted > 0 ? `The first ${list.length}; ${f.omitted} more are not drawn.` : "");
  let over = -1;
  const canvas = chart("bars", `Times of ${name}, from ${duration(Math.min(...list.map((x) => x.end - x.start)))} to ${duration(high)}`, (c, width, height) => {
    const w = width / list.length;
    list.forEach((x, i) => {
      c.fillStyle = i === over ? token("accent") : kindColour("compute_construct");
      const tall = Math.max(((x.end - x.start) / high) * (height - 16), 1);
      c.fillRect(i * w, height - tall, Math.max(w - 1, 0.5), tall);
    });
    c.fillStyle = token("dim");
    c.textAlign = "left";
    c.fillText(duration(high), 2, 7);
  });
  const at = (e: MouseEvent): number => {
    const box = canvas.getBoundingClientRect();
    return Math.min(Math.max(Math.floor(((e.clientX - box.left) / box.width) * list.length), 0), list.length - 1);
  };
  const named = (i: number): string => (list[i]!.kind === "frame" ? `${name} ${list[i]!.number}` : name);
  canvas.addEventListener("pointermove", (e) => {
    over = at(e);
    tip.hidden = false;
    tip.replaceChildren(h("b", {}, named(over)), h("div", {}, duration(list[over]!.end - list[over]!.start)));
    placeTip(tip, e.clientX, e.clientY);
    canvas.dispatchEvent(new Event("redraw"));
  });
  canvas.addEventListener("pointerleave", () => {
    over = -1;
    tip.hidden = true;
    canvas.dispatchEvent(new Event("redraw"));
  });
  canvas.addEventListener("click", (e) => void chooseInside(named(at(e))).catch((error: unknown) => (said.textContent = message(error))));
  return h("div", {}, canvas, said, tip);
}
