// Rows by keyboard; hidden, pinned, isolated and filtered rows, and the chips that list them.
import assert from "node:assert/strict";
import { clickSlice, drag, drawnTexts, idle, press, range, settled } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const undo = (page, name) => page.locator(".chips").getByRole("button", { name });
const chips = async (page) => {
  await idle(page);
  return page.locator(".setting-chip").allInnerTexts();
};
const rows = async (page) => {
  await idle(page);
  return page.evaluate(() => window.varve.view.shown().rows);
};
const focusedRow = async (page) => {
  await idle(page);
  return page.locator("[role=treegrid] [aria-current=true] [role=rowheader]").first().textContent();
};
const heading = (page) => page.locator("#details h2").innerText();

test("the keyboard chooses a row, selects and leaves a slice, closes a group", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await page.locator("#timeline").focus();
  await press(page, "ArrowDown");
  assert.match(await focusedRow(page), /server/);
  const before = await rows(page);
  await press(page, "Enter");
  assert.ok((await rows(page)) < before);
  await press(page, "Enter");
  assert.equal(await rows(page), before);
  await press(page, "ArrowDown");
  assert.match(await focusedRow(page), /main/);
  await picture("row focus");
  await press(page, "Enter");
  assert.equal(await heading(page), "serve");
  await press(page, "ArrowDown");
  assert.equal(await heading(page), "handle request");
  await press(page, "Escape");
  await press(page, "ArrowDown");
  assert.match(await focusedRow(page), /worker 1/);
  await press(page, "Enter");
  assert.equal(await heading(page), "query 2");
  await press(page, "Escape");
});

test("hidden, pinned and isolated rows are listed, each with an undo button", async ({ page, picture }) => {
  const whole = await rows(page);
  await press(page, "KeyH");
  assert.deepEqual(await chips(page), ["Hidden\nworker 1 (2)"]);
  assert.equal(await rows(page), whole - 1);
  assert.match(await focusedRow(page), /worker 2/);
  await press(page, "ArrowUp");
  await press(page, "KeyP");
  await press(page, "ArrowDown");
  await press(page, "KeyI");
  await idle(page);
  assert.deepEqual(await chips(page), ["Shown alone\nserver (1)", "Hidden\nworker 1 (2)", "Pinned\nmain (1)"]);
  await picture("chips");
  await undo(page, /^Show again: worker 1/).click();
  await undo(page, /^Show the other rows/).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
  await undo(page, /^Unpin: main/).click();
  await idle(page);
  assert.equal(await page.locator(".chips").count(), 0);
  assert.equal(await rows(page), whole);
});

test("keys act on the process whose header is under the pointer", async ({ page }) => {
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.move(box.x + 60, box.y + 92);
  await press(page, "KeyE");
  assert.equal(await page.evaluate(() => window.varve.view.rows().find((row) => row.expanded !== undefined).expanded), false);
  await press(page, "KeyE");
  await press(page, "KeyH");
  assert.deepEqual(await chips(page), ["Hidden\nserver (1)"]);
  await page.getByText("All tracks are hidden.").waitFor();
  await page.getByRole("button", { name: "Show them" }).click();
  await idle(page);
  assert.equal(await page.locator(".chips").count(), 0);
});

