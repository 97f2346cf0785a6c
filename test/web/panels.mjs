// Panels around the timeline: tables, search, dialogs, settings, keys.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clickSlice, drag, idle, linked, loaded, press, range, settled } from "./browser.mjs";
import { instantsTrace, manyNames, sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const TEXTS = JSON.parse(readFileSync(new URL("../../web/texts/en.json", import.meta.url), "utf8"));

const heads = (page) => page.locator(".stats thead");

const drawerHeight = async (page) => (await page.locator(".drawer").boundingBox()).height;

test("the drawer shows its tabs until the first selection", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  assert.ok((await drawerHeight(page)) < 40, "the tabs only");
  assert.equal(await page.getByRole("tab", { selected: true }).count(), 0);
  await picture("first screen");
  await clickSlice(page, "write");
  await page.locator("#details").getByText("write", { exact: true }).first().waitFor();
  assert.equal(await drawerHeight(page), 260, "in a window of 800 px");
  await page.getByRole("button", { name: "Close the drawer" }).click();
  await clickSlice(page, "handle request");
  assert.ok((await drawerHeight(page)) < 40, "it stays closed when the user has closed it");
});

test("the drawer is higher in a tall window, and at most 480 px", async ({ transport, withPage }) => {
  for (const [height, expected] of [[600, 200], [1200, 300], [2160, 480]])
    await withPage({ viewport: { width: 1280, height } }, async (page) => {
      await transport.open(page, "sample.json", sampleTrace());
      await clickSlice(page, "write");
      await page.locator("#details").waitFor();
      assert.equal(await drawerHeight(page), expected, `in a window of ${height} px`);
    });
});

test("text typed immediately after / is searched", async ({ page }) => {
  const focused = await page.evaluate(() => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", code: "Slash", bubbles: true, cancelable: true }));
    return document.activeElement.id; // no frame was drawn since
  });
  assert.equal(focused, "search");
  await page.keyboard.press("Escape");
});

test("Control+A selects everything; a long table has only its visible rows in the document", async ({ page, transport }) => {
  await transport.open(page, "names.json", manyNames(5000));
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  assert.match(await page.locator(".area-head").innerText(), /5\u202f000 slices, 5\u202f000 names/);
  assert.ok((await page.locator(".stats tbody tr").count()) < 200);
  await heads(page).getByRole("button", { name: "Name" }).click();
  await page.locator(".table-box").evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.getByRole("button", { name: "name 4999", exact: true }).waitFor();
});

test("search finds instants and slices by name", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await press(page, "/");
  const result = (text) => page.waitForFunction((t) => document.getElementById("search-result").textContent === t, text);
  await page.keyboard.type("RELOAD");
  await result("1 match");
  await page.keyboard.press("Enter");
  await result("1 of 1");
  await idle(page);
  assert.equal(await page.locator("#details h2").innerText(), "reload");
  await page.keyboard.press("Enter"); // it is the only match
  await result("1 of 1");
  await page.locator("#search").fill("config");
  await page.keyboard.press("Enter"); // at once
  await result("1 of 1");
  await idle(page);
  assert.equal(await page.locator("#details h2").innerText(), "config changed");
  await picture("search instants");
  await page.keyboard.press("Escape");
});

