// The panel for SQL: editor, completion, result, chart, history.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { idle, press } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const MIDDLE = { position: { x: 300, y: 20 } };

/** Replaces the text of the editor and runs it. */
async function ask(page, text) {
  await page.locator("#sql-editor").click(MIDDLE);
  await page.keyboard.press("Control+KeyA");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Control+Enter");
  await idle(page);
}

const textOf = (page) => page.evaluate(() => window.varve.sql.state.value.text);
const rows = (page) => page.locator(".sql-table tbody tr[aria-rowindex]").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
const count = (page) => page.locator("#sql-count").innerText();
const asked = (page) => page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith("sql-editor.js")).length);

test("the key 6 opens the panel for SQL; the static page says that it needs the native engine", async ({ page, carrier, carrierName }) => {
  await carrier.open(page, "sample.json", sampleTrace());
  assert.equal(await asked(page), 0, "the editor is loaded before it is needed");
  await page.locator("#timeline").focus();
  await press(page, "Digit6");
  assert.equal(await page.locator("#tab-sql").getAttribute("aria-selected"), "true");
  if (carrierName === "worker") {
    assert.match(await page.locator("#sql-editor").innerText(), /^SQL runs in the native engine: open the file with `varve open`/);
    assert.equal(await asked(page), 0);
    return;
  }
  assert.equal(await asked(page), 1);
  assert.equal(await page.evaluate(() => document.activeElement.id), "sql-editor");
});

/** The tests of the panel need the native engine. */
const native = (name, body) =>
  test(name, async (context) => {
    if (context.carrierName !== "worker") await body(context);
  });

native("what is typed reaches the editor alone, and names are completed", async (context) => {
  const { page } = context;
  await context.picture("sql empty");
  const before = await page.evaluate(() => window.varve.view.saveState());
  await page.locator("#sql-editor").click(MIDDLE);
  await page.keyboard.type("SELECT sel");
  await page.locator("#sql-editor .cm-tooltip-autocomplete").getByText("self_ns").waitFor();
  await context.picture("sql completion");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "sql-editor");
  assert.equal(await textOf(page), "SELECT sel");
  assert.equal(await page.evaluate(() => window.varve.view.saveState()), before);
  await page.keyboard.press("Control+KeyA");
  await page.keyboard.type("FROM slice(na");
  await page.locator("#sql-editor .cm-tooltip-autocomplete").getByText("name :=").waitFor();
  await page.keyboard.press("Escape");
});

native("the numbers are those of the area's table", async (context) => {
  const { page } = context;
  await ask(page, "SELECT name, count(*) AS n, sum(duration_ns) AS total, sum(self_ns) AS self FROM slice GROUP BY name ORDER BY name");
  const found = await rows(page);
  await context.picture("sql rows");
  const answer = await page.evaluate(async () => {
    const bytes = await window.varve.loading.ready[0].request("stats");
    return JSON.parse(new TextDecoder().decode(bytes));
  });
  const expected = answer.rows.map((row) => [row.name, String(row.count), row.total.ns, row.self.ns]);
  expected.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  assert.ok(expected.length > 3);
  assert.deepEqual(found, expected);
});

native("columns sort by exact numbers, NULL last", async ({ page }) => {
  await ask(page, "SELECT * FROM (VALUES (9007199254740993, 'b'), (9007199254740992, 'a'), (NULL, NULL), (5, 'c')) AS t(n, s)");
  const head = page.locator(".sql-table thead");
  await head.getByRole("button", { name: "n" }).click();
  assert.deepEqual((await rows(page)).map(([n]) => n), ["9007199254740993", "9007199254740992", "5", "NULL"]);
  await head.getByRole("button", { name: "n" }).click();
  assert.deepEqual((await rows(page)).map(([n]) => n), ["5", "9007199254740992", "9007199254740993", "NULL"]);
  await head.getByRole("button", { name: "n" }).click();
  assert.deepEqual((await rows(page)).map(([, s]) => s), ["b", "a", "NULL", "c"], "the order of the result again");
});

native("a long result is bounded and shows only the rows in sight", async (context) => {
  const { page } = context;
  await ask(page, "SELECT range AS n FROM range(20000)");
  assert.equal(await count(page), "The first 10\u202f000 rows");
  assert.ok((await page.locator(".sql-table tbody tr").count()) < 200);
  await page.locator(".sql-result .table-box").evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.locator(".sql-table").getByText("9999", { exact: true }).waitFor();
  await context.picture("sql huge");
});

native("a row with a slice selects it, one with a time goes there", async ({ page }) => {
  await ask(page, "SELECT id, name, begin_ns FROM slice WHERE name = 'parse' ORDER BY begin_ns LIMIT 3");
  await page.locator(".sql-table tbody tr:has(button)").nth(1).click();
  await page.waitForFunction(() => window.varve.details.value.kind === "slice");
  await idle(page);
  const slice = await page.evaluate(() => window.varve.details.value.slice);
  assert.equal(slice.name, "parse");
  assert.equal(String(slice.place.slice), (await rows(page))[1][0]);
  assert.equal(await page.locator("#tab-sql").getAttribute("aria-selected"), "true", "the panel stays");
  await ask(page, "SELECT max(begin_ns) AS time_ns FROM slice");
  const time = Number((await rows(page))[0][0]);
  await page.evaluate(() => window.varve.showRange(0, "0", "1000"));
  await page.locator(".sql-table tbody tr:has(button)").first().click();
  await idle(page);
  const { begin, end, perTick } = await page.evaluate(() => {
    const { begin, end } = window.varve.view.range(0);
    const [num, den] = window.varve.loading.traces.value[0].info.time.ns_per_tick;
    return { begin: Number(begin), end: Number(end), perTick: num / den };
  });
  assert.ok(begin * perTick < time && time < end * perTick, `${time} in ${begin}..${end}`);
  assert.ok(end - begin < 5000, "the span stays");
  await ask(page, "SELECT name, id FROM track");
  assert.equal(await page.locator(".sql-table tbody tr:has(button)").count(), 0, "ids of tracks are not those of slices");
});

