// Bundles one entry: bundle.mjs ENTRY OUTPUT DEPFILE TSCONFIG
import { writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { build } from "esbuild";

const [entry, output, depfile, tsconfig] = process.argv.slice(2);
// Workers are classic scripts: a page that was opened from disk cannot start modules. Its libraries get their .wasm files passed.
const isWorker = /src[\/]worker[\/]/.test(entry);
const { metafile } = await build({
  entryPoints: [entry],
  outfile: output,
  bundle: true,
  tsconfig,
  external: ["node:*"],
  format: isWorker ? "iife" : "esm",
  define: isWorker ? { "import.meta.url": "undefined" } : {},
  target: "es2022",
  minify: true,
  legalComments: "none", // the licences are in licences.txt
  charset: "utf8",
  metafile: true,
  logLevel: "warning",
});
const inputs = Object.keys(metafile.inputs).map((path) => resolve(path).replaceAll(" ", "\\ "));
writeFileSync(depfile, `${relative(process.cwd(), output)}: ${inputs.join(" ")}\n`);
