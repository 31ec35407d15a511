// Under the timeline: everything about what is selected, and the statistics of
// the range that is marked.
import { get, type Detail, type Overview, type Statistics } from "../api";
import { clear, h, link, show } from "../dom";
import { duration, moment, show as shown } from "../format";
import { excerpt } from "../source";
import { change, state } from "../state";
import { table } from "../table";

interface Actions {
  select(id: string): void;
  zoom(from: number, to: number): void;
  closeSelection(): void;
  closeRange(): void;
}

export class Panel {
  readonly element = h("section", { class: "panel", hidden: true, "aria-label": "Details" });
  private readonly selected = h("div");
  private readonly marked = h("div");

  constructor(private readonly actions: Actions) {
    const edge = h("div", { class: "panel-edge", role: "separator", tabindex: 0, "aria-orientation": "horizontal", "aria-label": "Height of the details" });
    const resize = (pixels: number): void => {
      const high = Math.round(Math.min(Math.max(pixels, 80), innerHeight * 0.75));
      this.element.style.height = `${high}px`;
      localStorage.setItem("panel", String(high));
    };
    const kept = Number(localStorage.getItem("panel"));
    if (kept > 0) this.element.style.height = `min(${kept}px, 75vh)`;
    edge.addEventListener("pointerdown", (e) => edge.setPointerCapture(e.pointerId));
    edge.addEventListener("pointermove", (e) => edge.hasPointerCapture(e.pointerId) && resize(this.element.getBoundingClientRect().bottom - e.clientY));
    edge.addEventListener("keydown", (e) => {
      if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
      resize(this.element.offsetHeight + (e.key === "ArrowUp" ? 24 : -24));
      e.preventDefault();
    });
    this.element.append(edge, this.selected, this.marked);
  }

  private update(): void {
    this.element.hidden = !this.selected.hasChildNodes() && !this.marked.hasChildNodes();
  }

  detail(d: Detail | undefined, overview: Overview): void {
    if (!d) clear(this.selected);
    else clear(this.selected, this.head(d), this.body(d, overview));
    this.update();
    this.element.scrollTop = 0;
  }

  private head(d: Detail): HTMLElement {
    return h("div", { class: "panel-head" }, h("h2", { title: d.title }, d.title), h("span", {}, d.end > d.start ? duration(d.end - d.start) : ""),
      h("span", { class: "spacer" }),
      h("button", { type: "button", onclick: () => this.actions.zoom(d.start, d.end) }, "Zoom to it"),
      d.name !== "" && h("button", { type: "button", title: "Point out all of this name", onclick: () => change({ search: d.name }) }, "Find all"),
      h("button", { type: "button", "aria-label": "Close the details", onclick: () => this.actions.closeSelection() }, "×"));
  }

  private body(d: Detail, overview: Overview): HTMLElement {
    const terms = (fields: Detail["fields"]): HTMLElement => h("dl", { class: "fields" }, ...fields.map((f) => h("div", {}, h("dt", {}, f.name), h("dd", {}, shown(f.value, f.unit)))));
    const raw = d.fields.filter((f) => f.raw);
    const fields = h("div", { class: "fields-place" }, terms(d.fields.filter((f) => !f.raw)), raw.length > 0 && h("details", {}, h("summary", {}, "As the runtime gave it"), terms(raw)));
    const side = h("div", { class: "side" });
    const list = (title: string, items: HTMLElement[]): void => {
      if (items.length > 0) side.append(h("h3", {}, title), h("ul", {}, ...items.map((i) => h("li", {}, i))));
    };
    if (d.record !== 0 && state.selected?.startsWith("a")) list("Enqueued by", [link(`record ${d.record}`, () => this.actions.select(`r${d.record}`))]);
    if (d.device && state.selected?.startsWith("r")) {
      const queue = overview.queues.find((q) => q.id === d.device!.queue);
      list("On the device", [link(`${d.device.kind} on queue ${queue?.name ?? "?"}, ${duration(d.device.end - d.device.start)}`, () => this.actions.select(`a${d.device!.id}`))]);
    }
    list("Inside of", d.parents.map((p) => link(`${p.title}, ${duration(p.end - p.start)}`, () => this.actions.select(`r${p.record}`))));
    const tables: HTMLElement[] = [];
    if (d.name !== "" && (d.kind === "enqueue_launch" || d.kind === "kernel")) tables.push(link("Kernels", () => change({ view: "kernels", search: d.name })));
    else if (d.name !== "") tables.push(link("Transfers", () => change({ view: "transfers", search: d.name })));
    if (d.file !== "") tables.push(link("Sources", () => change({ view: "sources", file: d.file, line: d.line })));
    list("In the tables", tables);
    list("Call stack", d.stack.map((f) => h("span", {}, `${f.function || f.address}${f.file ? ` ${f.file}:${f.line}` : f.module ? ` in ${f.module}` : ""}`)));
    if (d.file !== "" && d.line > 0) side.append(h("h3", {}, `${d.file}:${d.line}`), excerpt(d.file, d.line));
    return h("div", { class: "panel-body" }, fields, side);
  }

  // range shows the statistics of a part of the trace.
  range(range: [number, number] | undefined, overview: Overview): void {
    if (!range) {
      clear(this.marked);
      this.update();
      return;
    }
    const [from, to] = [Math.floor(range[0]), Math.ceil(range[1])];
    const place = h("div", { class: "panel-body" });
    const step = Math.max((to - from) / 1000, 1);
    clear(this.marked, h("div", { class: "panel-head" }, h("h2", {}, "Range"), h("span", {}, `${moment(from, step)} to ${moment(to, step)}, ${duration(to - from)}`),
      h("span", { class: "spacer" }),
      h("button", { type: "button", onclick: () => this.actions.zoom(from, to) }, "Zoom to it"),
      h("button", { type: "button", "aria-label": "Close the statistics", onclick: () => this.actions.closeRange() }, "×")), place);
    this.update();
    const scroll = (): void => void (this.element.scrollTop = this.marked.offsetTop);
    scroll();
    void show(place, async () => {
      const s = await get<Statistics>("statistics", { trace: state.trace, from, to });
      const rows = s.rows.map((r) => [r.kind, r.name, r.group, r.count, r.time || null, r.time ? Math.max(r.time - r.inner, 0) : null,
        r.time ? r.time / r.count : null, r.time ? r.shortest : null, r.time ? r.longest : null, r.bytes || null]);
      return [table({ label: `Statistics of a range of ${overview.name}`, rows, omitted: s.omitted, empty: "Nothing happened in this range.", goTitle: "Point it out",
        columns: [{ title: "event", unit: "text" }, { title: "name", unit: "text" }, { title: "on", unit: "text" }, { title: "count", unit: "count" },
          { title: "time", unit: "ns", meter: true }, { title: "exclusive", unit: "ns" }, { title: "average", unit: "ns" }, { title: "shortest", unit: "ns" },
          { title: "longest", unit: "ns" }, { title: "bytes", unit: "bytes" }],
        go: (row) => change({ search: String(row[1] || row[0]) }) })];
    }).then(scroll);
  }
}
