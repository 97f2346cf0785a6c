// Perspectives of a Go trace: by processor, by goroutine, by thread.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { idle, loaded, press, range, settled, viewInAddress } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const goTrace = () => readFileSync(new URL("../data/go/go126_chans.trace", import.meta.url));
const choice = (page, name) => page.getByRole("radiogroup", { name: "Perspective" }).getByRole("radio", { name, exact: true });
const rows = async (page) => (await page.locator("[role=treegrid] [role=row]").allInnerTexts()).join("\n");

test("a Go trace opens by processor, and loads only that perspective", async ({ page, transport, picture }) => {
  await transport.open(page, "chans.trace", goTrace());
  assert.equal(await choice(page, "Processors").getAttribute("aria-checked"), "true");
  assert.match(await rows(page), /Metrics[^]*Processors[^]*P 0/);
  assert.doesNotMatch(await rows(page), /\bM \d|G 1\b/);
  await picture("perspective processors");
});

test("V switches to goroutines, and the link stores it", async ({ page, picture }) => {
  await press(page, "KeyV");
  await idle(page);
  assert.equal(await choice(page, "Goroutines").getAttribute("aria-checked"), "true");
  assert.match(await rows(page), /main\.chans\.func1\n/);
  assert.doesNotMatch(await rows(page), /Processors|\bM \d/);
  assert.equal((await viewInAddress(page)).perspective, "Goroutines");
  await picture("perspective goroutines");
});

test("a link restores the perspective and the selection", async ({ page, transportName }) => {
  if (transportName !== "http") return "a dropped file is lost when its page is closed";
  await page.evaluate(() => window.varve.selection.selectNamed(0, "chan receive"));
  const heading = page.locator("#details h2", { hasText: "chan receive" });
  await heading.waitFor(); // its pane takes a part of the rows' height, which may scroll them
  await settled(page);
  assert.equal((await viewInAddress(page)).traces[0].slice.name, "chan receive");
  const details = await heading.innerText();
  const before = await rows(page);
  await page.reload();
  await loaded(page);
  await heading.waitFor();
  await settled(page);
  assert.equal(await choice(page, "Goroutines").getAttribute("aria-checked"), "true");
  assert.equal(await rows(page), before);
  assert.equal(await page.locator("#details h2").innerText(), details);
});

test("the table of an area counts the shown perspective", async ({ page, picture }) => {
  for (const [shown, counted] of [["Goroutines", "goroutines"], ["All", "goroutines"], ["Processors", "processors"], ["Goroutines", "goroutines"]]) {
    await choice(page, shown).click();
    await idle(page);
    await press(page, "Control+KeyA");
    await page.locator(".area-head").waitFor();
    assert.match(await page.locator(".area-head").innerText(), new RegExp(`counted by ${counted}`), shown);
    if (shown === "All") await picture("area of all perspectives");
    await press(page, "Escape");
  }
});

test("all perspectives together, and back to a loaded one", async ({ page }) => {
  const filtered = async (pattern) => {
    await page.evaluate((text) => window.varve.filterTracks(text), pattern);
    await idle(page);
    return rows(page);
  };
  await choice(page, "All").click();
  await idle(page);
  assert.match(await filtered("P 0"), /Processors[^]*P 0/);
  assert.match(await filtered("main.chans.func1"), /main\.chans\.func1\n[^]*G 25/);
  await choice(page, "Threads").click();
  await idle(page);
  assert.match(await filtered("M "), /Threads[^]*M \d/);
  assert.doesNotMatch(await filtered("P 0"), /Processors/);
  await choice(page, "Processors").click();
  await idle(page);
  assert.match(await filtered("P 0"), /Processors[^]*P 0/);
  await filtered("");
});

