// The tab Overview: its facts and lists are visible without a scroll, and each line leads into the timeline.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { loaded, settled } from "./browser.mjs";
import { brokenTrace, sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const root = new URL("../../", import.meta.url);
const EXAMPLE = readFileSync(new URL("examples/page-load.json.gz", root));
const LISTS = ["Busiest tracks", "Names by self time", "Most frequent names", "Longest slices", "Longer than usual"];

/** Shows Overview. Returns the titles of its lists, and the facts, lists and texts that are not inside the visible part of the drawer. */
async function overview(page, titles) {
  await page.evaluate(() => window.varve.drawer.show("overview"));
  await page.locator(".top-lists h4", { hasText: titles.at(-1) }).waitFor();
  await settled(page);
  return page.evaluate(() => {
    const body = document.querySelector(".drawer-body").getBoundingClientRect();
    const bottom = Math.min(body.bottom, innerHeight);
    const isInside = ({ top, bottom: end, left, right }) => top >= body.top && end <= bottom && left >= body.left && right <= body.right;
    const shown = [...document.querySelectorAll(".facts-line > div, .top-lists > div, .top-lists li")].filter((one) => one.checkVisibility());
    return {
      titles: [...document.querySelectorAll(".top-lists h4")].map((title) => title.innerText.trim()),
      outside: shown.filter((one) => !isInside(one.getBoundingClientRect())).map((one) => one.textContent),
    };
  });
}

const TRACES = [
  ["page-load.json.gz", EXAMPLE, LISTS],
  ["go.trace", readFileSync(new URL("test/data/go/go126_mixed.trace", root)), LISTS],
  ["capture.trace", readFileSync(new URL("test/data/apitrace/groups_threads.trace", root)), LISTS.slice(0, 4)],
  ["broken.json", brokenTrace(), LISTS.slice(0, 4)],
  ["sample.json", sampleTrace(), LISTS.slice(0, 4)],
];

test("Overview shows all facts and lists of a trace without a scroll", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    for (const [name, content, titles] of TRACES) {
      await transport.open(page, name, content);
      for (const viewport of [{ width: 1280, height: 800 }, { width: 1600, height: 900 }]) {
        await page.setViewportSize(viewport);
        assert.deepEqual(await overview(page, titles), { titles, outside: [] }, `${name} at ${viewport.width} px`);
      }
      await picture(`overview ${name}`, page);
    }
  });
});

test("Overview shows all lists below the introduction", async ({ transport, transportName, withPage, picture }) => {
  if (transportName !== "worker") return "a server is given a file";
  await withPage({ viewport: { width: 1280, height: 800 } }, async (page) => {
    await page.goto(transport.server.url);
    await loaded(page);
    await page.locator(".welcome").waitFor();
    assert.deepEqual(await overview(page, LISTS), { titles: LISTS, outside: [] });
    await picture("overview introduction", page);
  });
});

test("Overview scrolls in a narrow window, and with larger text", async ({ transport, withPage, picture }) => {
  await withPage({ viewport: { width: 700, height: 800 } }, async (page) => {
    await transport.open(page, "page-load.json.gz", EXAMPLE);
    const lastList = page.locator(".top-lists > div", { hasText: LISTS.at(-1) });
    const bottomOf = async (locator) => locator.evaluate((one) => Math.round(one.getBoundingClientRect().bottom));
    for (const [width, textSize] of [[700, "normal"], [1280, "larger"]]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((textSize) => window.varve.settings.change({ textSize }), textSize);
      assert.notDeepEqual((await overview(page, LISTS)).outside, [], `${width} px, ${textSize} text`);
      await lastList.locator("li").last().scrollIntoViewIfNeeded();
      assert.ok((await bottomOf(lastList)) <= (await bottomOf(page.locator(".drawer-body"))) + 1, `${width} px, ${textSize} text: the end is reached`);
      await picture(`overview scrolled ${width}`, page);
      await page.evaluate(() => window.varve.settings.change({ textSize: "normal" }));
    }
  });
});

test("the overview lists names and leads to the longest slice", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await page.getByRole("tab", { name: "Overview" }).click();
  const list = (title) => page.locator(".top-lists > div", { hasText: title }).locator("li").getByRole("button");
  await list("Most frequent names").first().waitFor();
  assert.equal(await page.getByRole("tab", { name: "Overview" }).getAttribute("aria-selected"), "true");
  await picture("overview");
  const longest = list("Longest slices").first();
  const name = await longest.innerText();
  await longest.click();
  await page.locator("#details").getByText(name, { exact: true }).first().waitFor();
  assert.equal(await page.getByRole("tab", { name: "Details" }).getAttribute("aria-selected"), "true");
});

