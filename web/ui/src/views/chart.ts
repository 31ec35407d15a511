// Canvas charts that follow the size of their place and the theme.
import { font, token } from "../colour";
import { h } from "../dom";

export type Draw = (c: CanvasRenderingContext2D, width: number, height: number) => void;

export function chart(className: string, label: string, draw: Draw): HTMLCanvasElement {
  const canvas = h("canvas", { class: className, role: "img", "aria-label": label });
  const paint = (): void => {
    const box = canvas.getBoundingClientRect();
    if (box.width === 0 || !canvas.isConnected) return;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    const c = canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, box.width, box.height);
    c.font = font(11);
    c.textBaseline = "middle";
    draw(c, box.width, box.height);
  };
  canvas.addEventListener("redraw", paint);
  new ResizeObserver(paint).observe(canvas);
  const themed = new MutationObserver(() => (canvas.isConnected ? paint() : themed.disconnect()));
  themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return canvas;
}

// strip is a row of fractions as darker and lighter parts.
export function strip(values: number[], label: string): HTMLCanvasElement {
  return chart("strip", label, (c, width, height) => {
    c.fillStyle = token("raised");
    c.fillRect(0, 0, width, height);
    c.fillStyle = token("accent");
    const w = width / values.length;
    values.forEach((v, i) => {
      const tall = Math.max(v > 0 ? 1 : 0, v * height);
      c.fillRect(i * w, height - tall, Math.ceil(w), tall);
    });
  });
}
