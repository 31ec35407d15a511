// Views of a trace that grows: they are read anew now and then, where the user is not at
// something in them, and what the user chose, opened and scrolled to stays.
import type { Overview } from "./api";

// A view, and, where it shows more than it did once its trace has, how that gets into it.
export interface View { element: HTMLElement; grow?(o: Overview, ended: boolean): void }

// How often at most a view is read anew, ms, and which share of the time that may take.
const seldom = 2000;
const share = 0.2;

// Pace reads a view: at once, and again when its trace has grown.
export class Pace {
  private timer = 0;
  private next = 0;
  private reading = false;
  private more = false; // the trace has grown since it is being read

  constructor(private readonly element: HTMLElement, private readonly read: (again: boolean) => Promise<unknown>) {}

  // load reads, in the place of what is shown: of the same with again, else of another.
  async load(again = false): Promise<void> {
    clearTimeout(this.timer);
    this.reading = true;
    this.more = false;
    const begun = performance.now();
    await this.read(again);
    const now = performance.now();
    this.next = now + Math.max(seldom, (now - begun) / share);
    this.reading = false;
    if (this.more) this.grow();
  }

  grow(ended = false): void {
    clearTimeout(this.timer);
    if (ended) this.next = 0;
    if (this.reading) {
      this.more = true;
      return;
    }
    const wait = Math.max(this.next - performance.now(), busy(this.element) ? seldom / 2 : 0);
    if (wait <= 0) void this.load(true);
    else this.timer = setTimeout(() => this.element.isConnected && this.grow(), wait);
  }
}

// busy says whether the user is at something that new content would take away: a choice
// that may be open, marked text, a tooltip; and whether nobody looks.
function busy(element: HTMLElement): boolean {
  const marked = document.getSelection();
  return document.hidden || (document.activeElement?.tagName === "SELECT" && element.contains(document.activeElement)) ||
    (marked !== null && !marked.isCollapsed && element.contains(marked.anchorNode)) || element.querySelector(".tip:not([hidden])") !== null;
}
