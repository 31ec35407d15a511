// The page: its head, and the view that the URL names.
import { get, send, type Overview, type Search, type TraceInfo } from "./api";
import { clear, h, message } from "./dom";
import { count } from "./format";
import { chosenRanks } from "./chosen";
import type { View } from "./grown";
import { follow, type Live } from "./live";
import { change, onChange, state, views, type ViewName } from "./state";
import { only } from "./only";
import { Timeline } from "./timeline/timeline";
import { countedView } from "./views/counted";
import { compareView } from "./views/compare";
import { flameView } from "./views/flame";
import { memoryView } from "./views/memory";
import { queuesView } from "./views/queues";
import { ranksView } from "./views/ranks";
import { reportView } from "./views/reports";
import { sourcesView } from "./views/sources";
import { sqlView } from "./views/sql";
import { summaryView } from "./views/summary";

const titles: Record<ViewName, string> = { summary: "Summary", timeline: "Timeline", memory: "Memory", queues: "Queues", kernels: "Kernels", transfers: "Transfers",
  flame: "Flame graph", sources: "Sources", sql: "SQL", compare: "Compare", ranks: "Ranks", counted: "Inside kernels" };

let overview: Overview;
let traces: TraceInfo[] = [];
let timeline: Timeline | undefined;
let view: View | undefined; // the one that is shown, but for the timeline
let live: Live | undefined;
let shown: string | undefined;

const main = h("main", { id: "main" });
const bannerPlace = h("div");
const nav = h("nav", { "aria-label": "Views" });
const viewChoice = h("select", { class: "views", "aria-label": "View", onchange: () => change({ view: viewChoice.value as ViewName }) }, ...views.map((v) => h("option", { value: v }, titles[v])));
const traceName = h("span", { class: "trace" });
const traceChoice = h("select", { "aria-label": "Trace", hidden: true, onchange: () => {
  change({ trace: Number(traceChoice.value), from: undefined, to: undefined, selected: undefined, range: undefined, at: undefined, inside: "", ranks: "" }, true);
} });
const searchField = h("input", { type: "search", placeholder: "Search (/)", "aria-label": "Search for a kernel, variable, event or source", id: "search" });
const searchFound = h("span", { class: "found", role: "status" });
const theme = h("button", { type: "button", id: "theme", title: "Light or dark", onclick: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true) });
const liveSlot = h("div");
const onlyChosen = only();
const ranksChosen = chosenRanks();

function setTheme(to: string, keep: boolean): void {
  document.documentElement.dataset.theme = to;
  theme.textContent = to === "dark" ? "Light" : "Dark";
  if (keep) localStorage.setItem("theme", to);
  timeline?.restyle();
}

const help = h("dialog", { "aria-label": "Keys" }, h("h1", {}, "Keys and gestures"), h("table", {}, h("tbody", {}, ...(
  [["W S", "zoom in and out, also the wheel"], ["A D", "go left and right, also drag, arrow keys and Shift+wheel"], ["↑ ↓", "scroll, also the wheel with Alt or over the names"],
    ["drag in the ruler, Shift+drag", "mark a range and get its statistics"], ["double click", "zoom to a span"], ["F", "zoom to the selection"], ["0", "show the whole trace"],
    ["M", "statistics of the selection, or of what is shown"], [", .", "select the previous or next in the row"], ["/", "search"], ["N Shift+N", "next and previous match"],
    ["Esc", "clear selection and range"], ["1 … 9", "views, from Summary to SQL"], ["C", "compare two traces"], ["R", "ranks of a job"], ["I", "inside of kernels, where that was counted"], ["?", "this help"]] as [string, string][])
  .map(([keys, text]) => h("tr", {}, h("td", {}, h("kbd", {}, keys)), h("td", {}, text))))),
  h("form", { method: "dialog" }, h("button", { class: "primary", onclick: (e: Event) => { e.preventDefault(); help.close(); } }, "Close")));

function head(): HTMLElement {
  clear(nav, ...views.map((v) => h("button", { type: "button", "data-view": v, onclick: () => change({ view: v }) }, titles[v])));
  const previous = h("button", { type: "button", "aria-label": "Previous match", title: "Previous match (Shift+N)", onclick: () => void find(false) }, "‹");
  const next = h("button", { type: "button", "aria-label": "Next match", title: "Next match (N)", onclick: () => void find(true) }, "›");
  return h("header", {}, h("span", { class: "brand" }, "accscope"), traceName, traceChoice, viewChoice, nav, h("span", { class: "spacer" }), liveSlot,
    h("div", { class: "search", role: "search" }, searchField, previous, next, searchFound), theme,
    h("button", { type: "button", "aria-label": "Help", title: "Keys (?)", onclick: () => help.showModal() }, "?"));
}

