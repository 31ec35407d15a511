// Holds src/format.ts to the cases that collector/report writes its values by.
import assert from "node:assert/strict";
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const built = await build({ absWorkingDir: here, entryPoints: ["src/format.ts"], bundle: true, format: "esm", write: false });
const { few, figure, show, withoutOuter } = await import(`data:text/javascript,${encodeURIComponent(built.outputFiles[0].text)}`);
const cases = JSON.parse(await readFile(join(here, "../../collector/report/testdata/units.json"), "utf8"));
assert.ok(cases.length > 50);
for (const [unit, value, want] of cases) {
  const shown = show(value, unit);
  assert.equal(unit === "variables" ? few(shown) : shown, want, `${value} ${unit}`);
}
const figures = JSON.parse(await readFile(join(here, "../../collector/report/testdata/figures.json"), "utf8"));
assert.ok(figures.length >= 5);
for (const [unit, value, want] of figures) assert.equal(figure(value, unit), want, `${value} ${unit}`);
const names = JSON.parse(await readFile(join(here, "../../collector/report/testdata/names.json"), "utf8"));
assert.ok(names.length > 10);
for (const [name, want] of names) assert.equal(withoutOuter(name), want ?? undefined, name);
