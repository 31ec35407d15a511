// The choice of ranks of a job that the timeline, the memory and the queues are limited to: of
// many ranks no more than some are read into them.
import type { Overview } from "./api";
import { h } from "./dom";
import { count } from "./format";
import { change, state } from "./state";

export interface Chosen { element: HTMLElement; grow(o: Overview): void; show(): void; failed(text: string): void }

// atOnce is how many ranks the server shows together (report.RanksAtOnce).
const atOnce = 64;

// chosenRanks makes the field; jobs whose ranks are all shown have none.
export function chosenRanks(): Chosen {
  const field = h("input", { type: "search", id: "ranks", placeholder: "0-15,617", "aria-label": "Ranks that the timeline, memory and queues show: numbers, and the first and last of several" });
  const said = h("span", { role: "status" });
  const element = h("div", { class: "only", hidden: true }, h("label", {}, "Ranks ", field), said);
  const choose = (): void => {
    const ranks = field.value.trim();
    if (ranks !== state.ranks) change({ ranks, selected: undefined, range: undefined, at: undefined }, true);
  };
  field.addEventListener("change", choose);
  field.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    field.value = "";
    choose();
  });
  return {
    element,
    grow(o) {
      element.hidden = o.ranks.total <= atOnce && o.ranks.about === "";
      said.textContent = o.ranks.about === "" ? "" :
        `Timeline, memory and queues show only ${o.ranks.about}${o.ranks.about.includes("which did most") ? `: name up to ${count(atOnce)} to see others` : ""}. Sums are of all ranks.`;
    },
    show() {
      if (document.activeElement !== field) field.value = state.ranks;
    },
    failed(text) {
      element.hidden = false;
      said.textContent = text;
    },
  };
}
