// The viewer in a real Chromium, with one transport in one theme. Over HTTP the timeline is painted with WebGL2; with the
// worker Chromium has no WebGL, so it is painted with Canvas 2D:
//
//   viewer_test.mjs worker|http dark|light SITE VARVE NODE_MODULES PICTURES LIVE_FEED
//
// Pictures of the tests and of failures stay in the folder PICTURES.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TRANSPORTS, launch, needChromium, newPage } from "./browser.mjs";
import { run, test } from "./tap.mjs";
import "./core.mjs";
import "./navigation.mjs";
import "./panels.mjs";
import "./overview.mjs";
import "./counters.mjs";
import "./settings.mjs";
import "./histogram.mjs";
import "./finding.mjs";
import "./rows.mjs";
import "./categories.mjs";
import "./objects.mjs";
import "./perspectives.mjs";
import "./flame.mjs";
import "./compare.mjs";
import "./marks.mjs";
import "./views.mjs";
import "./save.mjs";
import "./share.mjs";
import "./go.mjs";
import "./captures.mjs";
import "./day_times.mjs";
import "./pictures.mjs";
import "./stacks.mjs";
import "./flows.mjs";
import "./sql.mjs";
import "./opening.mjs";
import "./begin.mjs";
import "./several.mjs";
import "./recent.mjs";
import "./cut_texts.mjs";
import "./tour.mjs";
import "./offline.mjs";
import "./live.mjs";
import "./accessibility.mjs";
import "./eyes.mjs";
import "./texts.mjs";

const [transportName, theme, site, varve, nodeModules, pictures, liveFeed] = process.argv.slice(2);
const chromium = needChromium();

test("the console has no errors, and no request went to another host", ({ problems }) => {
  assert.deepEqual(problems, []);
});

mkdirSync(pictures, { recursive: true });
const painter = transportName === "http" ? "webgl2" : "canvas2d";
const browser = await launch(nodeModules, chromium, painter === "webgl2");
const transport = await TRANSPORTS[transportName].start({ site, varve });
const problems = [];
const page = await newPage(browser, theme, problems);
const pictureOf = (name) => join(pictures, `${transportName}-${theme}-${name.replace(/[^a-z0-9]+/gi, "-")}.png`);
const context = {
  page,
  transport,
  transportName,
  site,
  theme,
  liveFeed,
  nodeModules,
  varve,
  problems,
  painters: [painter],
  picture: (name, shown = page) => shown.screenshot({ path: pictureOf(name), animations: "disabled" }),
  /** Runs a test with a page with other options, and closes it afterwards. */
  async withPage(options, body) {
    const other = await newPage(browser, theme, problems, options);
    try {
      await body(other);
    } finally {
      await other.context().close();
    }
  },
};
const failed = await run(context, (name) => page.screenshot({ path: pictureOf(`failed ${name}`) }));
await browser.close();
await transport.stop();
process.exit(failed === 0 ? 0 : 1);
