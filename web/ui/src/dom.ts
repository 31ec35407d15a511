// Making elements. Text is always set as text, so nothing a trace says is ever
// taken for markup.

// plain makes characters visible that would change how others are shown:
// controls, and those that turn the direction of text.
export function plain(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, name === "value" ? String(value) : plain(String(value)));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(typeof child === "string" ? plain(child) : child);
  return element;
}

export function clear(element: Element, ...children: Child[]): void {
  element.replaceChildren(...(children.filter((c) => c !== null && c !== undefined && c !== false) as (Node | string)[]));
}

export function link(text: string, go: () => void): HTMLButtonElement {
  return h("button", { class: "link", type: "button", onclick: go }, text);
}

// placeTip puts a tooltip below and right of a place of the window, or, where the window
// ends, above and left of it.
export function placeTip(tip: HTMLElement, x: number, y: number): void {
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, x + 14 + width > innerWidth - 4 ? x - width - 10 : x + 14)}px`;
  tip.style.top = `${Math.max(4, y + 18 + height > innerHeight - 4 ? y - height - 10 : y + 18)}px`;
}

// show puts what work gives into a place, with a loading state that appears if
// it takes long, unless what is there is to be kept until then, and the error where it
// happened. What is kept is of the same kind as what comes: where the user is in it
// stays.
export async function show(place: Element, work: () => Promise<Child[]>, keep = false): Promise<void> {
  const turn = (turns.get(place) ?? 0) + 1;
  turns.set(place, turn);
  const timer = setTimeout(() => !keep && turns.get(place) === turn && clear(place, h("p", { class: "loading", role: "status" }, "Loading …")), 150);
  try {
    const children = await work();
    if (turns.get(place) !== turn) return;
    const back = keep ? held(place) : undefined;
    clear(place, ...children);
    back?.();
  } catch (error) {
    if (turns.get(place) === turn) clear(place, h("p", { class: "error", role: "alert" }, message(error)));
  } finally {
    clearTimeout(timer);
  }
}
const turns = new WeakMap<Element, number>();

// held notes what is scrolled, opened and in focus in a place, and gives what restores
// that in its new content.
function held(place: Element): () => void {
  const alike = (tag: string, label: string | null, text: string | null): HTMLElement[] => [...place.querySelectorAll<HTMLElement>(tag)].filter((e) =>
    e.getAttribute("aria-label") === label && (text === null || e.textContent === text));
  const find = (e: Element): (() => HTMLElement | undefined) => {
    const [tag, label, text] = [e.tagName, e.getAttribute("aria-label"), e.tagName === "BUTTON" ? e.textContent : null];
    const at = alike(tag, label, text).indexOf(e as HTMLElement);
    return () => alike(tag, label, text)[at];
  };
  const scrolled = [...place.querySelectorAll("[tabindex]")].filter((e) => e.scrollTop > 0 || e.scrollLeft > 0).map((e) => ({ now: find(e), top: e.scrollTop, left: e.scrollLeft }));
  const opened = [...place.querySelectorAll("details[open]")].map(find);
  const focus = document.activeElement && place.contains(document.activeElement) ? find(document.activeElement) : undefined;
  return () => {
    for (const now of opened) now()?.setAttribute("open", "");
    for (const s of scrolled) s.now()?.scrollTo({ top: s.top, left: s.left, behavior: "instant" });
    focus?.()?.focus({ preventScroll: true });
  };
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
