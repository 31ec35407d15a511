// How the user has arranged the tracks: what is pinned, hidden, and in which order.
// The browser keeps it for each trace's name.
import { clear, h } from "../dom";
import type { Track } from "./layout";

interface Kept { hidden: string[]; pinned: string[]; order: string[] }

export class Arrangement {
  private hidden = new Set<string>();
  private pinned = new Set<string>();
  private order: string[] = []; // keys of those that were moved, among their neighbours
  private readonly name: string;

  constructor(trace: string, private readonly changed: () => void) {
    this.name = `tracks ${trace}`;
    try {
      const kept = JSON.parse(localStorage.getItem(this.name) ?? "{}") as Partial<Kept>;
      this.hidden = new Set(kept.hidden);
      this.pinned = new Set(kept.pinned);
      this.order = kept.order ?? [];
    } catch {
      localStorage.removeItem(this.name);
    }
  }

  isHidden(key: string): boolean {
    return this.hidden.has(key);
  }

  isPinned(key: string): boolean {
    return this.pinned.has(key);
  }

  // hiddenAmong counts those of the tracks that are hidden: what is kept may be of
  // another trace of this name.
  hiddenAmong(tracks: Track[]): number {
    return tracks.reduce((sum, t) => sum + (this.isHidden(t.row.key) ? 1 : 0) + this.hiddenAmong(t.inner), 0);
  }

  private keep(): void {
    const kept: Kept = { hidden: [...this.hidden], pinned: [...this.pinned], order: this.order };
    if (kept.hidden.length + kept.pinned.length + kept.order.length === 0) localStorage.removeItem(this.name);
    else localStorage.setItem(this.name, JSON.stringify(kept));
    this.changed();
  }

  hide(key: string, yes: boolean): void {
    if (yes) this.hidden.add(key);
    else this.hidden.delete(key);
    this.keep();
  }

  pin(key: string, yes: boolean): void {
    if (yes) this.pinned.add(key);
    else this.pinned.delete(key);
    this.keep();
  }

  reset(): void {
    this.hidden.clear();
    this.pinned.clear();
    this.order = [];
    this.keep();
  }

  // move puts a track before or after its neighbour; all of them keep their places.
  move(tracks: Track[], key: string, by: -1 | 1): void {
    const among = siblings(tracks, key);
    const at = among.findIndex((t) => t.row.key === key);
    const to = at + by;
    if (at < 0 || to < 0 || to >= among.length) return;
    const keys = among.map((t) => t.row.key);
    [keys[at], keys[to]] = [keys[to]!, keys[at]!];
    this.order = [...this.order.filter((k) => !keys.includes(k)), ...keys];
    this.keep();
  }

  sorted(tracks: Track[]): Track[] {
    for (const track of tracks) track.inner = this.sorted(track.inner);
    if (this.order.length === 0) return tracks;
    const place = new Map(this.order.map((key, i) => [key, i]));
    // Those that were never moved stay where they are, at the end of those that were.
    return tracks.map((track, i) => ({ track, at: place.get(track.row.key) ?? this.order.length + i })).sort((a, b) => a.at - b.at).map((x) => x.track);
  }
}

function siblings(tracks: Track[], key: string): Track[] {
  if (tracks.some((t) => t.row.key === key)) return tracks;
  for (const t of tracks) {
    const found = siblings(t.inner, key);
    if (found.length > 0) return found;
  }
  return [];
}

// trackList is a dialog with all tracks, to pin, hide and move them.
export class TrackList {
  readonly element: HTMLDialogElement;
  private readonly list = h("ul", { class: "tracks" });

  constructor(private readonly arrangement: Arrangement, private readonly tracks: () => Track[]) {
    this.element = h("dialog", { class: "track-list", "aria-label": "Tracks" }, h("h1", {}, "Tracks"),
      h("p", { class: "note" }, "Pinned tracks stay at the top. In the timeline, a right click on a name, or a click on its dots, gives the same."), this.list,
      h("div", { class: "bar" }, h("button", { type: "button", class: "primary", onclick: () => this.element.close() }, "Close"),
        h("button", { type: "button", onclick: () => {
          this.arrangement.reset();
          this.draw();
        } }, "As at first")));
  }

  open(): void {
    this.draw();
    this.element.showModal();
  }

  private draw(focus?: string): void {
    const items: HTMLElement[] = [];
    const add = (t: Track): void => {
      const { key, label, type, indent } = t.row;
      const act = (text: string, title: string, go: () => void, pressed?: boolean): HTMLElement => h("button", { type: "button", title: `${title}: ${label}`, "aria-label": `${title}: ${label}`,
        "data-act": `${key} ${text}`, "aria-pressed": pressed === undefined ? undefined : String(pressed), onclick: () => {
          go();
          this.draw(`${key} ${text}`);
        } }, text);
      const shown = h("input", { type: "checkbox", checked: !this.arrangement.isHidden(key), "data-act": `${key} show`, onchange: () => {
        this.arrangement.hide(key, !shown.checked);
        this.draw(`${key} show`);
      } });
      const name = h("label", {}, shown, label);
      name.style.paddingLeft = `${indent * 16}px`;
      items.push(h("li", { class: type === "group" ? "group" : "" }, name, type !== "group" && act("Pin", "Pin to the top", () => this.arrangement.pin(key, !this.arrangement.isPinned(key)), this.arrangement.isPinned(key)),
        act("Up", "Move up", () => this.arrangement.move(this.tracks(), key, -1)), act("Down", "Move down", () => this.arrangement.move(this.tracks(), key, 1))));
      t.inner.forEach(add);
    };
    this.tracks().forEach(add);
    clear(this.list, ...items);
    if (focus) this.list.querySelector<HTMLElement>(`[data-act="${CSS.escape(focus)}"]`)?.focus();
  }
}