test("a search moves the view on Enter only; Escape restores it, unless the field has lost the focus", async ({ page, picture }) => {
  const view = () => page.evaluate(() => ({ scroll: window.varve.view.scroll, kind: window.varve.details.value.kind }));
  await press(page, "Digit0");
  await clickSlice(page, "serve");
  await page.evaluate(() => window.varve.showRange(0, "0", "500000"));
  const [before, seen] = [await range(page), await view()];
  const typed = async (text) => {
    await page.locator("#search").focus();
    await page.keyboard.type(text);
    await page.waitForFunction(() => / match/.test(document.getElementById("search-result").textContent));
    await idle(page);
  };
  const entered = async () => {
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /^1 of /.test(document.getElementById("search-result").textContent));
    await idle(page);
  };
  const isUnchanged = async () => {
    assert.deepEqual(await range(page), before);
    assert.deepEqual(await view(), seen);
    assert.equal(await page.locator("#details h2").innerText(), "serve");
  };
  await typed("query 3");
  await isUnchanged();
  await picture("search before Enter");
  await entered();
  assert.equal(await page.locator("#details h2").innerText(), "query 3");
  assert.notDeepEqual(await range(page), before);
  await press(page, "Escape");
  await isUnchanged();
  await typed("query 3");
  await entered();
  const chosen = await range(page);
  await page.keyboard.press("Tab");
  await page.locator("#search").focus();
  await press(page, "Escape");
  assert.deepEqual(await range(page), chosen);
  await press(page, "Digit0");
  const whole = await range(page);
  await typed("query 3");
  await entered();
  await press(page, "ArrowDown"); // to the timeline, whose keys then act on the match
  await press(page, "Shift+KeyF");
  assert.equal(await page.locator("#search").inputValue(), "query 3");
  assert.ok((await range(page)).span < whole.span / 10);
  await page.locator("#search").focus();
  await press(page, "Escape");
  await press(page, "Digit0");
  await press(page, "Escape");
});

test("G shows the interpretation of a time, and refuses one outside of the trace", async ({ page, picture }) => {
  await press(page, "Digit0");
  const field = page.locator("#go-to-time");
  const meaning = () => page.locator("#go-to-meaning").innerText();
  const problem = () => page.locator("#go-to-error").innerText();
  await press(page, "KeyG");
  await field.fill("0.05");
  assert.equal(await meaning(), "Time: 50 ms from the start of the trace");
  await picture("go to");
  await field.fill("0:00.05");
  assert.equal(await meaning(), "Time: 50 ms from the start of the trace");
  await field.fill("+ 1 ms");
  assert.match(await meaning(), /^From the middle of the view to 51 ms from the start of the trace$/);
  await field.fill("7000 ticks");
  assert.equal(await meaning(), "Time: 7 \u00b5s from the start of the trace");
  await field.fill(`tick ${await page.evaluate(() => window.varve.loading.traces.value[0].info.time.begin_tick + 7000)}`);
  assert.equal(await meaning(), "Tick of the source's clock: 7 \u00b5s from the start of the trace");
  await field.fill("1.25");
  assert.equal(await problem(), "That is after the trace ends, at 100 ms.");
  assert.equal(await meaning(), "");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("dialog").count(), 1, "nothing was gone to");
  await field.fill("-99999s");
  assert.match(await problem(), /before the trace begins/);
  await field.fill("soon");
  assert.match(await problem(), /^That is not a time/);
  await field.fill("12\u202f345.678\u202fus");
  assert.equal(await meaning(), "Time: 12.345\u202f678 ms from the start of the trace");
  const { begin } = await range(page);
  await page.keyboard.press("Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.notEqual((await range(page)).begin, begin);
  await press(page, "Digit0");
});

test("times in the details have all the digits of the tooltip", async ({ page, transport }) => {
  await transport.open(page, "digits.json", JSON.stringify([{ ph: "X", name: "long", pid: 1, tid: 1, ts: 0.5, dur: 1234567.891 }, { ph: "X", name: "late", pid: 1, tid: 1, ts: 2000000, dur: 1 }]));
  await page.evaluate(() => window.varve.selection.selectNamed(0, "long"));
  await page.locator("#details").waitFor();
  assert.match(await page.locator("#details .facts-list").innerText(), /Duration\s+1\.234\u202f567\u202f891 s/);
});

