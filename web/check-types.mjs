// Checks the types of all of src/, strictly: check-types.mjs TSCONFIG STAMP DEPFILE
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

const [config, stamp, depfile] = process.argv.slice(2);
const compiler = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
const { status } = spawnSync(process.execPath, [compiler, "--project", config], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

const sources = join(dirname(config), "src");
const files = readdirSync(sources, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? readdirSync(join(sources, entry.name)).map((name) => join(sources, entry.name, name)) : [join(sources, entry.name)],
);
writeFileSync(stamp, "");
writeFileSync(depfile, `${relative(process.cwd(), stamp)}: ${files.map((file) => file.replaceAll(" ", "\\ ")).join(" ")}\n`);