async function find(forwards: boolean): Promise<void> {
  if (!state.search) return searchField.focus();
  if (state.view !== "timeline") change({ view: "timeline" });
  try {
    if (!timeline || !(await timeline.find(state.search, forwards))) searchFound.textContent = "no match";
  } catch (error) {
    searchFound.textContent = message(error);
  }
}

let searching = 0;
let counted = "";
function countMatches(): void {
  const text = state.search;
  if (text === counted) return;
  clearTimeout(searching);
  counted = text;
  searchFound.textContent = "";
  if (text === "") return;
  searching = setTimeout(() => {
    get<Search>("search", { trace: state.trace, text, limit: 1 }).then(
      (s) => text === state.search && (searchFound.textContent = s.events === 0 ? "no match" : `${count(s.events)} events`),
      (error: unknown) => (searchFound.textContent = message(error)));
  }, 200);
}

// A warning over the views; one that was dismissed comes back when it says
// something else than other numbers.
interface Banner { element: HTMLElement; place: HTMLElement; said: string; dismissed?: string }
const banners = new Map<string, Banner>();
const withoutNumbers = (text: string): string => text.replace(/[\d.]+/g, "");

function warn(key: string, ...lines: string[]): void {
  const said = lines.join("\n");
  let banner = banners.get(key);
  if (!banner) {
    const place = h("div");
    const made: Banner = { place, said: "", element: h("div", { class: "banner", role: "status" }, place, h("button", { type: "button", "aria-label": "Dismiss", onclick: () => {
      made.dismissed = withoutNumbers(made.said);
      made.element.remove();
    } }, "×")) };
    banners.set(key, (banner = made));
  }
  if (banner.said === said) return;
  banner.said = said;
  const items = lines.map((line) => h("div", {}, line));
  const rest = items.splice(3);
  clear(banner.place, ...items, rest.length > 0 && h("details", {}, h("summary", {}, `${rest.length} more`), ...rest));
  if (!banner.element.isConnected && banner.dismissed !== withoutNumbers(said)) bannerPlace.append(banner.element);
}

function warnings(): void {
  if (overview.damage) warn("damage", `The trace is damaged, what is shown may be wrong: ${overview.damage}`);
  if (overview.warnings.length > 0) warn("warnings", ...overview.warnings.map((w) => `${w.charAt(0).toUpperCase()}${w.slice(1)}.`));
  if (!overview.meta.complete && !overview.running) warn("incomplete", "This trace is not finished: it is still being written, or its collector was killed.");
}

function forgetWarnings(): void {
  banners.clear();
  clear(bannerPlace);
}

// render shows the view that the state names.
function render(): void {
  for (const button of nav.querySelectorAll("button")) {
    if (button.dataset.view === state.view) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  viewChoice.value = state.view;
  if (document.activeElement !== searchField) searchField.value = state.search;
  document.title = `${overview.name} – ${titles[state.view]} – accscope`;
  countMatches();
  onlyChosen.show();
  ranksChosen.show();
  const key = `${state.view} ${state.trace} ${state.ranks} ${state.view === "timeline" ? "" : state.inside} ${state.view === "sources" ? `${state.file} ${state.line}` : ""} ${state.view === "compare" ? state.by : ""} ${state.view === "counted" ? state.kernel : ""}`;
  if (key === shown) return;
  shown = key;
  view = undefined;
  if (state.view === "timeline") {
    if (overview.lanes.length === 0 && !overview.running) {
      clear(main, h("div", { class: "view" }, h("p", { class: "empty" }, "The trace has no events: the program may use no OpenACC, or a runtime without the profiling interface.")));
      return;
    }
    timeline ??= new Timeline(overview, () => live?.pause());
    timeline.follow = live?.follows() ?? false;
    clear(main, timeline.element);
    timeline.restore();
    timeline.focus();
    return;
  }
  view = {
    summary: () => summaryView(overview), flame: () => flameView(overview), memory: () => memoryView(overview), queues: () => queuesView(overview), ranks: () => ranksView(overview), sources: sourcesView, counted: countedView,
    sql: () => ({ element: sqlView() }), compare: () => ({ element: compareView(traces) }),
    kernels: () => reportView(() => overview.warnings, "Kernels", ["kernels", "constructs"], 0, overview.counted),
    transfers: () => reportView(() => overview.warnings, "Transfers", ["transfers_by_variable", "between_devices", "transfers", "waits"], 0),
  }[state.view]();
  clear(main, view.element);
}

async function load(): Promise<void> {
  overview = await get<Overview>("overview", { trace: state.trace });
  traceName.textContent = overview.name;
  traceName.title = overview.name;
  onlyChosen.grow(overview);
  ranksChosen.grow(overview);
  const ofJob = overview.ranks.total > 1 || overview.processes.some((p) => p.rank > 0);
  for (const button of nav.querySelectorAll("button")) {
    if (button.dataset.view === "ranks") button.hidden = !ofJob;
    if (button.dataset.view === "counted") button.hidden = !overview.counted;
  }
  warnings();
}

// reload is for a trace that has grown, or ended.
async function reload(ended = false): Promise<void> {
  await load();
  timeline?.grow(overview);
  view?.grow?.(overview, ended);
  if (state.view === "timeline" && !timeline && overview.lanes.length > 0) shown = undefined;
  render();
}

// finished shows the whole trace once it is: until then the server waits.
async function finished(): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await reload(true);
    } catch (error) {
      if (tries === 30) return warn("finished", message(error));
      await new Promise((again) => setTimeout(again, 1000));
    }
  }
}