test("a filter shows the number of rows during typing, and a message without a match", async ({ page, picture }) => {
  await press(page, "Shift+KeyP");
  const dialog = page.locator("dialog");
  await page.keyboard.type("worker");
  await dialog.getByText("2 tracks match.").waitFor();
  await page.keyboard.type(" 9 of none");
  await dialog.getByText("No track matches.").waitFor();
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("No track matches \u201cworker 9 of none\u201d.").waitFor();
  assert.deepEqual(await chips(page), ["Tracks with\nworker 9 of none"]);
  await picture("no track matches");
  const sentence = await page.locator(".no-rows").boundingBox();
  const box = await page.locator("#timeline").boundingBox();
  assert.ok(Math.abs(sentence.y + sentence.height / 2 - (box.y + 80 + (box.height - 80) / 2)) < 2, "it is in the middle of the space below the ruler");
  const [, alpha] = await page.locator(".no-rows").evaluate((element) => / \/ ([\d.]+)\)$/.exec(getComputedStyle(element).backgroundColor));
  assert.ok(Number(alpha) > 0.98, "it hides the lines of marks");
  assert.ok(Number(alpha) < 1, "Chromium can show a hole in the canvas below an opaque box");
  await page.locator(".no-rows").getByRole("button", { name: "Show all tracks" }).click();
  await idle(page);
  assert.ok((await rows(page)) > 3);
  assert.equal(await page.locator(".no-rows").count(), 0);
});

test("selecting a filtered event removes the filter and its chip", async ({ page }) => {
  await page.evaluate(() => window.varve.filterTracks("worker 2"));
  await page.locator(".setting-chip").waitFor();
  await page.evaluate(() => window.varve.selection.selectNamed(0, "serve"));
  await page.locator(".setting-chip").waitFor({ state: "detached" });
  await press(page, "Escape");
});

test("an area over a pinned track has its slices", async ({ page }) => {
  const point = await clickSlice(page, "serve");
  await press(page, "Escape");
  await page.mouse.move(point.x, point.y);
  await press(page, "KeyP");
  const box = await page.locator("#timeline").boundingBox();
  const y = box.y + 95;
  await page.mouse.move(box.x + 500, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, y + 2);
  await page.mouse.move(box.x + 700, y + 4);
  await page.mouse.up();
  await page.locator(".stats").waitFor();
  await idle(page);
  assert.ok((await page.locator(".stats tbody td.name").allInnerTexts()).includes("serve"));
  await press(page, "Escape");
  await page.mouse.move(box.x + 600, y);
  await press(page, "KeyP");
});

test("one drag selects pinned and scrolled tracks, from either end", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  const last = await clickSlice(page, "query 3");
  await press(page, "Escape");
  await page.mouse.move(last.x, last.y);
  await press(page, "KeyP");
  const box = await page.locator("#timeline").boundingBox();
  const main = await clickSlice(page, "serve");
  await press(page, "Escape");
  const pinned = { x: box.x + 500, y: box.y + 95 };
  const scrolled = { x: box.x + 700, y: main.y + 2 };
  for (const [from, to] of [
    [pinned, scrolled],
    [{ ...scrolled, x: pinned.x }, { ...pinned, x: scrolled.x }],
  ]) {
    await drag(page, from, to);
    await page.locator(".stats").waitFor();
    await idle(page);
    const names = await page.locator(".stats tbody td.name").allInnerTexts();
    assert.ok(names.includes("query 3"), `the pinned track in ${names}`);
    assert.ok(names.includes("serve"), `the first scrolled track in ${names}`);
    assert.ok(!names.includes("query 2"), `not the track below in ${names}`);
    await picture(`area of pinned and scrolled from ${from === pinned ? "above" : "below"}`);
    await press(page, "Escape");
  }
  await page.mouse.move(pinned.x, pinned.y);
  await press(page, "KeyP");
});

