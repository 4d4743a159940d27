// Two bundles: the extension, which runs beside the editor, and the page it shows.
import { build } from "esbuild";

const common = { bundle: true, minify: true, sourcemap: false, legalComments: "none", logLevel: "warning" };

await build({
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});
await build({
  ...common,
  entryPoints: { view: "view/main.ts", style: "view/style.css" },
  outdir: "dist",
  platform: "browser",
  format: "iife",
  target: "es2022",
});