test("lengths of the callers have one unit, aligned points and all digits", async ({ page, transport }) => {
  const slice = (name, ts, dur) => ({ ph: "X", name, pid: 1, tid: 1, ts, dur });
  await transport.open(page, "callers.json", JSON.stringify([slice("main", 0, 2089325.25), slice("serve", 1, 345678.5), slice("parse", 2, 12), slice("read", 3, 1)]));
  await page.evaluate(() => window.varve.selection.selectNamed(0, "read"));
  const list = page.locator("#details section", { hasText: "Called by" });
  assert.match(await list.locator("h3").innerText(), /^Called by\s+s$/);
  const cells = await list.locator(".number").evaluateAll((all) => all.map((cell) => [cell.textContent, cell.title, Math.round(cell.getBoundingClientRect().right)]));
  assert.deepEqual(cells.map(([text, title]) => [text, title]), [
    ["0.000\u202f012\u202f00", "12\u00a0µs"],
    ["0.345\u202f678\u202f50", "345.678\u202f5\u00a0ms"],
    ["2.089\u202f325\u202f25", "2.089\u202f325\u202f25\u00a0s"],
  ]);
  assert.equal(new Set(cells.map(([, , right]) => right)).size, 1);
});

test("an area without slices offers the tables that have rows", async ({ page, transport }) => {
  const values = [1, 5, 3].map((value, i) => ({ ph: "C", name: "memory", pid: 1, tid: 1, ts: i * 100, args: { value } }));
  await transport.open(page, "counter.json", JSON.stringify([...values, { ph: "i", s: "t", name: "tick", pid: 1, tid: 1, ts: 50 }]));
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  const empty = page.locator(".drawer .empty");
  await empty.getByRole("button", { name: "1 instant" }).waitFor();
  assert.match(await empty.innerText(), /^There is no slice in this area\./);
  await empty.getByRole("button", { name: "1 series of counters" }).click();
  await page.getByRole("table", { name: "Counters" }).waitFor();
  await page.getByRole("radio", { name: "Slices" }).click();
});

test("in a narrow window the search has a row of its own, and a dialog shows the whole ring of the focus", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await page.setViewportSize({ width: 700, height: 800 });
  await settled(page);
  const tops = await page.locator(".top-bar > *:not([hidden])").evaluateAll((parts) => parts.map((part) => [part.className, Math.round(part.getBoundingClientRect().top)]));
  const [search] = tops.filter(([name]) => name === "search");
  assert.ok(tops.every(([name, top]) => name === "search" || top < search[1] - 10), tops.join(" "));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator("#timeline").focus();
  await page.keyboard.press("?");
  const body = page.locator(".dialog-body");
  await body.waitFor();
  assert.equal(await body.evaluate((element) => element === document.activeElement && getComputedStyle(element).outlineOffset), "-2px");
  await page.keyboard.press("Escape");
});

test("no unit in the area's table is cut off", async ({ page, transport, picture }) => {
  const slice = (name, ts, dur) => ({ ph: "X", name, pid: 1, tid: 1, ts, dur });
  const events = [slice("a name that is long enough to be cut off in a small window", 0, 211096290.123), slice("b", 300000000, 1)];
  await transport.open(page, "wide.json", JSON.stringify({ displayTimeUnit: "ns", traceEvents: events }));
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  const cut = () => page.locator(".stats td.number").evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent));
  assert.deepEqual(await cut(), []);
  const totals = () => page.locator(".stats tbody td:nth-child(3)").evaluateAll((cells) => cells.map((cell) => [cell.textContent, cell.title]));
  assert.deepEqual(await totals(), [["211\u202f096.290", "211\u202f096\u202f290\u202f123 ns"], ["0.001", "1\u202f000 ns"]]);
  assert.match(await page.locator(".stats th:nth-child(3)").innerText(), /^Total ms/);
  await picture("wide table");
  const head = page.locator(".stats th:nth-child(3)");
  const width = async () => (await head.boundingBox()).width;
  const before = await width();
  const grip = await head.locator(".column-grip").boundingBox();
  await page.mouse.move(grip.x + grip.width / 2, grip.y + 8);
  await page.mouse.down();
  await page.mouse.move(grip.x + grip.width / 2 + 50, grip.y + 8, { steps: 3 });
  await page.mouse.up();
  assert.ok(Math.abs((await width()) - before - 50) < 4, `${before} px, then ${await width()} px`);
  assert.equal(await head.getAttribute("aria-sort"), "descending", "the drag does not sort");
  await head.locator(".column-grip").dblclick();
  assert.ok(Math.abs((await width()) - before) < 2, "as wide as its content again");
  await head.getByRole("button").focus();
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok(Math.abs((await width()) - before - 16) < 4, "by keys");
  await head.locator(".column-grip").dblclick();
  await page.setViewportSize({ width: 700, height: 800 });
  await idle(page);
  assert.deepEqual(await cut(), []);
  await page.setViewportSize({ width: 3000, height: 800 });
  await idle(page);
  assert.deepEqual(await cut(), []);
  const name = page.locator(".stats tbody td.name").first();
  assert.ok((await name.boundingBox()).width < 700, "the numbers are near the names in a wide window");
  assert.equal(await name.evaluate((cell) => [cell, ...cell.children].some((element) => element.scrollWidth > element.clientWidth)), false, "the longest name has room");
  await page.setViewportSize({ width: 1280, height: 800 });
  await idle(page);
});

