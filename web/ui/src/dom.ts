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
// happened.
export async function show(place: Element, work: () => Promise<Child[]>, keep = false): Promise<void> {
  const turn = (turns.get(place) ?? 0) + 1;
  turns.set(place, turn);
  const timer = setTimeout(() => !keep && turns.get(place) === turn && clear(place, h("p", { class: "loading", role: "status" }, "Loading …")), 150);
  try {
    const children = await work();
    if (turns.get(place) === turn) clear(place, ...children);
  } catch (error) {
    if (turns.get(place) === turn) clear(place, h("p", { class: "error", role: "alert" }, message(error)));
  } finally {
    clearTimeout(timer);
  }
}
const turns = new WeakMap<Element, number>();

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
