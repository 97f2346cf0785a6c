// Bundles one entry: bundle.mjs ENTRY OUTPUT DEPFILE TSCONFIG [small]
//
// small: for a module that other pages load. It gets only the texts whose ids are in its source files, and no part of Preact
// that it does not call.
import { readFileSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { build } from "esbuild";

const [entry, output, depfile, tsconfig, size] = process.argv.slice(2);
// Workers and the script in the head of the page are classic scripts: a page that was opened from disk cannot start modules. Its libraries get their .wasm files passed.
const isClassic = /src[\/](worker[\/]|first_theme)/.test(entry);
const options = {
  entryPoints: [entry],
  outfile: output,
  bundle: true,
  tsconfig,
  external: ["node:*"],
  format: isClassic ? "iife" : "esm",
  define: isClassic ? { "import.meta.url": "undefined" } : {},
  target: "es2022",
  minify: true,
  legalComments: "none", // the licences are in licences.txt
  charset: "utf8",
  metafile: true,
  logLevel: "warning",
};

const TEXTS = /[\/]texts\.ts$/;
const TABLES = /(export const LANGUAGES[^=]*= )(.*);/;

/** Returns a plugin that leaves out the texts of the page which the source files do not name. */
function fewTexts(inputs) {
  const sources = inputs.filter((path) => !path.includes("node_modules")).map((path) => readFileSync(path, "utf8"));
  const code = sources.filter((source) => !TABLES.test(source));
  const isUsed = ([id]) => code.some((source) => source.includes(`"${id}"`));
  const shorten = (_, begin, json) => {
    const tables = Object.entries(JSON.parse(json)).map(([tag, table]) => [tag, Object.fromEntries(Object.entries(table).filter(isUsed))]);
    return `${begin}${JSON.stringify(Object.fromEntries(tables))};`;
  };
  return {
    name: "few-texts",
    setup({ onLoad, onResolve, resolve: find }) {
      onLoad({ filter: TEXTS }, ({ path }) => ({ contents: readFileSync(path, "utf8").replace(TABLES, shorten), loader: "ts" }));
      onResolve({ filter: /^preact\/hooks$/ }, async ({ path, resolveDir, kind, pluginData }) =>
        pluginData === "found" ? undefined : { ...(await find(path, { resolveDir, kind, pluginData: "found" })), sideEffects: false },
      );
    },
  };
}

const whole = await build({ ...options, write: size === undefined });
const inputsOfWhole = Object.keys(whole.metafile.inputs);
const { metafile } = size === undefined ? whole : await build({ ...options, plugins: [fewTexts(inputsOfWhole)] });
const inputs = Object.keys(metafile.inputs).map((path) => resolve(path).replaceAll(" ", "\\ "));
writeFileSync(depfile, `${relative(process.cwd(), output)}: ${inputs.join(" ")}\n`);
