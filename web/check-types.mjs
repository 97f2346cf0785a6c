// Checks the types of the files that a configuration includes, strictly: check-types.mjs TSCONFIG STAMP DEPFILE
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { relative } from "node:path";

const [config, stamp, depfile] = process.argv.slice(2);
const compiler = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
const { status, stdout } = spawnSync(process.execPath, [compiler, "--project", config, "--listFiles"], {
  stdio: ["ignore", "pipe", "inherit"],
  encoding: "utf8",
});
const [files, messages] = [[], []];
for (const line of stdout.split("\n")) (/^\/.*\.tsx?$/.test(line) ? files : messages).push(line);
process.stderr.write(messages.join("\n"));
if (status !== 0) process.exit(status ?? 1);

writeFileSync(stamp, "");
writeFileSync(depfile, `${relative(process.cwd(), stamp)}: ${files.map((file) => file.replaceAll(" ", "\\ ")).join(" ")}\n`);
