// The terms of a search, its list of matches, and the statistics of an area.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { idle, press } from "./browser.mjs";
import { decodePng } from "./png.mjs";
import { test } from "./tap.mjs";

/** 60 slices of known lengths on two threads, with arguments. */
function made() {
  const events = [1, 2].map((tid) => ({ ph: "M", name: "thread_name", pid: 1, tid, args: { name: ["main", "worker"][tid - 1] } }));
  for (let i = 0; i < 60; i++)
    events.push({ ph: "X", pid: 1, tid: 1 + (i % 2), ts: 100 * i, dur: i, name: ["read", "read file", "reader"][i % 3], args: { n: i, path: `/usr/${i % 7}.txt` } });
  return JSON.stringify(events);
}

const result = (page, text) =>
  page.waitForFunction(({ source, isPattern }) => {
    const shown = document.getElementById("search-result").textContent;
    return isPattern ? new RegExp(source).test(shown) : shown === source;
  }, { source: text.source ?? text, isPattern: text instanceof RegExp });
const body = (page) => page.locator(".matches-table tbody");
const cells = (page, i) => page.locator(`.matches-table tbody td:nth-child(${i})`).allInnerTexts();
const head = (page, name) => page.locator(".matches-table thead").getByRole("button", { name });

test("each form of a term finds its slices", async ({ page, transport }) => {
  await transport.open(page, "made.json", made());
  await press(page, "/");
  const found = { '"read"': 40, "read file": 20, "name:=read": 20, ">=50us": 10, "reader >20us <=50us": 10, "thread:worker": 30, "n>57": 2, "n=5": 15, 'n="5"': 1, "path=usr/6 read": 8 };
  for (const [text, count] of Object.entries(found)) {
    await page.locator("#search").fill(text);
    await result(page, count === 1 ? "1 match" : `${count} matches`);
  }
});

test("matches are listed with time, duration, name, thread and value, and sorted by each", async ({ page, picture }) => {
  await page.locator("#search").fill("n>20 reader");
  await result(page, "13 matches");
  await idle(page);
  await page.locator("#search-result").click();
  await head(page, "Duration").click();
  const longest = (await cells(page, 2)).map((text) => Number.parseFloat(text));
  assert.deepEqual(longest, [59, 56, 53, 50, 47, 44, 41, 38, 35, 32, 29, 26, 23]);
  await head(page, "Thread").click();
  assert.deepEqual((await cells(page, 4)).map((text) => text.slice(0, 4)), [..."main ".repeat(6).trim().split(" "), ..."work ".repeat(7).trim().split(" ")]);
  await head(page, "Name").click();
  assert.equal(await body(page).locator("mark").count() > 0, true);
  await head(page, "Time").click();
  await picture("matches with values");
  await page.getByLabel("Format of the copied table").selectOption("json");
  await page.getByRole("button", { name: "Copy the table" }).click();
  await page.waitForFunction(() => window.varve.notice.value === "Copied the table.");
  const rows = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(rows.length, 13);
  assert.deepEqual(Object.keys(rows[0]), ["trace", "begin_ns", "duration_ns", "name", "thread", "argument", "value"]);
  assert.ok(rows.every((row, i) => i === 0 || row.begin_ns > rows[i - 1].begin_ns) && rows[0].duration_ns === 23000, JSON.stringify(rows[0]));
  assert.deepEqual([rows[0].argument, rows[0].value], ["n", "23"]);
  await page.getByLabel("Format of the copied table").selectOption("text");
  await body(page).getByRole("button").nth(2).click();
  await idle(page);
  assert.equal(await page.locator("#search-result").innerText(), "3 of 13");
});

test("a wrong search is refused at the field", async ({ page, picture }) => {
  await page.locator("#search").fill(">5");
  await page.locator("#search-error").waitFor();
  assert.match(await page.locator("#search-error").innerText(), /expected a duration, for example >5ms/);
  assert.equal(await page.locator("#search").getAttribute("aria-invalid"), "true");
  await picture("search refused");
  await page.locator("#timeline").focus();
  await page.mouse.move(2, 300);
  assert.equal(await page.locator("#search-error").isVisible(), false, "it does not cover the ruler during other work");
  await page.locator("#search").focus();
  assert.equal(await page.locator("#search-error").isVisible(), true);
  await page.locator("#search").fill("read");
  await result(page, "60 matches");
  assert.equal(await page.locator("#search-error").count(), 0);
});

test("each form of a regular expression finds its slices", async ({ page, transportName, picture }) => {
  await page.locator("#search").fill("");
  await idle(page);
  await page.getByText("Each term must match").waitFor();
  assert.equal(await page.locator(".empty code", { hasText: "/regular expression/" }).count(), 1);
  assert.match(await page.locator(".empty").innerText(), transportName === "http" ? /syntax of PCRE2\.$/ : /syntax of RE2\.$/);
  await picture("terms of a search");
  const found = { "/^re.*e$/": 20, "name:/ER$|file/": 40, "/(?-i)ER$/": 0, "path=/^.usr.[0-2]\\.txt$/": 27, "/^(read)( file)?$/ thread:/^main/": 20, "/usr.6/ reader": 2 };
  for (const [text, count] of Object.entries(found)) {
    await page.locator("#search").fill(text);
    await result(page, count === 0 ? "nothing found" : `${count} matches`);
  }
  await page.locator("#search-result").click();
  await picture("matches of a regular expression");
});

