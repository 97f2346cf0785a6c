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
import { beginGroup, runInLanes, testAtEnd } from "./tap.mjs";

/**
 * Files whose cases depend on the transport, the painter or the theme: they run in both programs. The longest are first, so that the lanes
 * end together.
 */
const BOTH = ["core", "sql", "begin", "finding", "opening", "pictures", "flame", "save", "categories", "perspectives",
  "texts", "share", "several", "recent", "views", "tour", "accessibility", "forced_colours", "offline"];

/**
 * Files about panels and rows, which are the same with each transport and painter, and those of one transport. They run in one program,
 * divided so that both programs take about the same time.
 */
const ONCE = {
  worker: ["panels", "overview", "captures", "compare", "objects", "stacks", "histogram", "cut_texts", "day_times", "go", "counters", "marks"],
  http: ["live", "rows", "settings", "flows", "navigation"],
};

/** A page also waits, for example until the pointer rests. In that time another browser uses the processor. */
const LANES = 2;

const [transportName, theme, site, varve, nodeModules, pictures, liveFeed] = process.argv.slice(2);
const chromium = needChromium();

for (const file of [...ONCE[transportName], ...BOTH]) {
  beginGroup();
  await import(`./${file}.mjs`);
}

testAtEnd("the console has no errors, and no request went to another host", ({ problems }) => {
  assert.deepEqual(problems, []);
});

mkdirSync(pictures, { recursive: true });
const painter = transportName === "http" ? "webgl2" : "canvas2d";
const problems = [];
const pictureOf = (name) => join(pictures, `${transportName}-${theme}-${name.replace(/[^a-z0-9]+/gi, "-")}.png`);

/** Starts a browser and a transport of its own. */
async function openLane() {
  const browser = await launch(nodeModules, chromium, painter === "webgl2");
  const transport = await TRANSPORTS[transportName].start({ site, varve });
  const page = await newPage(browser, theme, problems);
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
  const onFailure = (name) => page.screenshot({ path: pictureOf(`failed ${name}`) });
  const close = async () => {
    await browser.close();
    await transport.stop();
  };
  return { context, onFailure, close };
}

const lanes = await Promise.all(Array.from({ length: LANES }, openLane));
const failed = await runInLanes(lanes);
await Promise.all(lanes.map((lane) => lane.close()));
process.exit(failed === 0 ? 0 : 1);