test("undo and redo cover hidden, pinned and filtered rows", async ({ page }) => {
  await page.locator("#timeline").focus();
  await press(page, "ArrowDown");
  await press(page, "KeyP");
  await press(page, "KeyH");
  await press(page, "Shift+KeyP");
  await page.locator("#track-pattern").pressSequentially("work");
  await page.keyboard.press("Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  await idle(page);
  const states = [await chips(page)];
  assert.deepEqual(states[0].map((text) => text.split("\n")[0]), ["Tracks with", "Hidden", "Pinned"]);
  for (let i = 0; i < 3; i++) {
    await press(page, "Control+KeyZ");
    states.push(await chips(page));
  }
  assert.deepEqual(states.map((state) => state.length), [3, 2, 1, 0]);
  for (let i = 0; i < 3; i++) await press(page, "Control+KeyY");
  assert.deepEqual(await chips(page), states[0]);
  for (let i = 0; i < 3; i++) await press(page, "Control+KeyZ");
});

const found = (page) => page.locator(".chooser li").allInnerTexts();

/** Moves the pointer to a place of the label column after the chips above the timeline have settled. */
const point = async (page, y) => {
  await settled(page);
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.move(box.x + 60, box.y + y);
  return box;
};
const button = (page, name) => page.locator(".head-buttons").getByRole("button", { name });
const items = (page) => page.locator(".menu [role=menuitem]").allInnerTexts();

test("the title under the pointer has buttons that act on its row", async ({ page, picture }) => {
  const whole = await rows(page);
  await point(page, 112); // the first thread
  await button(page, /^Hide: main/).waitFor();
  await picture("buttons of a row");
  await button(page, /^Pin to the top: main/).click();
  assert.deepEqual(await chips(page), ["Pinned\nmain (1)"]);
  await undo(page, /^Unpin: main/).click();
  await point(page, 92); // the process
  await button(page, /^Show alone: server/).click();
  assert.deepEqual(await chips(page), ["Shown alone\nserver (1)"]);
  await button(page, /^Show the other rows, too: server/).click();
  const box = await point(page, 112);
  await button(page, /^Hide: main/).click();
  await idle(page);
  assert.deepEqual(await chips(page), ["Hidden\nmain (1)"]);
  assert.equal(await rows(page), whole - 1);
  await page.mouse.move(box.x + 600, box.y + 300); // in the plot: no buttons
  await press(page, "Shift+KeyH");
  await page.locator(".head-buttons").waitFor({ state: "detached" });
  assert.equal(await rows(page), whole);
});

test("a right click and the menu key open the menu of a row", async ({ page, picture }) => {
  const whole = await rows(page);
  const box = await point(page, 92);
  await page.mouse.click(box.x + 60, box.y + 92, { button: "right" });
  await page.locator(".menu").waitFor();
  assert.deepEqual((await items(page)).map((text) => text.split("\n")[0]), ["Pin its tracks to the top", "Show alone", "Hide", "Collapse", "Move up", "Move down", "Details of thread and process", "Collapse or expand all tracks", "Show all that is hidden"]);
  await picture("menu of a row");
  await page.getByRole("menuitem", { name: /^Collapse E/ }).click();
  await page.locator(".menu").waitFor({ state: "detached" });
  assert.ok((await rows(page)) < whole);
  await page.mouse.click(box.x + 600, box.y + 92, { button: "right" });
  await page.keyboard.press("End");
  await page.keyboard.press("Escape");
  await page.locator(".menu").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
  await page.mouse.move(box.x + 600, box.y + 300);
  await press(page, "Shift+F10");
  await page.keyboard.press("ArrowUp"); // from the first item to the last one, and back
  await page.keyboard.press("ArrowDown");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^Expand/);
  await page.keyboard.press("Enter");
  await page.locator(".menu").waitFor({ state: "detached" });
  assert.equal(await rows(page), whole);
});

test("the menu of a row gives it a height and limits its rows", async ({ page, picture }) => {
  const box = await point(page, 112);
  const saved = () => page.evaluate(() => JSON.parse(window.varve.views.text(2)).traces[0]);
  const choose = async (name) => {
    await page.mouse.click(box.x + 60, box.y + 112, { button: "right" });
    await page.getByRole("menuitemcheckbox", { name }).click();
    await settled(page);
  };
  await choose("Roomy");
  assert.deepEqual((await saved()).roomy.map((row) => row.track), ["main (1)"]);
  await page.mouse.click(box.x + 60, box.y + 112, { button: "right" });
  assert.equal(await page.getByRole("menuitemcheckbox", { name: "Roomy" }).getAttribute("aria-checked"), "true");
  await picture("heights of a row");
  await page.keyboard.press("Escape");
  await page.locator(".menu").waitFor({ state: "detached" });
  await choose("Roomy");
  assert.equal((await saved()).roomy, undefined);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyZ");
  assert.deepEqual((await saved()).roomy.map((row) => row.track), ["main (1)"]);
  await press(page, "Control+KeyZ");
  assert.equal((await saved()).roomy, undefined);
  await press(page, "ArrowUp"); // the focus returns to the process
});