test("the area's table of a usual trace, or a part of it, fits into 1280 px, with every title and number", async ({ page, transport, picture }) => {
  await transport.open(page, "page-load.json.gz", readFileSync(new URL("../../examples/page-load.json.gz", import.meta.url)));
  const timeline = await page.locator("#timeline").boundingBox();
  const [top, low] = [timeline.y + 130, timeline.y + timeline.height - 60];
  const at = (fraction, y) => ({ x: timeline.x + timeline.width * fraction, y });
  await drag(page, at(0.4, top), at(0.75, low));
  await page.locator(".stats").waitFor();
  await settled(page);
  await picture("area of the example");
  const tooWide = () =>
    page.locator(".table-box").evaluate((box) => [
      ...(box.scrollWidth > box.clientWidth ? [`${box.scrollWidth} px in ${box.clientWidth} px`] : []),
      ...[...box.querySelectorAll("th, th button, td.number")].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
    ]);
  assert.deepEqual(await tooWide(), []);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".area-summary", { hasText: "448 names" }).waitFor();
  await settled(page);
  assert.deepEqual(await tooWide(), [], "the whole trace");
  const ofTime = await page.locator(".stats tbody td:nth-child(13)").evaluateAll((all) => all.map((cell) => [cell.textContent, cell.title]));
  assert.ok(ofTime.length > 10 && ofTime.every(([text]) => /^[\d\u202f]+\.\d{3} ×$/.test(text)), `multiples alone: ${ofTime}`);
  assert.match(ofTime[0][1], /^On average 80\.2\d+ of its slices are open at once/);
  assert.ok((await page.locator(".stats td.name").first().boundingBox()).width > 128);
  await page.locator("#timeline").focus();
  await press(page, "Escape");
});

test("a click on a bar of several slices sends one request for the slice", async ({ page, transport }) => {
  await transport.open(page, "many.json", manyNames(20000));
  await page.evaluate(() => {
    window.asked = [];
    for (const load of window.varve.loading.ready) {
      const request = load.request.bind(load);
      load.request = (verb, ...rest) => {
        window.asked.push(verb);
        return request(verb, ...rest);
      };
    }
  });
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.click(box.x + 700, box.y + 112);
  await idle(page);
  await page.locator("#details").waitFor();
  assert.deepEqual(await page.evaluate(() => window.asked.filter((verb) => verb === "slice")), ["slice"]);
});

test("keys move between instants, which are in the accessible mirror", async ({ page, transport, picture }) => {
  await transport.open(page, "instants.json", instantsTrace());
  await idle(page);
  const cell = page.locator("[data-instant]").first();
  await cell.waitFor({ state: "attached" });
  assert.match(await cell.innerText(), /^tick, at /);
  assert.equal(await page.locator("[data-instant]").count(), 6);
  await cell.evaluate((element) => element.click());
  const selected = async (name, begin) => {
    await idle(page);
    assert.equal(await page.locator("#details h2").innerText(), name);
    assert.match(await page.locator("#details").innerText(), begin);
  };
  await selected("tick", /\b50\s*µs/);
  await page.locator("#timeline").focus();
  await press(page, "ArrowRight");
  await selected("tock", /\b100\s*µs/);
  await press(page, "KeyN");
  await selected("tock", /\b200\s*µs/);
  await press(page, "Shift+KeyN");
  await selected("tock", /\b100\s*µs/);
  await press(page, "ArrowLeft");
  await selected("tick", /\b50\s*µs/);
  await picture("instant selected");
  await press(page, "ArrowUp");
  await idle(page);
  assert.equal(await page.locator("#details h2").innerText(), "work");
});

