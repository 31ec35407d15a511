// Following a running program by server-sent events.
import { endsWithProgram, type LiveView } from "./api";
import { h } from "./dom";
import { bytes, count, duration, fraction } from "./format";

export interface Live { element: HTMLElement; follows(): boolean; pause(): void; end(): void }

// follow listens; grown is called when the trace has more, ended when no more comes.
export function follow(grown: () => Promise<void>, ended: () => void, changed: (following: boolean) => void): Live {
  const dot = h("span", { class: "dot on", "aria-hidden": "true" });
  const told = h("span", { class: "state", id: "live-state" }, "running");
  const button = h("button", { type: "button", id: "follow", "aria-pressed": "true", onclick: () => set(!following) }, "Follow");
  const element = h("div", { class: "live" }, dot, told, button);
  let following = true;
  let busy = false;
  let events = -1;
  const set = (to: boolean): void => {
    if (following === to) return;
    following = to;
    button.setAttribute("aria-pressed", String(to));
    changed(to);
  };
  const source = new EventSource("/api/live");
  source.addEventListener("view", (e) => {
    const v = JSON.parse((e as MessageEvent<string>).data) as LiveView;
    told.title = `${bytes(v.used)} in use on devices`;
    told.textContent = `${count(v.events)} events${v.lost ? ` · ${count(v.lost)} lost` : ""}${v.behind > 1e9 ? ` · the collector is ${duration(v.behind)} behind` : ""}${v.errors ? ` · ${v.errors} errors` : ""}`;
    if (busy || v.events === events) return;
    busy = true;
    events = v.events;
    // A trace that cannot be read at the moment is asked for again at the next event.
    void grown().catch(() => (events = -1)).finally(() => (busy = false));
  });
  // Once the program has ended: how far its trace is, and how long that will still take.
  let begun: { time: number; share: number } | undefined;
  source.addEventListener("finishing", (e) => {
    const f = JSON.parse((e as MessageEvent<string>).data) as { share: number; events: number; behind: number };
    button.hidden = true;
    begun ??= { time: performance.now(), share: f.share };
    const left = f.share > begun.share ? ((performance.now() - begun.time) * (1 - f.share)) / (f.share - begun.share) : undefined;
    told.textContent = `the program has ended · finishing the trace: ${fraction(f.share)}, ${count(f.events)} events, ${duration(f.behind)} behind${left === undefined ? "" : `, about ${duration(Math.ceil(left / 1000) * 1e9)} left`}`;
  });
  const end = (then = ""): void => {
    source.close();
    dot.remove();
    button.remove();
    if (then) {
      told.textContent = endsWithProgram(then);
      return;
    }
    told.textContent = "the program has ended";
    setTimeout(() => element.remove(), 8000);
  };
  source.addEventListener("end", (e) => {
    const { then } = JSON.parse((e as MessageEvent<string>).data) as { then: string };
    end(then);
    ended();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) told.textContent = "the connection was lost";
  });
  return { element, follows: () => following, pause: () => set(false), end };
}