test("Tab leads from the focused row to its buttons", async ({ page }) => {
  await page.locator("#timeline").focus();
  await press(page, "ArrowDown");
  await press(page, "Tab");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.match(await focused(), /^Pin to the top: main/);
  await press(page, "ArrowLeft");
  assert.match(await focused(), /^More: main/);
  await press(page, "ArrowRight");
  await press(page, "Enter");
  assert.deepEqual(await chips(page), ["Pinned\nmain (1)"]);
  await undo(page, /^Unpin: main/).click();
  await idle(page);
});

test("the jump list finds rows by words, goes to one and lets it flash", async ({ page, picture }) => {
  await page.evaluate(() => window.varve.filterTracks("main"));
  await press(page, "Control+KeyP");
  await idle(page);
  assert.deepEqual((await found(page)).slice(0, 3), ["server (1)\nprocess", "main (1)\nthread of server (1)", "worker 1 (2)\nthread of server (1)"]);
  await page.keyboard.type("SERVER work 3");
  await idle(page);
  assert.equal((await found(page))[0], "worker 2 (3)\nthread of server (1)");
  await picture("jump list");
  await page.keyboard.press("Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.match(await focusedRow(page), /worker 2/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
  assert.deepEqual(await chips(page), []); // the filter excluded the row
  await press(page, "Control+KeyP");
  await page.keyboard.type("no such row");
  await page.getByText("No name contains these words.").waitFor();
  await press(page, "Escape");
});

test("the jump list cuts a long name of a process with an ellipsis", async ({ page, transport }) => {
  const process = `long ${"process ".repeat(40)}name`;
  const events = [{ ph: "M", name: "process_name", pid: 1, args: { name: process } }, { ph: "X", name: "run", pid: 1, tid: 2, ts: 0, dur: 1 }];
  await transport.open(page, "long.json", JSON.stringify(events));
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyP");
  await page.locator(".chooser input").fill("thread");
  await idle(page);
  const kind = page.locator(".chooser li .muted").filter({ hasText: /^thread of long/ });
  const shown = await kind.evaluate((element) => ({ isCut: element.scrollWidth > element.clientWidth, display: getComputedStyle(element).display, overflow: getComputedStyle(element).textOverflow, title: element.title }));
  assert.deepEqual({ ...shown, title: shown.title.includes(process) }, { isCut: true, display: "block", overflow: "ellipsis", title: true });
  await press(page, "Escape");
});

test("a jump list of many threads is searched in short steps", async ({ page, transport }) => {
  const events = Array.from({ length: 120_000 }, (_, i) => `{"ph":"X","pid":1,"tid":${i + 1},"ts":1,"dur":1,"name":"run"}`);
  await transport.open(page, "threads.json", `[${events.join(",")}]`);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyP");
  await page.locator(".chooser input").fill("119999");
  await idle(page);
  assert.match((await found(page))[0], /119999/);
  assert.equal((await found(page)).length, 1);
  await press(page, "Enter");
  assert.match(await focusedRow(page), /119999/);
});

test("a trace without drawable events shows a message", async ({ page, transport, picture }) => {
  const name = { ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "main" } };
  await transport.open(page, "names-only.json", JSON.stringify([name]));
  await page.getByText("There is nothing to draw: the trace has no slices, instants or counters.").waitFor();
  await picture("nothing to draw");
});

const order = async (page) => {
  await idle(page);
  return page.locator("[role=treegrid] [role=row][aria-expanded] [role=rowheader]").allTextContents();
};