test("the arrow keys move from a slice to the instants of its row and further", async ({ page, transport }) => {
  const events = [
    { ph: "X", name: "first", pid: 1, tid: 1, ts: 0, dur: 300 },
    { ph: "i", name: "between", pid: 1, tid: 1, ts: 400 },
    { ph: "X", name: "second", pid: 1, tid: 1, ts: 500, dur: 300 },
  ];
  await transport.open(page, "row.json", JSON.stringify(events));
  await clickSlice(page, "first", 0.2);
  const names = [];
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"]) {
    await page.locator("#timeline").focus();
    await press(page, key);
    await idle(page);
    names.push(await page.locator("#details h2").innerText());
  }
  assert.deepEqual(names, ["between", "second", "between", "first"]);
});

test("the keyboard selects instants of a track, of a process and of the whole trace", async ({ page, transport, picture }) => {
  const events = [
    { ph: "i", name: "lone", s: "t", pid: 1, tid: 1, ts: 10 },
    { ph: "X", name: "work", pid: 1, tid: 2, ts: 0, dur: 1000 },
    { ph: "i", name: "fork", s: "p", pid: 1, tid: 2, ts: 200 },
    { ph: "i", name: "exit", s: "p", pid: 1, tid: 2, ts: 600 },
    { ph: "i", name: "boot", s: "g", pid: 1, tid: 2, ts: 300 },
    { ph: "i", name: "halt", s: "g", pid: 1, tid: 2, ts: 900 },
  ];
  const heading = async () => {
    await idle(page);
    return page.locator("#details h2").innerText();
  };
  await transport.open(page, "scopes.json", JSON.stringify(events));
  await page.locator("[role=gridcell]").first().waitFor({ state: "attached" });
  await page.locator("#timeline").focus();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await press(page, key);
  assert.equal(await heading(), "lone");
  await press(page, "Escape");
  for (let i = 0; i < 2; i++) await press(page, "Tab"); // the first stop is the toolbar of the row
  assert.equal(await page.locator(":focus").getAttribute("role"), "rowheader");
  await press(page, "Home");
  await press(page, "ArrowRight");
  assert.match(await page.locator(":focus").innerText(), /^boot, at 300/);
  await picture("instant by Tab");
  await press(page, "Enter");
  assert.equal(await heading(), "boot");
  await press(page, "ArrowRight");
  assert.equal(await heading(), "halt");
  await press(page, "Tab");
  assert.match(await page.locator(":focus").innerText(), /^boot, at 300/);
  await press(page, "ArrowDown");
  assert.equal(await page.locator(":focus").innerText(), "Process 1");
  for (const key of ["ArrowDown", "ArrowRight"]) await press(page, key);
  assert.match(await page.locator(":focus").innerText(), /^fork, at 200/);
  await press(page, "Enter");
  assert.equal(await heading(), "fork");
  assert.match(await page.locator("[role=row][aria-current] [role=rowheader]").first().innerText(), /Process 1/);
  await press(page, "ArrowRight");
  assert.equal(await heading(), "exit");
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline");
});

test("a search that is cancelled at once shows no error", async ({ page, problems }) => {
  await page.evaluate(() => {
    const { search } = window.varve;
    search.type("write");
    search.move("next"); // at once, without waiting for more characters
    search.reset();
  });
  await idle(page);
  assert.deepEqual(problems, []);
  assert.equal(await page.locator("#search-result").innerText(), "");
});

