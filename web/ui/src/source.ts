// Source text, with the line that matters pointed out.
import { get, type Source } from "./api";
import { h, show } from "./dom";
import { state } from "./state";

// excerpt is a few lines around one.
export function excerpt(file: string, line: number): HTMLElement {
  const place = h("div");
  void show(place, async () => {
    const s = await get<Source>("source", { trace: state.trace, file, line, around: 4 });
    return [h("pre", { class: "source" }, ...s.lines.map((text, i) =>
      h("div", { class: `row${s.first + i === line ? " here" : ""}` }, h("span", { class: "n" }, String(s.first + i)), h("span", {}, text)))),
      s.newer && h("p", { class: "note" }, "The file is newer than the run: lines may have moved.")];
  });
  return place;
}
