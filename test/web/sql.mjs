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
/** Without the spaces between groups of digits. */
const rows = (page) => page.locator(".sql-table tbody tr[aria-rowindex]").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll("\u202f", ""))));
/** All rows of the result: the panel has elements only for the visible rows. */
const result = (page) => page.evaluate(() => window.varve.sql.state.value.result.rows);
const count = (page) => page.locator("#sql-count").innerText();
const asked = (page) => page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1)).filter((name) => /sql.*\.js$|duckdb/.test(name)).sort());

test("the key 6 loads and opens the SQL panel", async (context) => {
  const { page, transport, transportName } = context;
  await transport.open(page, "sample.json", sampleTrace());
  assert.deepEqual(await asked(page), [], "the editor and DuckDB are loaded before they are needed");
  await page.locator("#timeline").focus();
  await press(page, "Digit6");
  assert.equal(await page.locator("#tab-sql").getAttribute("aria-selected"), "true");
  const { missing } = await page.evaluate(() => window.varve.sql.state.value.schema);
  hasSql = missing === null;
  if (!hasSql) return WITHOUT;
  assert.equal(await page.evaluate(() => document.activeElement.id), "sql-editor");
  assert.deepEqual(await asked(page), transportName === "worker" ? ["sql-editor.js", "sql-page.js"] : ["sql-editor.js"]);
});

const WITHOUT = "the page was built without an optional package";
let hasSql = false;
const withSql = (name, body) => test(name, (context) => (hasSql ? body(context) : WITHOUT));

withSql("typed text goes only to the editor, and names are completed", async (context) => {
  const { page } = context;
  await context.picture("sql empty");
  const before = await page.evaluate(() => window.varve.view.save(2));
  await page.locator("#sql-editor").click(MIDDLE);
  await page.keyboard.type("SELECT sel");
  await page.locator("#sql-editor .cm-tooltip-autocomplete").getByText("self_ns").waitFor();
  await context.picture("sql completion");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "sql-editor");
  assert.equal(await textOf(page), "SELECT sel");
  assert.equal(await page.evaluate(() => window.varve.view.save(2)), before);
  await page.keyboard.press("Control+KeyA");
  await page.keyboard.type("FROM slice(na");
  await page.locator("#sql-editor .cm-tooltip-autocomplete").getByText("name :=").waitFor();
  await page.keyboard.press("Escape");
});

