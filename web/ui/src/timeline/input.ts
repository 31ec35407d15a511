// What pointers, wheel and keys do to the timeline.
import { gutter, ruler } from "./paint";

export interface Target {
  span(): number; // ns shown
  width(): number; // pixels of time
  zoom(factor: number, x: number): void; // about a pixel
  pan(pixels: number): void;
  scroll(pixels: number): void;
  point(x: number, y: number, inside: boolean): void;
  tap(x: number, y: number): void;
  open(x: number, y: number): void; // a double click
  range(x0: number, x1: number, done: boolean): void;
  resizeNames(pixels: number): void;
  menu(x: number, y: number): boolean; // of a name, if one is there
}

export function pointers(canvas: HTMLCanvasElement, target: Target): void {
  const down = new Map<number, { x: number; y: number }>();
  let begun: { x: number; y: number; ranging: boolean; resizing: boolean; moved: boolean } | undefined;
  const place = (e: MouseEvent): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    const at = place(e);
    canvas.setPointerCapture(e.pointerId);
    down.set(e.pointerId, at);
    if (down.size === 1) begun = { ...at, resizing: onEdge(at.x), ranging: at.x > gutter && (e.shiftKey || at.y < ruler), moved: false };
    else if (begun) begun.moved = true;
  });
  canvas.addEventListener("pointermove", (e) => {
    const at = place(e);
    const before = down.get(e.pointerId);
    if (!before || !begun) {
      target.point(at.x, at.y, true);
      return;
    }
    if (down.size === 2) {
      const [a, b] = [...down.entries()].map(([id, p]) => (id === e.pointerId ? [p, at] : [p, p])) as [[Point, Point], [Point, Point]];
      const spread = (p: Point, q: Point): number => Math.max(Math.hypot(p.x - q.x, p.y - q.y), 10);
      target.zoom(spread(a[0], b[0]) / spread(a[1], b[1]), (a[1].x + b[1].x) / 2);
      target.pan((a[0].x + b[0].x - a[1].x - b[1].x) / 2);
      down.set(e.pointerId, at);
      return;
    }
    if (!begun.moved && Math.hypot(at.x - begun.x, at.y - begun.y) < 4) return;
    begun.moved = true;
    if (begun.resizing) {
      target.resizeNames(at.x);
      down.set(e.pointerId, at);
      return;
    }
    if (begun.ranging) target.range(begun.x, at.x, false);
    else {
      target.pan(before.x - at.x);
      target.scroll(before.y - at.y);
    }
    down.set(e.pointerId, at);
    target.point(at.x, at.y, !begun.ranging);
  });
  const up = (e: PointerEvent): void => {
    if (!down.delete(e.pointerId) || down.size > 0 || !begun) return;
    const at = place(e);
    if (e.type === "pointerup") {
      if (begun.resizing) {
        // That was all.
      } else if (begun.ranging && begun.moved) target.range(begun.x, at.x, true);
      else if (!begun.moved) target.tap(at.x, at.y);
    }
    begun = undefined;
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => target.point(0, 0, false));
  canvas.addEventListener("contextmenu", (e) => {
    if (target.menu(place(e).x, place(e).y)) e.preventDefault();
  });
  canvas.addEventListener("dblclick", (e) => target.open(place(e).x, place(e).y));
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    const unit = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : e.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
    const { x } = place(e);
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) target.pan(e.deltaX * unit);
    else if (e.shiftKey) target.pan(e.deltaY * unit);
    else if (x < gutter || e.altKey) target.scroll(e.deltaY * unit);
    else target.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY * unit * 0.0022))), x);
  }, { passive: false });
}

// onEdge says whether a place is on the edge of the names, which can be dragged.
export function onEdge(x: number): boolean {
  return Math.abs(x - gutter) <= 4;
}

interface Point { x: number; y: number }

// keys lets held keys move the timeline smoothly.
export function keys(element: HTMLElement, target: Target, other: (e: KeyboardEvent) => boolean): void {
  const held = new Set<string>();
  let last = 0;
  const moves = (dt: number): void => {
    for (const key of held) {
      if (key === "w" || key === "+" || key === "=") target.zoom(Math.exp(-dt / 260), gutter + target.width() / 2);
      if (key === "s" || key === "-") target.zoom(Math.exp(dt / 260), gutter + target.width() / 2);
      if (key === "a" || key === "arrowleft") target.pan((-target.width() * dt) / 1100);
      if (key === "d" || key === "arrowright") target.pan((target.width() * dt) / 1100);
      if (key === "arrowup") target.scroll(-dt / 1.6);
      if (key === "arrowdown") target.scroll(dt / 1.6);
    }
  };
  const frame = (now: number): void => {
    if (held.size === 0) return;
    moves(Math.min(now - last, 60));
    last = now;
    requestAnimationFrame(frame);
  };
  const moving = new Set(["w", "a", "s", "d", "+", "=", "-", "arrowleft", "arrowright", "arrowup", "arrowdown"]);
  element.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const key = e.key.toLowerCase();
    if (moving.has(key)) {
      e.preventDefault();
      if (held.has(key)) return;
      const idle = held.size === 0;
      held.add(key);
      moves(60);
      if (idle) {
        last = performance.now();
        requestAnimationFrame(frame);
      }
    } else if (other(e)) e.preventDefault();
  });
  element.addEventListener("keyup", (e) => held.delete(e.key.toLowerCase()));
  element.addEventListener("blur", () => held.clear());
}