test("a wrong regular expression is refused at the field", async ({ page, transportName, picture }) => {
  await page.locator("#search").fill("/(read/");
  await page.locator("#search-error").waitFor();
  assert.match(await page.locator("#search-error").innerText(), transportName === "http" ? /byte 5: missing closing parenthesis/ : /byte 5: a closing parenthesis is missing/);
  await picture("regular expression refused");
  await page.locator("#search").fill(`/${"read".repeat(251)}/`);
  await page.locator("#search-error", { hasText: "a regular expression has 1000 bytes at most, this has 1004" }).waitFor();
});

test("hostile regular expressions end", async ({ page, transport, transportName }) => {
  const events = [1, 2, 3].map((ts) => ({ ph: "X", pid: 1, tid: 1, ts, dur: 1, name: "a".repeat(60), args: { long: "a".repeat(200_000) } }));
  await transport.open(page, "long.json", JSON.stringify(events));
  await press(page, "/");
  const refused = async (text) => {
    await page.locator("#search").fill(text);
    await page.locator("#search-error").waitFor();
    assert.match(await page.locator("#search-error").innerText(), /takes too much work/);
  };
  if (transportName === "http") return refused("/^(a+)+[bc]/");
  await page.locator("#search").fill("/^(a+)+[bc]/"); // RE2 does not backtrack
  await result(page, "nothing found");
  await page.locator("#search").fill("/^(a+)+$/");
  await result(page, "3 matches");
  await refused(`/${"(a?){900}".repeat(20)}b/`);
});

test("a list that is cut gives the number of all matches", async ({ page, transport }) => {
  await transport.open(page, "many.json", JSON.stringify(Array.from({ length: 10_050 }, (_, i) => ({ ph: "X", pid: 1, tid: 1, ts: i, dur: 1, name: "step" }))));
  await press(page, "/");
  await page.locator("#search").fill("step");
  await page.locator("#search-result").filter({ hasText: /^10.050 matches$/ }).click();
  await page.getByText(/^10.000 of 10.050 matches are listed$/).waitFor();
});

/** Returns the number of columns with a pixel of one of the colours in rows [top, bottom) of the timeline. */
async function markedColumns(page, colours, top, bottom) {
  await idle(page);
  const { width, channels, pixels } = decodePng(await page.locator("#timeline").screenshot());
  const columns = new Set();
  for (let y = top; y < bottom; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * channels;
      if (colours.includes(pixels.readUIntBE(at, 3))) columns.add(x);
    }
  return columns.size;
}

/** Amber and accent of both themes (src/view/colour.c); minimap: the edges, ruler: the lower end. */
const AMBER = [0xf2b632, 0xb26a00];
const ACCENT = [0x53a3f2, 0x1b6ec2];
const RULER = [71, 82];

test("all matches are marked in ruler and minimap, listed or not", async ({ page, transport, picture }) => {
  await transport.open(page, "many.json", JSON.stringify(Array.from({ length: 25_000 }, (_, i) => ({ ph: "X", pid: 1, tid: 1, ts: i, dur: 1, name: "step" }))));
  await press(page, "/");
  await page.locator("#search").fill(">=1us step"); // labels alone do not decide
  await result(page, /^25.000 matches$/);
  const all = await markedColumns(page, AMBER, ...RULER);
  assert.ok(all > 900, `${all} columns`); // the first 10,000 are listed
  assert.ok((await markedColumns(page, AMBER, 35, 40)) > 900);
  await picture("matches in ruler and minimap");
  await page.locator("#search").fill("");
  assert.equal(await markedColumns(page, AMBER, ...RULER), 0);
});

test("the name of the selected slice is marked, or the one under the pointer in a table", async ({ page, transport, picture }) => {
  const events = Array.from({ length: 3000 }, (_, i) => ({ ph: "X", pid: 1, tid: 1 + (i % 2), ts: i, dur: 1, name: i % 300 === 0 ? "rare" : `often ${i % 3}` }));
  await transport.open(page, "names.json", JSON.stringify(events));
  assert.equal(await markedColumns(page, ACCENT, ...RULER), 0);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  await press(page, "Escape");
  await page.locator("#tab-area").click();
  const row = page.locator(".stats tbody tr", { hasText: "rare" });
  await row.hover();
  await page.waitForFunction(() => window.varve.isIdle);
  await page.waitForTimeout(150);
  const rare = await markedColumns(page, ACCENT, ...RULER);
  assert.equal(rare, 20, "10 slices, two columns each");
  await picture("a name in ruler and minimap");
  await page.locator(".stats tbody tr", { hasText: "often 1" }).hover();
  await page.waitForTimeout(150);
  assert.ok((await markedColumns(page, ACCENT, ...RULER)) > 900);
  await page.locator("#search").hover();
  await page.waitForTimeout(50);
  assert.equal(await markedColumns(page, ACCENT, ...RULER), 0);
  await row.locator("button").first().dblclick(); // selects the longest
  await press(page, "Escape");
  assert.equal(await markedColumns(page, ACCENT, ...RULER) % 20, 0);
});

