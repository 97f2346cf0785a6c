// Makes index.html, and the begin of an HTML file that contains the viewer and traces (src/page_files.ts describes its blocks):
//
//   page.mjs OUTPUT PAGE first-theme.js [app.js style.css FILE...]
//
// PAGE is a template in which {{theme}}, {{style}}, {{script}}, {{icon}} and the hashes of the first three are replaced. The files that the
// style sheet names become data: addresses in it; of the others, modules and workers become data blocks.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { gzipSync } from "node:zlib";

const [output, page, ...paths] = process.argv.slice(2);
const files = new Map(paths.map((path) => [basename(path), readFileSync(path)]));
const TYPES = { ".woff2": "font/woff2", ".svg": "image/svg+xml" };
const dataAddress = (name) => `data:${TYPES[extname(name)]};base64,${files.get(name).toString("base64")}`;
const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Returns a file that is part of the page as text. It must not end its element. */
function inline(name, end) {
  const text = files.get(name).toString();
  if (end.test(text)) throw new Error(`page.mjs: ${name} would end its element`);
  return text;
}

const inlineScript = (name) => inline(name, /<\/script|<!--/i);
const parts = {
  theme: () => inlineScript("first-theme.js").trim(),
  script: () => inlineScript("app.js"),
  style: () => inline("style.css", /<\/style/i).replace(/url\("([\w.-]+)"\)/g, (_, name) => `url("${dataAddress(name)}")`),
  icon: () => dataAddress("icon.svg"),
  "theme-hash": () => hashOf(parts.theme()),
  "script-hash": () => hashOf(parts.script()),
  "style-hash": () => hashOf(parts.style()),
};
const head = readFileSync(page, "utf8").replace(/{{([\w-]+)}}/g, (_, name) => parts[name]());
const blocks = [...files.keys()]
  .filter((name) => /\.(js|wasm)$/.test(name) && !["app.js", "first-theme.js"].includes(name))
  .map((name) => `<script type="text/plain" data-file="${name}">${gzipSync(files.get(name), { level: 9 }).toString("base64")}</script>\n`);
writeFileSync(output, head + blocks.join(""));
