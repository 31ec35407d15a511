// Memory: use over time by variable, what was present at a time, leaks.
import { get, type Leaks, type Mapping, type Mappings, type Overview, type Variables } from "../api";
import { named, token } from "../colour";
import { clear, h, link, show } from "../dom";
import { bytes, count, duration, moment } from "../format";
import { Pace, type View } from "../grown";
import { change, state } from "../state";
import { table } from "../table";
import { deviceName } from "../timeline/layout";
import { ticks } from "../timeline/paint";
import { chart } from "./chart";

const left = 76;
const bottom = 22;

export function memoryView(o: Overview): View {
  const place = h("div");
  const present = h("div");
  const leaked = h("div");
  const none = h("p", { class: "empty" }, "The program used no device.");
  let device = 0;
  let chosen = false; // by the user
  let part = state.inside !== ""; // chosen frames or ranges are what the timeline shows then
  const choice = h("select", { "aria-label": "Device", onchange: () => {
    device = Number(choice.value);
    chosen = true;
    void pace.load();
  } });
  const window = h("button", { type: "button", "aria-pressed": String(part), onclick: () => {
    part = !part;
    window.setAttribute("aria-pressed", String(part));
    void pace.load();
  } }, "Only what the timeline shows");
  const all = h("div", {}, h("div", { class: "bar" }, choice, state.from !== undefined && window), place, h("h2", {}, "Present table"), present, h("h2", {}, "Never deleted"), leaked);
  const element = h("div", { class: "view" }, h("h1", {}, "Memory"), none, all);

  // offer gives the devices to choose among: that with the highest use comes first.
  const offer = (): void => {
    const devices = o.devices.filter((d) => !d.requested);
    none.hidden = devices.length > 0;
    all.hidden = devices.length === 0;
    if (!chosen) device = devices.reduce((most, d) => (d.peak > most.peak ? d : most), devices[0] ?? { id: 0, peak: 0 }).id;
    clear(choice, ...devices.map((d) => h("option", { value: d.id, selected: d.id === device }, deviceName(o, d))));
  };
  const load = (again = false, within?: number): Promise<unknown> => {
    offer();
    if (all.hidden) return Promise.resolve();
    return show(place, async () => {
      const range = part && state.from !== undefined ? { from: Math.floor(state.from), to: Math.ceil(state.to!) } : {};
      const v = await get<Variables>("variables", { trace: state.trace, device, pixels: 1200, within, ...range });
      if (state.at === undefined) void showPresent(atPeak(v), undefined, again);
      if (v.variables.length === 0) return [h("p", { class: "empty" }, "Nothing was allocated or mapped on this device.")];
      return [h("div", { class: "cards" },
        h("div", { class: "card" }, h("b", {}, bytes(v.peak)), h("span", {}, "high-water mark")),
        h("div", { class: "card" }, h("b", {}, moment(v.peak_time, 1000)), link("when it was reached: show", () => at(atPeak(v))))),
        ...unread(v.until, () => void load(false, patience)), area(v, at), legend(v),
        h("p", { class: "note" }, "Click into the chart, or move with the arrow keys, to see what was present at that time.")];
    }, again);
  };
  const at = (time: number): void => {
    change({ at: Math.round(time) });
    void showPresent(state.at!);
  };
  const showPresent = (time: number, within?: number, again = false): Promise<void> =>
    show(present, async () => {
      const m = await get<Mappings>("mappings", { trace: state.trace, at: time, within });
      return [h("p", { class: "note" }, `At ${moment(time, 1000)}: ${counted(m.mappings.length + m.omitted)}, ${bytes(m.bytes)}.`), ...unread(m.until, () => void showPresent(time, patience)), mappings("Present table", m.mappings, m.omitted, "Nothing was mapped at this time.")];
    }, again);
  const showLeaks = (within?: number, again = false): Promise<void> =>
    show(leaked, async () => {
      const m = await get<Leaks>("leaks", { trace: state.trace, within });
      return [...unread(m.until, () => void showLeaks(patience)), mappings("Never deleted", m.mappings, m.omitted, `${m.empty[0].toUpperCase()}${m.empty.slice(1)}.`),
        ...m.open.length > 0 ? [h("h2", {}, "Open when the program ended"), mappings("Open when the program ended", m.open, m.open_omitted, "")] : []];
    }, again);
  const pace = new Pace(element, (again) => Promise.all([load(again), showLeaks(undefined, again)]));
  void pace.load();
  if (state.at !== undefined) void showPresent(state.at);
  return { element, grow(now, ended) {
    o = now;
    pace.grow(ended);
  } };
}

// patience is how long the server reads if asked to, ms.
const patience = 20000;