test("? shows the keys, but not during typing", async ({ page, picture }) => {
  await page.locator("#search").focus();
  await page.keyboard.type("?");
  assert.equal(await page.locator("dialog").count(), 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.locator("dialog .help").waitFor();
  const commands = await page.evaluate(() => window.varve.keys.commands.value.filter((c) => c.keys !== "").map((c) => c.name));
  assert.ok(commands.length > 20);
  const text = await page.locator("dialog").innerText();
  for (const name of commands) assert.ok(text.includes(TEXTS[`command.${name}`]), name);
  await picture("help");
  await page.keyboard.press("PageDown"); // without a click or Tab before it
  await page.waitForFunction(() => document.querySelector("dialog .dialog-body").scrollTop > 50);
  const before = await range(page);
  await page.keyboard.press("KeyW");
  assert.deepEqual(await range(page), before, "keys do not reach the timeline behind a dialog");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
});

test("the palette runs commands", async ({ page, picture }) => {
  await press(page, "KeyW");
  const near = await range(page);
  await page.keyboard.press("F1");
  await page.locator(".chooser").waitFor();
  await picture("palette");
  const count = await page.evaluate(() => window.varve.keys.commands.value.length);
  const titles = (await page.locator(".chooser li > span:first-child").allInnerTexts()).slice(0, count); // recent files are after them
  assert.ok(titles.length > 50 && titles.includes("Move left (nothing selected)"), `${titles.length} titles`);
  assert.deepEqual(titles.filter((title, i) => titles.indexOf(title) !== i), [], "each title is there once");
  await page.keyboard.type("whole");
  const found = await page.locator(".chooser li").count();
  assert.ok(found >= 1 && found < 10, `${found} commands`);
  await page.keyboard.press("Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.ok((await range(page)).span > near.span);
});

test("the theme switches, and stays as it was chosen", async ({ page, theme }) => {
  const current = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await current(), theme);
  const other = theme === "dark" ? "light" : "dark";
  await page.getByRole("button", { name: `Use the ${other} theme` }).click();
  await idle(page);
  assert.equal(await current(), other);
  await page.reload();
  await loaded(page);
  assert.equal(await current(), other);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("As the system").check();
  await page.keyboard.press("Escape");
  assert.equal(await current(), theme);
});

test("settings swap the actions of dragging", async ({ page, picture }) => {
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("Pans; with Shift it selects an area").check();
  await picture("settings");
  await page.keyboard.press("Escape");
  await idle(page);
  for (let i = 0; i < 4; i++) await press(page, "KeyW");
  const before = await range(page);
  const box = await page.locator("#timeline").boundingBox();
  const y = box.y + box.height - 20;
  await drag(page, { x: box.x + 700, y }, { x: box.x + 500, y });
  assert.ok((await range(page)).begin > before.begin);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("Selects an area; with Shift it pans").check();
  await page.keyboard.press("Escape");
});

test("the drawer moves, is resized and closes", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await page.getByRole("button", { name: "Open the drawer" }).click();
  const size = () => page.locator(".drawer").boundingBox();
  const before = await size();
  await page.getByRole("separator").focus();
  await page.keyboard.press("ArrowUp");
  assert.ok((await size()).height > before.height);
  await page.getByRole("button", { name: "Move to the right" }).click();
  await idle(page);
  assert.ok((await size()).x > 400);
  await clickSlice(page, "serve");
  await picture("drawer right");
  await page.getByRole("button", { name: "Move to the bottom" }).click();
  await page.getByRole("button", { name: "Close the drawer" }).click();
  assert.ok((await size()).height < 40);
  await page.locator("#timeline").focus();
  await press(page, "KeyQ");
  assert.ok((await size()).height > before.height);
});

test("the drawer fills the window, and the key 1 shows the timeline again", async ({ page, picture }) => {
  const isVisible = () => page.locator("#timeline").isVisible();
  const height = async () => (await page.locator(".drawer").boundingBox()).height;
  const part = await height();
  await page.locator(".splitter").dblclick();
  assert.equal(await isVisible(), false);
  assert.ok((await height()) > 700, `${await height()} px`);
  await picture("drawer whole");
  await page.locator(".splitter").dblclick();
  assert.equal(await height(), part);
  await press(page, "Shift+KeyQ");
  assert.equal(await isVisible(), false);
  await press(page, "Digit5");
  assert.equal(await page.getByRole("tab", { selected: true }).getAttribute("id"), "tab-area");
  await press(page, "Digit1");
  assert.equal(await isVisible(), true);
  assert.equal(await height(), part);
  await page.waitForFunction(() => document.activeElement.id === "timeline");
  await page.getByRole("button", { name: "Fill the window" }).click();
  await page.getByRole("button", { name: "Show the timeline again" }).click();
  assert.equal(await isVisible(), true);
  await press(page, "Digit1");
  assert.ok((await height()) < 60, `${await height()} px: the timeline is alone`);
  await press(page, "KeyQ");
  assert.equal(await height(), part);
});

