// Joins the licences of the code and data in the page: licences.mjs LICENCE... OUTPUT
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";

const paths = process.argv.slice(2);
const output = paths.pop();
const texts = paths.map((path) => `${basename(dirname(path))}\n\n${readFileSync(path, "utf8").trim()}\n`);
writeFileSync(output, `Varve's page contains these works:\n\n${texts.join("\n----\n\n")}`);