test("the selection is kept in the next perspective, and so is the visible range", async ({ page, transport, picture }) => {
  const selected = () =>
    page.evaluate(() => {
      const { slice } = window.varve.details.value;
      return { name: slice.name, crossViewId: slice.cross_view_id, thread: slice.thread.title, begin: slice.begin.tick };
    });
  /** A slice on such a lane is selected. */
  const settled = (perspective) =>
    page.waitForFunction((name) => {
      const { details, perspectives } = window.varve;
      const lane = details.value.kind === "slice" ? details.value.slice.thread.title : "";
      return perspectives.state.value.shown === name && lane.startsWith({ Processors: "P ", Goroutines: "G ", Threads: "M " }[name]) && window.varve.isIdle;
    }, perspective);
  await transport.open(page, "chans.trace", goTrace());
  await page.evaluate(() => window.varve.selection.selectNamed(0, "G26 main.chans.func1"));
  await settled("Processors");
  const before = await selected();
  await page.evaluate(() => window.varve.showRange(0, "250000", "260000"));
  const shown = await range(page);
  await press(page, "KeyV");
  await settled("Goroutines");
  assert.deepEqual(await selected(), { name: "running", crossViewId: "G26", thread: "G 26 state", begin: before.begin });
  assert.deepEqual(await range(page), shown);
  assert.match(await rows(page), /G 26\b/);
  await picture("selection in the next perspective");
  await press(page, "KeyV");
  await settled("Threads");
  const thread = await selected();
  assert.equal(thread.begin, before.begin);
  assert.match(`${thread.name} on ${thread.thread}`, /^G26 main\.chans\.func1 on M \d+$/);
  await choice(page, "Processors").click();
  await settled("Processors");
  assert.deepEqual(await selected(), before);
  assert.deepEqual(await range(page), shown);
});

test("a selection during the load of another perspective is kept", async ({ page, transport }) => {
  const state = () =>
    page.evaluate(() => {
      const { details, perspectives } = window.varve;
      return { shown: perspectives.state.value.shown, selected: details.value.kind === "slice" ? details.value.slice.name : null };
    });
  const select = async (name) => {
    await page.evaluate((text) => window.varve.selection.selectNamed(0, text), name);
    await idle(page);
    assert.match((await state()).selected, new RegExp(`^${name} `));
  };
  await transport.open(page, "chans.trace", goTrace());
  await select("G25");
  const place = await page.evaluate(() => ({ ...window.varve.details.value.slice.place, trace: 0 }));

  // A slice of the previous perspective leads back to it; no other slice is searched there.
  await select("G26");
  await page.evaluate((newer) => {
    window.varve.perspectives.lookFrom("Goroutines");
    window.varve.selection.select(newer);
  }, place);
  await idle(page);
  const { shown, selected } = await state();
  assert.equal(shown, "Processors");
  assert.match(selected, /^G25 /);

  // The end of a selection also stays.
  await select("G26");
  await page.evaluate(() => {
    window.varve.perspectives.lookFrom("");
    window.varve.run("deselect");
  });
  await idle(page);
  assert.deepEqual(await state(), { shown: "", selected: null });
  await choice(page, "Processors").click();
  await idle(page);

  // A selection during the search for the slice of the same goroutine replaces it.
  await select("G26");
  await page.evaluate(() => {
    const [load] = window.varve.loading.ready;
    const request = load.request.bind(load);
    load.request = async (verb, ...rest) => {
      const answer = await request(verb, ...rest);
      if (verb !== "counterpart") return answer;
      load.request = request;
      const found = JSON.parse(new TextDecoder().decode(await request("find", { text: "chan receive" })));
      window.varve.selection.select({ ...found.place, trace: 0 });
      return answer;
    };
  });
  await press(page, "KeyV");
  assert.deepEqual(await state(), { shown: "Goroutines", selected: "chan receive" });
});

test("undo survives the load of another perspective", async ({ page, transport }) => {
  await transport.open(page, "undo.trace", readFileSync(new URL("../data/go/go126_mixed.trace", import.meta.url)));
  const hidden = page.locator(".setting-chip", { hasText: "Stop the world" });
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "Control+KeyP");
  await page.keyboard.type("Stop the world");
  await idle(page);
  await page.keyboard.press("Enter");
  await idle(page);
  await press(page, "KeyH");
  await hidden.waitFor();
  await choice(page, "Goroutines").click();
  await page.waitForFunction(() => window.varve?.perspectives.state.value.shown === "Goroutines" && window.varve.isIdle);
  await hidden.waitFor();
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "Control+KeyZ");
  await hidden.waitFor({ state: "detached" });
  await press(page, "Control+KeyY");
  await hidden.waitFor();
});

test("a trace without perspectives has no switch", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  assert.equal(await page.getByRole("radiogroup", { name: "Perspective" }).count(), 0);
});