function keys(e: KeyboardEvent): void {
  const target = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || help.open || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)) return;
  if (e.key === "/") searchField.focus();
  else if (e.key === "?") help.showModal();
  else if (/^[1-9]$/.test(e.key)) change({ view: views[Number(e.key) - 1]! });
  else if (e.key === "c") change({ view: "compare" });
  else if (e.key === "r") change({ view: "ranks" });
  else if (e.key === "i") change({ view: "counted" });
  else return;
  e.preventDefault();
}

// A trace that is dropped into the page is compared with the one that it shows.
async function compareWith(file: File): Promise<void> {
  warn("dropped", `Reading ${file.name} …`);
  try {
    await send("second", file.name, file);
    traces = await get<TraceInfo[]>("traces");
    offerTraces();
    shown = undefined;
    forget("dropped");
    change({ trace: 0, view: "compare" }, true);
    render();
  } catch (error) {
    warn("dropped", message(error));
  }
}

function offerTraces(): void {
  traceName.hidden = traces.length > 1;
  traceChoice.hidden = traces.length < 2;
  clear(traceChoice, ...traces.map((t, i) => h("option", { value: t.number, selected: t.number === state.trace }, `${"AB"[i]}: ${t.name}`)));
}

function forget(key: string): void {
  banners.get(key)?.element.remove();
  banners.delete(key);
}

async function start(): Promise<void> {
  document.fonts.ready.then(() => timeline?.restyle());
  setTheme(localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"), false);
  document.body.append(head(), onlyChosen.element, ranksChosen.element, bannerPlace, main, help);
  clear(main, h("div", { class: "view" }, h("p", { class: "loading", role: "status" }, "Loading …")));
  try {
    // Ranks of an address that the trace has not are as none.
    const begun = load().catch((error: unknown) => {
      if (state.ranks === "") throw error;
      change({ ranks: "" });
      return load().then(() => ranksChosen.failed(message(error)));
    });
    [traces] = await Promise.all([get<TraceInfo[]>("traces"), begun]);
  } catch (error) {
    clear(main, h("div", { class: "view" }, h("p", { class: "error", role: "alert" }, message(error))));
    return;
  }
  offerTraces();
  document.addEventListener("dragover", (e) => e.preventDefault());
  document.addEventListener("drop", (e) => {
    e.preventDefault();
    const file = e.dataTransfer?.files[0];
    if (file) void compareWith(file);
  });
  searchField.addEventListener("input", () => change({ search: searchField.value.trim() }));
  searchField.addEventListener("keydown", (e) => {
    if (e.key === "Enter") void find(!e.shiftKey);
    if (e.key === "Escape") {
      change({ search: "" });
      searchField.value = "";
      timeline?.focus();
    }
  });
  let [trace, ranks] = [state.trace, state.ranks];
  onChange((changed) => {
    if (state.trace !== trace || state.ranks !== ranks) {
      const [other, before] = [state.trace !== trace, ranks];
      [trace, ranks] = [state.trace, state.ranks];
      if (other) {
        counted = "";
        forgetWarnings();
      }
      void load().then(() => {
        timeline = undefined;
        shown = undefined;
        render();
      }, (error: unknown) => {
        if (!other) { // what is shown stays
          ranks = before;
          change({ ranks });
          return ranksChosen.failed(message(error));
        }
        timeline = undefined;
        clear(main, h("p", { class: "error" }, message(error)));
      });
      return;
    }
    if ("colour" in changed) timeline?.restyle();
    else if ("search" in changed) timeline?.redraw();
    if (changed === state || "inside" in changed) timeline?.restore();
    render();
  });
  document.addEventListener("keydown", keys);
  if (overview.running && state.trace === 0) {
    live = follow(() => reload(), () => void finished(), (following) => {
      if (timeline) timeline.follow = following;
    });
    liveSlot.append(live.element);
  } else if (!overview.meta.complete) {
    const again = setInterval(() => void reload().catch((error: unknown) => {
      clearInterval(again);
      warn("lost-server", message(error));
    }), 2000);
  }
  render();
}

void start();