test("the overview, the details and the categories use the width of a wide window", async ({ transport, withPage }) => {
  await withPage({ viewport: { width: 3840, height: 900 } }, async (page) => {
    await transport.open(page, "page-load.json.gz", EXAMPLE);
    const show = async (tab) => {
      await page.evaluate((tab) => window.varve.drawer.show(tab), tab);
      await settled(page);
    };
    const cut = (selector) => page.locator(selector).evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
    await show("overview");
    await page.locator(".top-lists > div").nth(4).waitFor();
    assert.deepEqual(await cut(".top-lists .link"), []);
    await show("categories");
    assert.ok((await page.locator(".category-name").filter({ hasText: "disabled-by-default-" }).count()) > 0);
    assert.deepEqual(await cut(".category-name"), []);
    await page.evaluate(() => window.varve.selection.selectNamed(0, "FunctionCall"));
    await page.locator("#details").waitFor();
    const widths = await page.locator("#details > section").evaluateAll((all) => all.map((one) => one.clientWidth));
    assert.ok(widths.length >= 2 && widths.every((width) => width > 800), `${widths}`);
  });
});

test("every line of the overview leads into the timeline", async ({ page, transport, picture }) => {
  await transport.open(page, "page-load.json.gz", EXAMPLE);
  const show = async () => {
    await page.evaluate(() => {
      window.varve.dialog.set(null);
      window.varve.drawer.show("overview");
    });
    await page.locator(".top-lists > div").nth(4).waitFor();
    await settled(page);
  };
  const state = () =>
    page.evaluate(() => {
      const { details, highlighted, view, dialog, drawer, areaKind } = window.varve;
      const { begin } = view.range(0);
      return [details.value.kind, highlighted.value.label, String(begin), dialog.value, drawer.tab.value, areaKind.value, String(view.span(0))];
    });
  await show();
  await picture("overview of the example");
  const facts = await page.locator(".trace-info .facts-line").innerText();
  for (const fact of ["Format", "Time range", "Processes", "Import"]) assert.ok(facts.includes(fact), `${fact} in ${facts}`);
  assert.match(await page.locator(".trace-info .facts-line dd", { hasText: /^79$/ }).getAttribute("title"), /also those without events/);
  await page.evaluate(() => window.varve.dialog.set("filter-tracks"));
  await page.getByText("70 tracks with events.").waitFor();
  await show();
  const titles = await page.locator(".top-lists h4").allInnerTexts();
  assert.deepEqual(titles, LISTS);
  const lists = await page.locator(".top-lists > div").evaluateAll((lists) =>
    lists.map((list) => {
      const numbers = [...list.querySelectorAll("li .number:not(.times)")];
      return {
        unit: list.querySelector(".unit")?.textContent ?? "",
        texts: numbers.map((number) => number.textContent),
        exact: numbers.map((number) => number.title),
        ends: numbers.map((number) => number.getBoundingClientRect().right),
      };
    }),
  );
  const unusual = page.locator(".top-lists > div", { hasText: "Longer than usual" });
  assert.equal(await unusual.locator(".of-times").innerText(), "× median");
  const times = unusual.locator(".times").first();
  assert.equal(await times.getAttribute("title"), `${(await times.innerText()).replace("×", "")} times the median of the name`);
  assert.deepEqual(lists.map(({ unit }) => /^(ns|µs|ms|s)$/.test(unit)), [true, true, false, true, true]);
  for (const { texts, exact, ends } of lists.filter(({ unit }) => unit !== "")) {
    const decimals = texts.map((text) => (/\.(\d+)$/.exec(text)?.[1] ?? text).length);
    assert.ok(decimals.every((count) => count === decimals[0]) && ends.every((x) => Math.abs(x - ends[0]) < 0.6), `the decimal points of ${texts} are aligned`);
    assert.ok(exact.every((text) => /^[\d\u202f]+ ns$/.test(text)), exact.join());
  }
  const copied = async (title) => {
    await page.locator(".top-lists > div", { hasText: title }).getByRole("button", { name: "Copy the table" }).click();
    return (await page.evaluate(() => navigator.clipboard.readText())).split("\n").map((line) => line.split("\t"));
  };
  assert.deepEqual((await copied("Busiest tracks")).slice(0, 3), [["name", "ns"], ["Animation", "182996598000"], ["CrGpuMain (9998)", "2211738000"]]);
  assert.deepEqual((await copied("Most frequent names")).slice(0, 2), [["name", "count"], ["ThreadControllerImpl::RunTask", "6325"]]);
  assert.deepEqual((await copied("Longer than usual")).at(0), ["name", "ns", "times_median"]);
  const lines = page.locator(".trace-info .facts-line button, .top-lists li:first-child button, .top-lists li:last-child button");
  const count = await lines.count();
  assert.ok(count >= 16, `${count} lines`);
  for (let i = 0; i < count; i++) {
    await page.evaluate(() => {
      const { selection, view } = window.varve;
      selection.select(null);
      window.varve.highlight(0, 0);
      view.setRange(0, 100_000_000n, 101_000_000n, performance.now());
      window.varve.schedule();
    });
    await show();
    const before = await state();
    const text = await lines.nth(i).innerText();
    await lines.nth(i).click();
    await settled(page);
    assert.notDeepEqual(await state(), before, `the line ${text}`);
  }
  await page.evaluate(() => {
    window.varve.dialog.set(null);
    window.varve.areaKind.set("slices");
    window.varve.highlight(0, 0);
  });
});