withSql("the numbers are those of the area's table", async (context) => {
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

withSql("values have the same texts wherever SQL runs", async ({ page }) => {
  await ask(page, `SELECT sum(1::HUGEINT), 1.5::DECIMAL(10, 2), TIMESTAMP '2020-01-01', [1, 2], {'a': [{'b': 1.5}]}, MAP {'a': 1}, 'x'::BLOB,
    INTERVAL 1 DAY, 1.0::DOUBLE, true, 1e300, 0.1::FLOAT, 18446744073709551615::UBIGINT, [DATE '2020-01-01'], ['é"'], [9007199254740993],
    1e15, 1e14, 0.0001::DOUBLE, 1e-7, 1 / 3, 'nan'::DOUBLE, '-inf'::DOUBLE, NULL, '', -7::TINYINT`);
  assert.deepEqual((await rows(page))[0], [
    "1", "1.50", "2020-01-01 00:00:00", "[1,2]", '{"a":[{"b":1.5}]}', '{"a":1}', "x",
    "1 day", "1", "true", "1e+300", "0.10000000149011612", "18446744073709551615", '["2020-01-01"]', '["é\\""]', "[9007199254740993]",
    "1e+15", "100000000000000", "0.0001", "1e-07", "0.3333333333333333", "nan", "-inf", "NULL", "", "-7",
  ]);
});

withSql("parameters bound the rows, and wrong ones fail", async ({ page }) => {
  await ask(page, "SELECT count(*), sum(s.clipped_ns) FROM slice(name := 'parse', range := '10ms..20ms') AS s");
  assert.deepEqual(await rows(page), [["2", "600000"]]);
  await ask(page, "SELECT count(*), min(name) FROM slice(name := 'PARSE')");
  assert.deepEqual(await rows(page), [["0", "NULL"]]);
  await ask(page, "SELECT count(*) > 0 FROM slice(name := 'répondre 応答 🚀', thread := 'main', \"begin\" := '1ms')");
  assert.equal((await rows(page)).length, 1);
  await ask(page, "SELECT * FROM slice(range := 'x')");
  assert.match(await page.locator("#sql-error").innerText(), /^Binder Error: --range must be BEGIN\.\.END/);
  await ask(page, "SELECT * FROM slice(colour := 'red')");
  assert.match(await page.locator("#sql-error").innerText(), /^Binder Error: /);
});

withSql("every table of the schema can be read", async ({ page }) => {
  const tables = await page.evaluate(() => window.varve.sql.state.value.schema.tables);
  await ask(page, "SHOW TABLES");
  assert.deepEqual(await result(page), tables.map(({ table }) => [table]).sort());
  await ask(page, tables.map(({ table }) => `SELECT '${table}' AS name, count(*) AS n FROM "${table}"`).join(" UNION ALL "));
  const counts = new Map(await result(page));
  assert.equal(counts.size, tables.length);
  for (const [table, count] of [["slice", "121"], ["thread", "3"], ["process", "1"], ["trace", "1"], ["clock", "1"], ["sample", "0"]]) assert.equal(counts.get(table), count, table);
  for (const { table, columns } of tables) {
    await ask(page, `DESCRIBE "${table}"`);
    assert.deepEqual((await result(page)).map(([name, type]) => [name, type]), columns.map(({ name, type }) => [name, type]), table);
  }
});

withSql("a view and a table last as long as their run, and nothing outside can be reached", async ({ page }) => {
  const error = () => page.locator("#sql-error").innerText();
  await ask(page, "CREATE VIEW v AS SELECT name FROM slice; CREATE TEMP TABLE t AS SELECT 1 AS x; SELECT count(*) FROM v, t");
  assert.deepEqual(await rows(page), [["121"]]);
  for (const statement of ["FROM v", "FROM t"]) {
    await ask(page, statement);
    assert.match(await error(), /^Catalog Error: Table with name . does not exist!/);
  }
  for (const statement of ["FROM read_csv('http://127.0.0.1/x.csv')", "COPY (SELECT 1) TO 'x.csv'", "ATTACH 'x.db'", "LOAD httpfs"]) {
    await ask(page, statement);
    assert.match(await error(), /^Permission Error: /, statement);
  }
  for (const statement of ["SET enable_external_access = true", "SET memory_limit = '1TB'"]) {
    await ask(page, statement);
    assert.match(await error(), /the configuration has been locked/, statement);
  }
});

withSql("columns sort by exact numbers, NULL last", async ({ page }) => {
  await ask(page, "SELECT * FROM (VALUES (9007199254740993, 'b'), (9007199254740992, 'a'), (NULL, NULL), (5, 'c')) AS t(n, s)");
  const head = page.locator(".sql-table thead");
  await head.getByRole("button", { name: "n" }).click();
  assert.deepEqual((await rows(page)).map(([n]) => n), ["9007199254740993", "9007199254740992", "5", "NULL"]);
  await head.getByRole("button", { name: "n" }).click();
  assert.deepEqual((await rows(page)).map(([n]) => n), ["5", "9007199254740992", "9007199254740993", "NULL"]);
  await head.getByRole("button", { name: "n" }).click();
  assert.deepEqual((await rows(page)).map(([, s]) => s), ["b", "a", "NULL", "c"], "the order of the result again");
});

withSql("a long result is bounded and shows only the rows in sight", async (context) => {
  const { page } = context;
  await ask(page, "SELECT range AS n FROM range(20000)");
  assert.equal(await count(page), "The first 10\u202f000 rows");
  assert.ok((await page.locator(".sql-table tbody tr").count()) < 200);
  await page.locator(".sql-result .table-box").evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.locator(".sql-table").getByText("9\u202f999", { exact: true }).waitFor();
  await context.picture("sql huge");
});

withSql("a row with a slice selects it, one with a time goes there", async ({ page }) => {
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

/** Records the marked events of trace 0 in `window.marked`. */
const watchMarks = (page) => page.evaluate(() => {
  const { view } = window.varve;
  const setFound = view.setFound.bind(view);
  view.setFound = (trace, events, labels) => {
    window.marked = { events, labels };
    setFound(trace, events, labels);
  };
});
const marks = (page) => page.evaluate(() => window.marked);

withSql("all rows are marked as the matches of a search are, which they replace", async (context) => {
  const { page } = context;
  const button = page.locator("#sql-mark");
  await watchMarks(page);
  await ask(page, "SELECT count(*) AS n FROM slice");
  assert.equal(await button.count(), 0, "a row without a slice or time");
  await page.evaluate(() => window.varve.search.type("name:parse"));
  await idle(page);
  const { events: matches, labels } = await marks(page);
  assert.ok(matches.length > 3, `${matches.length}`);
  await ask(page, "SELECT id, begin_ns FROM slice WHERE name <> 'parse' ORDER BY duration_ns");
  await button.click();
  await idle(page);
  await page.evaluate(() => window.varve.run("fit-all"));
  await idle(page);
  await context.picture("sql marks");
  const found = await result(page);
  assert.equal(await button.innerText(), "Remove the marks");
  const { events } = await marks(page);
  assert.deepEqual([events.map(({ slice }) => String(slice)), (await marks(page)).labels], [found.map(([id]) => id), []]);
  await button.click();
  assert.deepEqual(await marks(page), { events: matches, labels }, "the matches come back");
  await ask(page, "SELECT time_ns FROM counter UNION ALL SELECT begin_ns FROM slice WHERE name = 'parse'");
  const times = (await result(page)).map(([ns]) => Number(ns));
  await button.click();
  await idle(page);
  const { num, den, ticks } = await page.evaluate(() => {
    const [num, den] = window.varve.loading.traces.value[0].info.time.ns_per_tick;
    return { num, den, ticks: window.marked.events.map(({ begin, track }) => [Number(begin), track]) };
  });
  assert.deepEqual(ticks.map(([tick, track]) => [Math.floor((tick * num) / den), track]), times.map((ns) => [ns, 0]), "a time alone");
  await ask(page, "SELECT id, begin_ns FROM slice LIMIT 1");
  assert.equal(await button.innerText(), "Mark all rows", "another result");
  await page.evaluate(() => window.varve.search.type(""));
  assert.deepEqual(await marks(page), { events: [], labels: [] });
});

withSql("an error names its line", async (context) => {
  const { page } = context;
  await ask(page, "SELECT 1;\nSELECT name,\n  nothing\nFROM slice");
  assert.match(await page.locator("#sql-error").innerText(), /Referenced column "nothing" not found[^]*LINE 3:   nothing/);
  assert.equal(await page.locator("#sql-editor .cm-error-line").innerText(), "  nothing");
  await context.picture("sql error");
  await page.locator("#sql-editor").click(MIDDLE);
  await page.keyboard.type(" ");
  assert.equal(await page.locator("#sql-editor .cm-error-line").count(), 0);
});

withSql("decimal points of a column are aligned, and digits are in groups", async ({ page }) => {
  await ask(page, "SELECT * FROM (VALUES (1.5), (12.25), (300::DOUBLE), (1234567.1234), (1e-9)) AS t(x)");
  const ends = await page.locator(".sql-table tbody td.number").evaluateAll((cells) =>
    cells.map((cell) => {
      const range = document.createRange();
      const whole = cell.firstChild.data.split(".")[0].length;
      range.setStart(cell.firstChild, 0);
      range.setEnd(cell.firstChild, whole);
      return Math.round(range.getBoundingClientRect().right);
    }),
  );
  assert.equal(new Set(ends.slice(0, 4)).size, 1, `the wholes of 1.5, 12.25, 300 and 1234567.1234 end at ${ends}`);
  const cells = await page.locator(".sql-table tbody td.number").evaluateAll((all) => all.map((cell) => [cell.textContent, cell.title]));
  assert.deepEqual(cells.map(([text]) => text), ["1.5", "12.25", "300", "1\u202f234\u202f567.123\u202f4", "1e-09"]);
  assert.deepEqual(cells.map(([, title]) => title), ["1.5", "12.25", "300", "1234567.1234", "1e-09"], "tooltips have the digits alone");
});

withSql("a statement is cancelled by a button and by Escape", async ({ page }) => {
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

withSql("a result of two columns has a chart", async (context) => {
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

withSql("rows are copied and saved as CSV", async ({ page }) => {
  await ask(page, `SELECT 'a,"b' AS t, NULL AS n, '' AS e, 9007199254740993 AS i`);
  const expected = `t,n,e,i\r\n"a,""b",,"",9007199254740993\r\n`;
  await page.getByLabel("Format of the copied rows").selectOption("csv");
  await page.getByRole("button", { name: "Copy the rows" }).click();
  await page.waitForFunction(() => window.varve.notice.value === "Copied the rows.");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), expected);
  await page.getByLabel("Format of the copied rows").selectOption("json");
  await page.getByRole("button", { name: "Copy the rows" }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith("["));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `[\n  {"t": "a,\\"b", "n": null, "e": "", "i": 9007199254740993}\n]\n`);
  await page.getByLabel("Format of the copied rows").selectOption("text");
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the rows as CSV" }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), "query.csv");
  assert.equal(await readFile(await download.path(), "utf8"), expected);
});

withSql("earlier statements come back, also after a reload", async ({ page, transport, transportName }) => {
  await ask(page, "SELECT 1 AS first");
  await ask(page, "SELECT 2 AS second");
  await page.locator("#sql-editor").click(MIDDLE);
  await page.keyboard.press("Alt+ArrowUp");
  assert.equal(await textOf(page), "SELECT 1 AS first");
  await page.keyboard.press("Alt+ArrowDown");
  assert.equal(await textOf(page), "SELECT 2 AS second");
  await page.reload();
  if (transportName === "worker") await transport.open(page, "sample.json", sampleTrace());
  await page.waitForFunction(() => (window.varve?.loading.traces.value.length ?? 0) > 0);
  await idle(page);
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "Digit6");
  assert.equal(await textOf(page), "SELECT 2 AS second");
  await page.locator("#sql-history").selectOption({ label: "SELECT 1 AS first" });
  assert.equal(await textOf(page), "SELECT 1 AS first");
  await page.evaluate(() => localStorage.removeItem("varve-sql"));
});

withSql("a narrow window has room for the panel", async (context) => {
  const { page, transport, transportName, withPage } = context;
  const url = page.url();
  await withPage({ viewport: { width: 700, height: 800 } }, async (other) => {
    if (transportName === "worker") await transport.open(other, "sample.json", sampleTrace());
    else await other.goto(url);
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

/** Clicks the button and waits for the trace of the rows. */
async function showAsTrack(page, name) {
  await page.locator("#sql-track").click();
  await page.waitForFunction((name) => window.varve.loading.traces.value.at(-1).info.file.name === name, name);
  await idle(page);
}

/** Returns the times of the left edge of the window in all traces, in nanoseconds. */
const leftEdges = (page) => page.evaluate(() => window.varve.loading.traces.value.map(({ info }, trace) => {
  const [num, den] = info.time.ns_per_tick;
  return Number((window.varve.view.range(trace).begin * BigInt(num)) / BigInt(den));
}));
const namesOf = (page, trace) => page.evaluate(async (trace) => {
  const answer = await window.varve.loading.ready[trace].request("stats", {});
  return JSON.parse(new TextDecoder().decode(answer)).rows.map(({ name, count }) => [name, count]);
}, trace);

withSql("rows are shown as a track at their times", async (context) => {
  const { page } = context;
  await ask(page, "SELECT count(*) FROM slice");
  assert.equal(await page.locator("#sql-track").count(), 0, "rows without times");
  const [[slices]] = await result(page);
  await ask(page, "SELECT name, thread, begin_ns, duration_ns, depth FROM slice WHERE name = 'parse' ORDER BY begin_ns DESC");
  const found = await result(page);
  const first = Math.min(...found.map(([, , begin]) => Number(begin)));
  await page.evaluate(() => window.varve.run("zoom-in"));
  await idle(page);
  await showAsTrack(page, "SQL 1");
  await context.picture("sql track");
  const [left, ofTrack] = await leftEdges(page);
  assert.ok(Math.abs(left - ofTrack - first) <= 1, `${left} - ${ofTrack} = ${first}`);
  const info = await page.evaluate(() => window.varve.loading.traces.value[1].info);
  assert.equal(info.counts.slices, found.length);
  assert.equal(info.counts.threads, new Set(found.map(([, thread]) => thread)).size);
  assert.deepEqual(await namesOf(page, 1), [["parse", found.length]]);
  await ask(page, "SELECT count(*) FROM slice");
  assert.deepEqual(await result(page), [[slices]], "statements do not read the rows again");
  await ask(page, "SELECT begin_ns AS time_ns, depth AS value FROM slice WHERE depth > 0 ORDER BY time_ns LIMIT 5");
  const values = await result(page);
  await showAsTrack(page, "SQL 2");
  const { counters, instants } = await page.evaluate(() => window.varve.loading.traces.value[2].info.counts);
  assert.deepEqual([counters, instants], [1, 0]);
  const edges = await leftEdges(page);
  assert.ok(Math.abs(edges[0] - edges[2] - Number(values[0][0])) <= 1 && Math.abs(edges[0] - edges[1] - first) <= 1, `${edges}`);
  await ask(page, "SELECT begin_ns AS time_ns, name FROM slice LIMIT 3");
  await showAsTrack(page, "SQL 3");
  assert.equal(await page.evaluate(() => window.varve.loading.traces.value[3].info.counts.instants), 3);
  await page.evaluate(() => [3, 2, 1].forEach((trace) => window.varve.loading.closeTrace(trace)));
  await idle(page);
});