test("the menu above the names sorts and groups the rows", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace().replace("reload", "order"));
  const before = await order(page);
  const choose = async (name) => {
    await page.getByRole("button", { name: "Rows", exact: true }).click();
    await page.getByRole("menuitemradio", { name }).click();
    await settled(page);
  };
  await page.getByRole("button", { name: "Rows", exact: true }).click();
  await picture("order menu");
  await page.keyboard.press("Escape");
  await choose("By busy time");
  assert.deepEqual(await chips(page), ["Sorted by\nbusy time"]);
  await choose("Without groups");
  const flat = await order(page);
  assert.ok(flat.length < before.length, "no headers of processes");
  assert.deepEqual([...flat].sort(), before.filter((title) => flat.includes(title)).sort());
  await picture("flat rows");
  const link = await page.evaluate(() => JSON.parse(window.varve.views.text(2)));
  assert.equal(link.sort, "busiest");
  assert.equal(link.groups, "flat");
  await undo(page, /^Group by process/).click();
  await undo(page, /^Use the default order/).click();
  assert.deepEqual(await order(page), before);
});

test("rows are grouped by name, and the group has a menu", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace().replace("reload", "by name"));
  await page.getByRole("button", { name: "Rows", exact: true }).click();
  await page.locator('.menu-title:has-text("Groups") ~ [role=menuitemradio]', { hasText: "By name" }).first().click();
  await settled(page);
  assert.deepEqual(await chips(page), ["Groups\nby name"]);
  assert.ok((await order(page)).includes("worker # (#)"));
  await picture("groups by name");
  const whole = await rows(page);
  await page.locator("#timeline").focus();
  do await press(page, "ArrowDown");
  while ((await focusedRow(page)) !== "worker # (#)");
  await press(page, "Enter");
  assert.equal(await rows(page), whole - 2);
  assert.equal(await page.evaluate(() => JSON.parse(window.varve.views.text(2)).groups), "name");
  await press(page, "Control+KeyZ");
  assert.equal(await rows(page), whole);
  await undo(page, /^Group by process/).click();
  await idle(page);
});

test("the menu of a counter draws it in the chart above", async ({ page, transport, picture }) => {
  const counter = (name, value) => [0, 1000, 2000].map((ts) => ({ ph: "C", name, pid: 1, ts, args: { value: value + ts / 100 } }));
  const events = [{ ph: "X", name: "run", pid: 1, tid: 1, ts: 0, dur: 3000 }, ...counter("first", 10), ...counter("second", 90)];
  await transport.open(page, "counters.json", JSON.stringify(events));
  const whole = await rows(page);
  await page.locator("#timeline").focus();
  do await press(page, "ArrowDown");
  while (!/^second/.test(await focusedRow(page)));
  await press(page, "Shift+F10");
  await page.getByRole("menuitemcheckbox", { name: "Into the chart above" }).click();
  await settled(page);
  assert.equal(await rows(page), whole - 1);
  assert.equal(await page.evaluate(() => JSON.parse(window.varve.views.text(2)).traces[0].charts[0].length), 2);
  await picture("counters in one chart");
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyZ");
  assert.equal(await rows(page), whole);
});

