// Writes the service worker of the static page: service_worker.mjs OUTPUT TEMPLATE FILE...
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

/** Files that few users need, and that are larger than all others together: they are cached when they are first used. */
const LATER = /^duckdb-|^sql-|^parquet/;

const [output, template, ...paths] = process.argv.slice(2);
const files = {};
for (const path of paths.sort((a, b) => basename(a).localeCompare(basename(b)))) {
  const hash = `sha256-${createHash("sha256").update(readFileSync(path)).digest("base64")}`;
  files[basename(path)] = [hash, !LATER.test(basename(path))];
}
const list = JSON.stringify(files);
const version = createHash("sha256").update(list).digest("hex").slice(0, 16);
const text = readFileSync(template, "utf8").replace("{{version}}", version).replace("const FILES = {};", () => `const FILES = ${list};`);
writeFileSync(output, text);
