// The choice of frames or ranges of the program's own that the timeline, kernels, transfers
// and the flame graph are limited to.
import { get, type Frames, type Overview } from "./api";
import { h, message } from "./dom";
import { change, state } from "./state";

export interface Only { element: HTMLElement; grow(o: Overview): void; show(): void }

// only makes the field; a trace without frames and ranges has none.
export function only(): Only {
  const names = h("datalist", { id: "annotations" });
  const field = h("input", { type: "search", list: "annotations", placeholder: "step 12", id: "only", title: "Only what begins in these frames or ranges: step 12, step 3..7, assemble",
    "aria-label": "Only these frames or ranges: a name, and a number or first..last behind it" });
  const said = h("span", { role: "status" });
  const element = h("div", { class: "only", hidden: true }, h("label", {}, "Only ", field), names, said);
  const choose = (): void => void chooseInside(field.value.trim()).then(() => (said.textContent = ""), (error: unknown) => (said.textContent = message(error)));
  field.addEventListener("keydown", (e) => {
    if (e.key === "Enter") choose();
    if (e.key === "Escape") {
      field.value = "";
      choose();
    }
  });
  field.addEventListener("search", () => field.value === "" && state.inside !== "" && choose());
  return {
    element,
    grow(o) {
      element.hidden = o.annotations.length === 0;
      names.replaceChildren(...o.annotations.map((a) => h("option", { value: a.name }, a.kind)));
    },
    show() {
      if (document.activeElement !== field) field.value = state.inside;
    },
  };
}

// chooseInside limits all views: the timeline to the time of the chosen ones.
export async function chooseInside(inside: string): Promise<void> {
  if (inside === "") return change({ inside, from: undefined, to: undefined, range: undefined }, true);
  const f = await get<Frames>("frames", { trace: state.trace, inside });
  change({ inside, from: f.from, to: Math.max(f.to, f.from + 1), range: undefined }, true);
}
