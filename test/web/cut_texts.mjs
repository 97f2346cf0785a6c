// No panel cuts off a number, or a text without showing all of it in a tooltip, with a trace of each kind.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { press, settled } from "./browser.mjs";
import { test } from "./tap.mjs";

const root = new URL("../../", import.meta.url);
const TRACES = [
  ["page-load.json.gz", "examples/page-load.json.gz"],
  ["go.trace", "test/data/go/go126_mixed.trace"],
  ["capture.trace", "test/data/apitrace/groups_threads.trace"],
];

/** Returns the number of texts that are cut off; the numbers among them, and those without an element around them or in them whose tooltip contains the text. */
function cutTexts() {
  const found = [];
  let count = 0;
  for (const element of document.querySelectorAll("body *")) {
    const hides = getComputedStyle(element).overflowX !== "visible";
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
    if (!hides || !own || !element.checkVisibility() || element.closest(".unseen, .cm-editor, textarea, input") !== null) continue;
    if (element.scrollWidth <= element.clientWidth + 1) continue;
    count++;
    const text = element.textContent.trim();
    const hint = (element.closest("[title]") ?? element.querySelector("[title]"))?.getAttribute("title") ?? "";
    const isNumber = element.closest("td.number") !== null;
    if (isNumber || !hint.replace(/\s+/g, " ").includes(text.replace(/\s+/g, " "))) found.push(`${element.tagName} ${element.className}: ${text.slice(0, 80)}`);
  }
  return { count, found };
}

test("no number is cut off, and no text without a tooltip, in any panel of each kind of trace", async ({ page, transport, picture }) => {
  await page.setViewportSize({ width: 800, height: 700 });
  const found = [];
  let cut = 0;
  for (const [name, path] of TRACES) {
    await transport.open(page, name, await readFile(new URL(path, root)));
    await page.locator("#timeline").focus();
    await press(page, "Control+KeyA");
    await page.locator("#search").fill("r");
    await settled(page);
    await page.evaluate(() => window.varve.drawer.show("overview"));
    await settled(page);
    for (const tab of await page.locator("[role=tab]").all()) {
      const title = await tab.innerText();
      await tab.click();
      await settled(page);
      const texts = await page.evaluate(cutTexts);
      cut += texts.count;
      found.push(...texts.found.map((text) => `${name}, ${title}: ${text}`));
    }
    await picture(`panels of ${name}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual(found, []);
  assert.ok(cut > 10, `${cut} texts are cut off: the test looks at them`);
});
