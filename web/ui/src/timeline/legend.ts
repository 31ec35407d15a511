// What the colours of the timeline mean: of kinds, those that occur; of names, those
// that took most of the time in sight.
import type { Label, Overview } from "../api";
import { colour, kindColour, kindNames } from "../colour";
import { clear, h } from "../dom";
import { change, state } from "../state";
import type { Data } from "./data";

const mostNames = 10;

export class Legend {
  readonly element = h("div", { class: "legend timeline-legend", role: "group", "aria-label": "Colours" });
  private shown = "";

  update(data: Data, overview: Overview, from: number, to: number): void {
    const entries = state.colour === "kind" ? kinds(data.labels) : names(data, overview, from, to);
    const gaps = overview.lanes.some((lane) => (data.blocks(lane.id, from, to)?.gaps.start.length ?? 0) > 0);
    const now = JSON.stringify([document.documentElement.dataset.theme, entries, gaps]);
    if (now === this.shown) return;
    this.shown = now;
    clear(this.element, ...entries.map(([text, style, search]) => {
      const mark = h("i");
      mark.style.background = style;
      return h("button", { type: "button", class: "chip", title: `Point out ${text}`, onclick: () => change({ search: state.search === search ? "" : search }) }, mark, h("span", {}, text));
    }), gaps && h("span", { class: "chip gaps", title: "Times of which the trace has not all that happened" }, h("i"), h("span", {}, "not all is known")));
  }
}

type Entry = [text: string, style: string, search: string];

function kinds(labels: readonly Label[]): Entry[] {
  const occur = new Set(labels.map((l) => l.kind));
  return kindNames.filter(([, list]) => list.some((kind) => occur.has(kind))).map(([text, list]) => {
    const first = list.find((kind) => occur.has(kind))!;
    return [text, kindColour(list[0]!), first];
  });
}

function names(data: Data, overview: Overview, from: number, to: number): Entry[] {
  const time = new Map<number, number>();
  for (const lane of overview.lanes) {
    const b = data.blocks(lane.id, from, to);
    if (!b) continue;
    for (let i = 0; i < b.start.length; i++) time.set(b.label[i]!, (time.get(b.label[i]!) ?? 0) + (b.busy[i] || 1));
  }
  const sums = new Map<string, { style: string; time: number }>();
  const grey = colour({ text: "", kind: "", name: "", source: "" }, state.colour);
  for (const [n, t] of time) {
    const label = data.labels[n]!;
    const style = colour(label, state.colour);
    if (style === grey) continue;
    const text = state.colour === "source" ? label.source : label.name;
    const sum = sums.get(text) ?? { style, time: 0 };
    sum.time += t;
    sums.set(text, sum);
  }
  return [...sums].sort((a, b) => b[1].time - a[1].time).slice(0, mostNames).map(([text, { style }]) => [state.colour === "source" ? text.split("/").pop()! : text, style, text]);
}