test("the menu above the names chooses colours, which links and the settings keep", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace().replace("reload", "colours"));
  const menu = () => page.getByRole("button", { name: "Rows", exact: true }).click();
  const choose = async (group, name) => {
    await menu();
    await page.locator(`.menu-title:has-text("${group}") ~ [role=menuitemradio]`, { hasText: name }).first().click();
    await settled(page);
  };
  for (const name of ["category", "thread", "process", "duration", "file"]) {
    await choose("Colours", `By ${name}`);
    assert.equal(await page.evaluate(() => JSON.parse(window.varve.views.text(2)).colours), name);
    if (name !== "file") await picture(`colours by ${name}`);
  }
  await choose("Palette", "For colour-blind people");
  await choose("Colours", "By name");
  await picture("colours for colour-blind people");
  const text = await page.evaluate(() => window.varve.views.text(2));
  assert.deepEqual([JSON.parse(text).palette, JSON.parse(text).colours], ["safe", undefined]);
  const stored = await page.evaluate(() => Object.values(localStorage).flatMap((text) => (/"options":(\d+)/.exec(text) ?? []).slice(1)));
  assert.deepEqual(stored.map((options) => Number(options) & 512), [512], "the palette is stored");
  await menu();
  assert.equal(await page.getByRole("menuitemradio", { name: "For colour-blind people" }).getAttribute("aria-checked"), "true");
  await picture("menu of rows and colours");
  await page.keyboard.press("Escape");
  await choose("Palette", "Standard");
});

test("rows are moved by keys, by the menu of a row and by drag", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace().replace("reload", "moved"));
  const before = await order(page);
  await page.locator("#timeline").focus();
  await press(page, "ArrowDown");
  await press(page, "ArrowDown");
  assert.match(await focusedRow(page), /main/);
  await press(page, "Alt+ArrowDown");
  assert.deepEqual(await chips(page), ["Moved\n1 row"]);
  assert.deepEqual((await order(page)).map((title) => title.replace(/ \(.*/, "")), ["server", "worker 1", "main", "worker 2"]);
  await press(page, "Shift+F10");
  await page.getByRole("menuitem", { name: "Move up" }).click();
  assert.deepEqual(await order(page), before);
  const box = await page.locator("#timeline").boundingBox();
  const places = await page.evaluate(() => window.varve.view.head());
  assert.ok(places !== null);
  const y = box.y + places.place.y + 8;
  await page.mouse.move(box.x + 60, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, y + 20, { steps: 3 });
  await page.mouse.move(box.x + 60, y + 150, { steps: 4 });
  await picture("row drag");
  await page.mouse.up();
  assert.deepEqual((await order(page)).map((title) => title.replace(/ \(.*/, "")), ["server", "worker 1", "worker 2", "main"]);
  await press(page, "Control+KeyZ");
  assert.deepEqual(await order(page), before);
  await undo(page, /^Put back/).click();
  assert.deepEqual(await chips(page), []);
});

test("an instant is above the bars of its row, and both can be clicked", async ({ page, transport, picture }) => {
  const events = [
    { ph: "X", name: "main", pid: 1, tid: 1, ts: 0, dur: 1000 },
    { ph: "X", name: "load", pid: 1, tid: 1, ts: 400, dur: 200 },
    { ph: "i", s: "t", name: "ready", cat: "state", pid: 1, tid: 1, ts: 399, args: { why: "enough", by: { port: 8080 } } },
    { ph: "i", s: "t", name: "done", pid: 1, tid: 1, ts: 605 },
  ];
  await transport.open(page, "strip.json", JSON.stringify(events));
  await drawnTexts(page);
  const { begin, span } = await range(page);
  const [COLUMN, SCROLLBAR, MAIN, STRIP, LOAD] = [220, 10, 114, 129, 144];
  const box = await page.locator("#timeline").boundingBox();
  const x = box.x + COLUMN + ((399_000 - begin) / span) * (box.width - COLUMN - SCROLLBAR);
  const names = [];
  for (const y of [MAIN, STRIP, LOAD]) {
    await page.mouse.click(x + 3, box.y + y);
    await idle(page);
    names.push(await page.evaluate(() => (window.varve.details.value.slice ?? window.varve.details.value.instant)?.name));
    if (y !== STRIP) continue;
    await picture("instant in its strip");
    const texts = await drawnTexts(page);
    const tooltip = texts.slice(texts.lastIndexOf("ready"));
    assert.deepEqual(tooltip, ["ready", "time", "399 µs", "category", "state", "why", "enough", "by.port", "8080"]);
  }
  assert.deepEqual(names, ["main", "ready", "load"]);
});