test("a row of Overview and of Matches marks the events of its name while it is pointed at or focused", async ({ page, picture }) => {
  await page.locator("#timeline").focus();
  await press(page, "Escape");
  await press(page, "Digit0");
  await page.locator("#tab-overview").click();
  const names = page.locator(".top-lists > div", { hasText: "Names by self time" });
  const often = names.locator("li", { hasText: "often 1" });
  await often.waitFor();
  const marked = async () => {
    await page.waitForTimeout(150);
    return markedColumns(page, ACCENT, ...RULER);
  };
  assert.equal(await marked(), 0);
  await often.hover();
  assert.ok((await marked()) > 900);
  await picture("a row of Overview in ruler and minimap");
  await page.locator("#tab-overview").hover();
  assert.equal(await marked(), 0);
  await page.locator(".top-lists > div", { hasText: "Most frequent names" }).locator("li", { hasText: "rare" }).getByRole("button").focus();
  assert.equal(await marked(), 20, "10 slices, two columns each");
  await page.locator("#search").fill("rare");
  await result(page, "10 matches");
  await idle(page);
  assert.equal(await marked(), 0);
  await page.locator("#search-result").click();
  await idle(page);
  await body(page).locator("tr").nth(2).hover();
  assert.equal(await marked(), 20);
  await page.locator("#search").hover();
  assert.equal(await marked(), 0);
  await body(page).getByRole("button").nth(1).focus();
  assert.equal(await marked(), 20);
  await page.locator("#search").fill("");
  await idle(page);
});

/** The nearest rank, as in the engine. */
const rank = (sorted, percent) => sorted[Math.ceil((sorted.length * percent) / 100) - 1];

test("an area has percentiles, deviation and share", async ({ page, transport, picture }) => {
  await transport.open(page, "made.json", made());
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  await idle(page);
  const rows = await page.evaluate(() => window.varve.area.value.stats.rows.map((row) => ({ ...row, p50: row.p50.ns, p90: row.p90.ns, p99: row.p99.ns, deviation: row.deviation.ns })));
  for (const [first, name] of ["read", "read file", "reader"].entries()) {
    const lengths = Array.from({ length: 20 }, (_, i) => 1000 * (first + 3 * i));
    const mean = lengths.reduce((a, b) => a + b) / 20;
    const row = rows.find((each) => each.name === name);
    for (const percent of [50, 90, 99]) assert.equal(Number(row[`p${percent}`]), rank(lengths, percent), name);
    assert.equal(Number(row.deviation), Math.round(Math.sqrt(lengths.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 20)));
    assert.ok(Math.abs(row.share - lengths.reduce((a, b) => a + b) / 1770000) < 1e-9);
  }
  await picture("statistics");
});

test("rows of an area are filtered, and saved with exact values", async ({ page }) => {
  await page.locator(".area-filter").fill("FILE");
  assert.deepEqual(await page.locator(".stats tbody td.name").allInnerTexts(), ["read file"]);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the table as CSV" }).click()]);
  const lines = (await readFile(await saved.path(), "utf8")).split("\r\n");
  assert.equal(lines[0], "name,count,total_ns,self_ns,average_ns,min_ns,p50_ns,p90_ns,p99_ns,max_ns,deviation_ns,share,time_share,cpu_ns");
  assert.match(lines[1], /^read file,20,590000,590000,29500,1000,28000,52000,58000,58000,17299,0\.3333333333333333,0\.0990\d*,$/);
  assert.equal(lines.length, 3);
  await page.locator(".area-filter").fill("nothing like it");
  await page.getByText("No row contains this text.").waitFor();
  await page.locator(".area-filter").fill("");
  await page.setViewportSize({ width: 700, height: 800 });
  await idle(page);
  const cut = await page.locator(".stats td.number").evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
  assert.equal(cut, 0);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("an area is grouped by thread, then by name again", async ({ page, picture }) => {
  const group = page.getByLabel("A row for each");
  await group.selectOption("thread");
  await page.locator(".stats").getByRole("button", { name: "worker (2)", exact: true }).waitFor();
  const rows = await page.locator(".stats tbody tr").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.split(/\s*\t\s*/).slice(0, 3)), [["worker (2)", "30", "900"], ["main (1)", "30", "870"]]);
  await picture("statistics by thread");
  await page.locator(".stats").getByRole("button", { name: "main (1)", exact: true }).click();
  await idle(page);
  await page.locator("#details h2").waitFor();
  assert.match(await page.locator("#details").innerText(), /58 µs/);
  await page.getByRole("tab", { name: /^Area/ }).click();
  await group.selectOption("name");
  await page.locator(".stats").getByRole("button", { name: "read file", exact: true }).waitFor();
});
