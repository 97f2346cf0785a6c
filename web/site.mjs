// Lays the files out in a fresh folder: site.mjs FOLDER FILE...
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

const [folder, ...files] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const file of files) copyFileSync(file, join(folder, basename(file)));
