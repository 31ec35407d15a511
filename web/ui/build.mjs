// Bundles the page into the folder given, ../dist by default. The same source
// gives the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "dist");
await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { page: "src/main.ts" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
for (const file of ["index.html", "page.css", "icon.svg"]) {
  await copyFile(join(here, "src", file), join(out, file));
}
// The fonts, with their licences: what is measured and compared looks the same everywhere.
const fonts = join(here, "node_modules");
for (const [to, from] of Object.entries({
  "inter.woff2": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "mono.woff2": "@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff2",
  "mono-bold.woff2": "@fontsource/jetbrains-mono/files/jetbrains-mono-latin-600-normal.woff2",
})) {
  await copyFile(join(fonts, from), join(out, to));
}
const licences = await Promise.all(["@fontsource-variable/inter", "@fontsource/jetbrains-mono"].map((name) => readFile(join(fonts, name, "LICENSE"), "utf8")));
await writeFile(join(out, "fonts.txt"), licences.join("\n\n"));