native("an error names its line", async (context) => {
  const { page } = context;
  await ask(page, "SELECT 1;\nSELECT name,\n  nothing\nFROM slice");
  assert.match(await page.locator("#sql-error").innerText(), /Referenced column "nothing" not found[^]*LINE 3:   nothing/);
  assert.equal(await page.locator("#sql-editor .cm-error-line").innerText(), "  nothing");
  await context.picture("sql error");
  await page.locator("#sql-editor").click(MIDDLE);
  await page.keyboard.type(" ");
  assert.equal(await page.locator("#sql-editor .cm-error-line").count(), 0);
});

native("a statement is cancelled by a button and by Escape", async ({ page }) => {
  const endless = "SELECT count(*) FROM range(10000000000) a, range(1000) b WHERE a.range % 7 = b.range % 11";
  for (const cancel of [() => page.locator("#sql-cancel").click(), () => page.keyboard.press("Escape")]) {
    await page.locator("#sql-editor").click(MIDDLE);
    await page.keyboard.press("Control+KeyA");
    await page.keyboard.insertText(endless);
    await page.keyboard.press("Control+Enter");
    await page.locator("#sql-cancel").waitFor();
    await page.waitForFunction(() => window.varve.sql.canCancel);
    await cancel();
    await page.locator(".sql-result").getByText("Cancelled.").waitFor();
    await idle(page);
  }
});

native("a result of two columns has a chart", async (context) => {
  const { page } = context;
  await ask(page, "SELECT name, count(*) AS n FROM slice GROUP BY name ORDER BY n DESC, name");
  const found = await rows(page);
  await page.locator("#sql-chart").click();
  const bars = await page.locator(".sql-chart rect").evaluateAll((all) => all.map((bar) => Number(bar.getAttribute("width"))));
  assert.equal(bars.length, found.length);
  const ratio = Number(found[1][1]) / Number(found[0][1]);
  assert.ok(Math.abs(bars[1] / bars[0] - ratio) < 0.01, `${bars}`);
  await context.picture("sql bars");
  await page.locator("#sql-chart").click();
  await ask(page, "SELECT range AS x, range * range AS y FROM range(100)");
  await page.locator("#sql-chart").click();
  assert.equal((await page.locator(".sql-chart polyline").getAttribute("points")).split(" ").length, 100);
  await context.picture("sql line");
  await page.locator("#sql-chart").click();
});

native("rows are copied and saved as CSV", async ({ page }) => {
  await ask(page, `SELECT 'a,"b' AS t, NULL AS n, '' AS e, 9007199254740993 AS i`);
  const expected = `t,n,e,i\r\n"a,""b",,"",9007199254740993\r\n`;
  await page.getByRole("button", { name: "Copy the rows as CSV" }).click();
  await page.waitForFunction(() => window.varve.notice.value === "Copied the rows.");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), expected);
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the rows as CSV" }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), "query.csv");
  assert.equal(await readFile(await download.path(), "utf8"), expected);
});

native("earlier statements come back, also after a reload", async ({ page }) => {
  await ask(page, "SELECT 1 AS first");
  await ask(page, "SELECT 2 AS second");
  await page.locator("#sql-editor").click(MIDDLE);
  await page.keyboard.press("Alt+ArrowUp");
  assert.equal(await textOf(page), "SELECT 1 AS first");
  await page.keyboard.press("Alt+ArrowDown");
  assert.equal(await textOf(page), "SELECT 2 AS second");
  await page.reload();
  await page.waitForFunction(() => (window.varve?.loading.traces.value.length ?? 0) > 0);
  await idle(page);
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "Digit6");
  assert.equal(await textOf(page), "SELECT 2 AS second");
  await page.locator("#sql-history").selectOption({ label: "SELECT 1 AS first" });
  assert.equal(await textOf(page), "SELECT 1 AS first");
  await page.evaluate(() => localStorage.removeItem("varve-sql"));
});

native("a narrow window has room for the panel", async (context) => {
  const { page, withPage } = context;
  const url = page.url();
  await withPage({ viewport: { width: 700, height: 800 } }, async (other) => {
    await other.goto(url);
    await other.waitForFunction(() => (window.varve?.loading.traces.value.length ?? 0) > 0);
    await idle(other);
    await other.evaluate(() => window.varve.focusTimeline());
    await press(other, "Digit6");
    await ask(other, "FROM slice");
    const box = await other.locator("#sql-run").boundingBox();
    assert.ok(box.x + box.width <= 700 && (await other.locator(".sql-result .table-box").boundingBox()).width <= 700);
    await context.picture("sql narrow", other);
  });
});
