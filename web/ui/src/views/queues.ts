// Queues: how busy they were, and what overlapped.
import { get, type Overview, type Queues } from "../api";
import { h, link, show } from "../dom";
import { bytes, count, duration, fraction } from "../format";
import { Pace, type View } from "../grown";
import { change, state } from "../state";
import { deviceName } from "../timeline/layout";
import { strip } from "./chart";

export function queuesView(o: Overview): View {
  const place = h("div");
  let part = state.inside !== ""; // chosen frames or ranges are what the timeline shows then
  const load = (again = false): Promise<void> => show(place, async () => {
    const range = part && state.from !== undefined ? { from: Math.floor(state.from), to: Math.ceil(state.to!) } : {};
    return contents(o, await get<Queues>("queues", { trace: state.trace, pixels: 1500, ...range }), part);
  }, again);
  const window = h("button", { type: "button", "aria-pressed": String(part), onclick: () => {
    part = !part;
    window.setAttribute("aria-pressed", String(part));
    void pace.load();
  } }, "Only what the timeline shows");
  const element = h("div", { class: "view" }, h("h1", {}, "Queues"), state.from !== undefined && h("div", { class: "bar" }, window), place);
  const pace = new Pace(element, load);
  void pace.load();
  return { element, grow(now, ended) {
    o = now;
    pace.grow(ended);
  } };
}

function contents(o: Overview, q: Queues, part: boolean): HTMLElement[] {
  if (q.queues.length === 0) return [h("p", { class: "empty" }, "Nothing ran on a queue.")];
  const whole = q.to - q.from;
  const card = (value: string, text: string): HTMLElement => h("div", { class: "card" }, h("b", {}, value), h("span", {}, text));
  const share = (part: number, of: number): string => (of > 0 ? fraction(part / of) : "-");
  const cards: HTMLElement[] = [];
  if (q.queues.some((x) => x.measured)) {
    const between = (low: string, high: string): string => (low === high ? low : `${low} to ${high}`);
    cards.push(card(between(share(q.busy_least, whole), share(q.busy_most, whole)), `of the ${duration(whole)} ${part ? "shown" : "from the first event to the last"} a queue was busy`),
      card(between(duration(Math.max(whole - q.busy_most, 0)), duration(Math.max(whole - q.busy_least, 0))), "in which no queue was busy"));
    if (q.exact) cards.push(card(share(q.at_least[1] ?? 0, q.busy_least), "of the busy time two or more queues were"),
      card(share(q.overlap, q.transfers), "of the transfer time hidden behind kernels"));
  }
  const rows = q.queues.map((x) => {
    const device = o.devices.find((d) => d.id === x.device);
    return h("tr", {}, h("td", {}, device ? deviceName(o, device) : String(x.device)),
      h("td", {}, link(x.name, () => change({ view: "timeline" }))),
      h("td", { class: "num" }, share(x.busy, whole)), h("td", { class: "num" }, (x.measured ? "" : "at most ") + duration(x.busy)),
      h("td", { class: "num" }, count(x.operations)), h("td", { class: "num" }, bytes(x.bytes)),
      h("td", {}, strip(x.use, `Queue ${x.name} over time`)));
  });
  const heads = ["device", "queue", "busy", "busy time", "operations", "moved", "over time"];
  return [h("div", { class: "cards" }, ...cards),
    h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "Queues" }, h("table", {},
      h("thead", {}, h("tr", {}, ...heads.map((t, i) => h("th", { scope: "col", class: i > 1 && i < 6 ? "num" : "" }, t)))), h("tbody", {}, ...rows))),
    h("p", { class: "note" }, [q.exact ? "" : "There are more operations than can be looked at one by one, so what ran at once is not known. Zoom in on the timeline and choose “Only what the timeline shows”.",
      q.queues.some((x) => !x.measured) ? "This runtime measures no device times of the queues marked “at most”: they were busy at most from the first enqueue to the wait." : ""].filter(Boolean).join(" "))];
}