test("the keyboard reaches all controls", async ({ page }) => {
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const e = document.activeElement;
      return e.getAttribute("aria-label") ?? e.id ?? e.textContent;
    });
    const text = await page.evaluate(() => document.activeElement.textContent.trim());
    reached.add(name || text).add(text);
  }
  for (const name of ["Open", "Report", "Fit", "Settings", "Help", "Timeline", "Size of the drawer", "Close the drawer (Q)", "Total"])
    assert.ok([...reached].some((text) => text.startsWith(name)), `${name} among ${[...reached].join(", ")}`);
  assert.ok(reached.has("Search names, categories and arguments"));
});

test("a link restores the view", async ({ page }) => {
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await press(page, "Digit0");
  for (let i = 0; i < 5; i++) await press(page, "KeyW");
  const before = await range(page);
  await linked(page);
  await page.evaluate(() => {
    const { hash } = location;
    window.varve.run("fit-all");
    window.varve.link.restoreLater(hash);
    window.varve.link.restore();
    window.varve.run("none-such");
  });
  const after = await range(page);
  assert.ok(Math.abs(after.begin - before.begin) <= 1 && Math.abs(after.end - before.end) <= 1, JSON.stringify([before, after]));
});

test("an equal notice is shown for another while", async ({ page }) => {
  const shown = () => page.evaluate(() => window.varve.notice.value);
  await page.evaluate(() => window.varve.say("Again."));
  await page.waitForTimeout(2000);
  await page.evaluate(() => window.varve.say("Again."));
  await page.waitForTimeout(2000);
  assert.equal(await shown(), "Again.", "four seconds after the first and two after the second");
  await page.waitForFunction(() => window.varve.notice.value === "");
});

test("tabs beyond a narrow window are reached by buttons, the wheel and keys", async ({ transport, withPage, picture }) => {
  await withPage({ viewport: { width: 600, height: 800 } }, async (page) => {
    await transport.open(page, "sample.json", sampleTrace());
    await page.evaluate(() => window.varve.drawer.show("overview"));
    await idle(page);
    const bar = page.getByRole("tablist", { name: "Panels of the drawer" });
    const isWhole = (name) =>
      bar.evaluate((bar, name) => {
        const tab = [...bar.children].find((child) => child.textContent === name).getBoundingClientRect();
        const { left, right } = bar.getBoundingClientRect();
        return tab.left >= left - 1 && tab.right <= right + 1;
      }, name);
    const button = (side) => page.getByRole("button", { name: `Tabs to the ${side}` });
    const isDisabled = (side) => page.locator(`[aria-label="Tabs to the ${side}"]:disabled`).waitFor();
    await button("right").waitFor();
    assert.equal(await isWhole("Compare"), false);
    await picture("tabs narrow", page);
    await button("right").click();
    await isDisabled("right");
    assert.equal(await isWhole("Compare"), true);
    await picture("tabs narrow, scrolled", page);
    await bar.hover();
    await page.mouse.wheel(0, -2000);
    await isDisabled("left");
    await page.getByRole("tab", { name: "Overview" }).focus();
    await page.keyboard.press("End");
    await settled(page);
    await isDisabled("right");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-compare");
    assert.equal(await isWhole("Compare"), true);
    await page.keyboard.press("Home");
    await settled(page);
    await isDisabled("left");
    assert.equal(await isWhole("Overview"), true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Tabs to the right" }).waitFor({ state: "detached" });
  });
});
