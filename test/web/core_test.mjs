// The core of the tests of the viewer and of the element varve-timeline in Firefox or WebKitGTK, with one transport:
//
//   core_test.mjs firefox|webkit worker|http SITE MODULE VARVE NODE_MODULES PICTURES
//
// Pictures of the tests and of failures stay in the folder PICTURES.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TRANSPORTS, launchFirefox, launchWebKit } from "./browser.mjs";
import { run, test } from "./tap.mjs";
import "./core.mjs";

const [browserName, transportName, site, module, varve, nodeModules, pictures] = process.argv.slice(2);

if (transportName === "worker") await import("./element_core.mjs"); // the element has no server

test("the console has no errors, and no request went to another host", ({ problems }) => {
  if (browserName === "webkit") return "its driver does not report them";
  // Playwright adds a style to the page before a screenshot, which Firefox refuses.
  return assert.deepEqual(problems.filter((problem) => !/blocked an inline style/.test(problem)), []);
});

mkdirSync(pictures, { recursive: true });
const problems = [];
const { page, version, close } = await (browserName === "webkit" ? launchWebKit() : launchFirefox(nodeModules, problems));
console.log(`# ${browserName} ${version}`);
const transport = await TRANSPORTS[transportName].start({ site, varve });
const picture = (name) => page.screenshot({ path: join(pictures, `${browserName}-${transportName}-${name.replace(/[^a-z0-9]+/gi, "-")}.png`) });
// Firefox has no WebGL2 without a graphics card; WebKitGTK has it where Mesa is installed.
const context = { page, module, transport, transportName, varve, problems, painters: browserName === "firefox" ? ["canvas2d"] : ["canvas2d", "webgl2"], picture };
const failed = await run(context, (name) => picture(`failed ${name}`));
await close();
await transport.stop();
process.exit(failed === 0 ? 0 : 1);