const counted = (n: number): string => `${count(n)} ${n === 1 ? "mapping" : "mappings"}`;

// unread says how far the trace was read for what is shown, and reads on.
function unread(until: number, all: () => void): HTMLElement[] {
  if (until === -1) return [];
  return [h("p", { class: "note" }, `There is much to read: this is what happened before ${moment(until, 1000)}. `, link("Read on", all))];
}

function mappings(label: string, list: Mapping[], omitted: number, empty: string): HTMLElement {
  return table({ label, omitted, empty, rows: list.map((m) => [m.name, m.bytes < 0 ? null : m.bytes, m.host, m.address, m.source, m.start, m.end < 0 ? "not deleted" : duration(m.end - m.start), m.record]),
    columns: [{ title: "variable", unit: "text" }, { title: "size", unit: "bytes", meter: true }, { title: "host address", unit: "address" },
      { title: "device address", unit: "address" }, { title: "source", unit: "text" }, { title: "since", unit: "time" }, { title: "lived", unit: "text" }, { title: "record", unit: "" }],
    go: (row) => Number(row[7]) > 0 && change({ view: "timeline", selected: `r${row[7]}` }) });
}

// atPeak is in the middle of the time of most memory: the mapping that made it
// was reported right after the allocation.
function atPeak(v: Variables): number {
  return Math.round((v.peak_time + v.peak_end) / 2);
}

function legend(v: Variables): HTMLElement {
  return h("div", { class: "legend" }, ...v.variables.map((x) => {
    const mark = h("i");
    mark.style.background = named(x.name, "variables");
    return h("span", {}, mark, `${x.name} ${bytes(x.peak)}`);
  }));
}

// area is the stacked chart.
function area(v: Variables, choose: (time: number) => void): HTMLElement {
  let high = 1;
  const n = v.variables[0]!.used.length;
  for (let i = 0; i < n; i++) high = Math.max(high, v.variables.reduce((sum, x) => sum + x.used[i]!, 0));
  let wide = 1;
  const canvas = chart("chart", `Memory by variable, at most ${bytes(high)}`, (c, width, height) => {
    wide = width;
    const x = (i: number): number => left + (i / n) * (width - left - 6);
    const y = (value: number): number => height - bottom - (value / high) * (height - bottom - 12);
    c.fillStyle = token("dim");
    c.textAlign = "right";
    for (const share of [0, 0.5, 1]) {
      c.fillText(bytes(high * share), left - 6, y(high * share));
      c.fillRect(left, Math.round(y(high * share)), width - left - 6, 0.5);
    }
    const base = new Float64Array(n);
    for (const series of v.variables) {
      c.beginPath();
      c.moveTo(x(0), y(base[0]!));
      for (let i = 0; i < n; i++) {
        const top = base[i]! + series.used[i]!;
        c.lineTo(x(i), y(top));
        c.lineTo(x(i + 1), y(top));
      }
      for (let i = n - 1; i >= 0; i--) {
        c.lineTo(x(i + 1), y(base[i]!));
        c.lineTo(x(i), y(base[i]!));
        base[i]! += series.used[i]!;
      }
      c.closePath();
      c.fillStyle = named(series.name, "variables");
      c.fill();
    }
    c.fillStyle = token("dim");
    c.textAlign = "center";
    const marks = ticks(v.from, v.to, (width - left) / 130);
    const step = marks.length > 1 ? marks[1]! - marks[0]! : v.to - v.from;
    for (const t of marks) {
      const at = left + ((t - v.from) / (v.to - v.from)) * (width - left - 6);
      if (at > left + 24 && at < width - 34) c.fillText(moment(t, step), at, height - bottom / 2);
    }
    if (state.at !== undefined && state.at >= v.from && state.at <= v.to) {
      c.fillStyle = token("text");
      c.fillRect(left + ((state.at - v.from) / (v.to - v.from)) * (width - left - 6), 4, 1.5, height - bottom - 4);
    }
  });
  const time = (share: number): number => v.from + Math.min(Math.max(share, 0), 1) * (v.to - v.from);
  canvas.tabIndex = 0;
  const again = (): void => {
    choose(state.at ?? v.from);
    canvas.dispatchEvent(new Event("redraw"));
  };
  canvas.addEventListener("click", (e) => {
    const box = canvas.getBoundingClientRect();
    change({ at: Math.round(time((e.clientX - box.left - left) / (wide - left - 6))) });
    again();
  });
  canvas.addEventListener("keydown", (e) => {
    const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    e.preventDefault();
    change({ at: Math.round(Math.min(Math.max((state.at ?? v.from) + (by * (v.to - v.from)) / 100, v.from), v.to)) });
    again();
  });
  return canvas;
}

