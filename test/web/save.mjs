// Saving a trace in other formats: the files are those of `varve convert`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { clickSlice, idle, press } from "./browser.mjs";
import { test } from "./tap.mjs";

function made() {
  const events = [{ ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "main" } }];
  for (let i = 0; i < 50; i++) {
    events.push({ ph: "X", pid: 1, tid: 1, ts: 100 * i, dur: 80, name: "request", args: { n: i } });
    events.push({ ph: "X", pid: 1, tid: 1, ts: 100 * i + 10, dur: 30, name: i % 2 === 0 ? "read" : "write", cat: "io" });
    events.push({ ph: "C", pid: 1, ts: 100 * i, name: "queue", args: { length: i % 5 } });
  }
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents: events });
}

/** Returns the output of `varve convert` on a file of a folder, and the losses that it lists. */
function converted(varve, folder, file, to, options, name = "out") {
  const out = join(folder, name);
  const done = spawnSync(resolve(varve), ["convert", `--to=${to}`, ...options, file, "-o", out], { cwd: folder, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  const losses = done.stderr.split("\n").filter((line) => line.startsWith(`varve: ${out}: `)).map((line) => line.slice(`varve: ${out}: `.length));
  return { bytes: readFileSync(out), losses };
}

/** Saves with the dialog; returns the name of the file, its bytes and the listed losses. */
async function save(page, format, { table = null, part = null, picture = null } = {}) {
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyS");
  await page.getByRole("dialog", { name: "Save" }).waitFor();
  await (part === null ? page.getByLabel("Whole trace") : page.locator(`#save-${part}`)).check();
  await page.locator("#save-format").selectOption(format);
  if (table !== null) await page.locator("#save-table").selectOption(table);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save", exact: true }).click()]);
  const list = page.locator("#save-losses");
  await page.waitForFunction(() => document.querySelector("#save-losses") !== null || window.varve.dialog.value === null);
  const losses = await list.locator("li").allInnerTexts();
  await picture?.("save losses");
  if (losses.length > 0) await list.getByRole("button").click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()), losses };
}

const FORMATS = ["json", "spall", "heph", "speedscope", "pprof", "folded"];
const plain = (format, bytes) => (format === "pprof" ? gunzipSync(bytes) : bytes);

function assertSame(format, saved, expected, message) {
  assert.ok(plain(format, saved.bytes).equals(plain(format, expected.bytes)), message);
  assert.deepEqual(saved.losses, expected.losses, message);
}

test("Ctrl+S saves the whole trace, the range and the tracks of the area in each format, as varve convert does", async ({ page, transport, transportName, varve, picture }) => {
  await transport.open(page, "made.json", made());
  const folder = mkdtempSync(join(tmpdir(), "varve-save-test-"));
  writeFileSync(join(folder, "made.json"), made());
  // Tables have the name of the trace in each row: the page's engine has the name of the file, the native one
  // its path.
  const convert = (to, options) => converted(varve, folder, transportName === "worker" ? "made.json" : join(transport.folder, "made.json"), to, options);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyS");
  await page.getByRole("dialog", { name: "Save" }).waitFor();
  assert.equal(await page.locator("#save-area").isDisabled(), true);
  await page.locator("#save-format").selectOption("csv");
  await picture("save dialog");
  await page.keyboard.press("Escape");
  await clickSlice(page, "request", 0.512);
  await press(page, "KeyR");
  await idle(page);
  const { begin, end } = await page.evaluate(() => window.varve.area.value);
  const range = [`--range=${begin}ns..${end}ns`];
  for (const format of FORMATS) {
    const whole = await save(page, format);
    assert.match(whole.name, /^made\.[\w.]+$/);
    assertSame(format, whole, convert(format, []), format);
    const part = await save(page, format, { part: "range" });
    assert.ok(part.bytes.length < whole.bytes.length, format);
    assertSame(format, part, convert(format, range), `${format} of a range`);
    assertSame(format, await save(page, format, { part: "area" }), convert(format, [...range, "--tracks=main"]), `${format} of an area`);
  }
  assert.deepEqual((await save(page, "folded", { picture })).losses, ["values of counters are left out (50)", "facts about the whole trace are left out (1)"]);
  for (const format of ["csv", "jsonl", "arrow"])
    for (const table of ["slice", "counter", "arg"]) {
      const whole = await save(page, format, { table });
      assert.equal(whole.name, `made.${table}.${format === "arrow" ? "arrows" : format}`);
      assertSame(format, whole, convert(format, [`--table=${table}`]), `${table} as ${format}`);
      const part = await save(page, format, { table, part: "range" });
      assertSame(format, part, convert(format, [`--table=${table}`, ...range]), `${table} of a range as ${format}`);
    }
  rmSync(folder, { recursive: true });
});

const SUPPORT = fileURLToPath(new URL("../support", import.meta.url));

/** Returns the rows of a query as texts, from DuckDB itself; null without its library. */
function readBack(sql) {
  const script = "import sys, json; sys.path.append(sys.argv[1]); import duckdb; print(json.dumps(duckdb.read_back(sys.argv[2]) if duckdb.is_there() else None))";
  const done = spawnSync("python3", ["-c", script, SUPPORT, sql], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

const parquetFiles = (page) =>
  page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("parquet")).length);

test("DuckDB reads from a saved Parquet file the rows of varve convert", async ({ page, transport, transportName, varve }) => {
  await transport.open(page, "made.json", made());
  const folder = mkdtempSync(join(tmpdir(), "varve-save-test-"));
  const file = transportName === "worker" ? "made.json" : join(transport.folder, "made.json");
  const path = join(folder, "saved.parquet");
  writeFileSync(join(folder, "made.json"), made());
  await clickSlice(page, "request", 0.512);
  await press(page, "KeyR");
  await idle(page);
  const { begin, end } = await page.evaluate(() => window.varve.area.value);
  assert.equal(await parquetFiles(page), 0, "the writer is loaded before it is needed");
  const hasDuckdb = readBack("SELECT 1") !== null;
  for (const { table, part, options } of [
    { table: "slice", part: null, options: [] },
    { table: "slice", part: "range", options: [`--range=${begin}ns..${end}ns`] },
    { table: "counter", part: null, options: [] },
    { table: "sample", part: null, options: [] }, // without rows
  ]) {
    const saved = await save(page, "parquet", { table, part });
    assert.equal(saved.name, `made.${table}.parquet`);
    assert.equal(saved.bytes.subarray(0, 4).toString(), "PAR1");
    assert.deepEqual(saved.losses, []);
    if (!hasDuckdb) continue;
    writeFileSync(path, saved.bytes);
    const expected = join(folder, "expected.parquet");
    converted(varve, folder, file, "parquet", [`--table=${table}`, ...options], "expected.parquet");
    for (const sql of ["DESCRIBE FROM", "FROM"]) assert.deepEqual(readBack(`${sql} '${path}'`), readBack(`${sql} '${expected}'`), `${sql} ${table} ${part}`);
    if (table === "slice" && part === null) assert.deepEqual(readBack(`SELECT count(*), sum(duration_ns) FROM '${path}'`), [["100", "5500000"]]);
  }
  rmSync(folder, { recursive: true });
  return hasDuckdb ? undefined : "DuckDB's library is not installed: only the beginnings of the files were compared";
});

test("Cancel and Escape stop a save that takes long", async ({ page, transport }) => {
  await transport.open(page, "made.json", made());
  const downloads = [];
  const note = (download) => downloads.push(download);
  page.on("download", note);
  const slow = "**/parquet_wasm_bg.wasm.gz";
  await page.route(slow, () => undefined); // never answers
  const start = async () => {
    await page.locator("#timeline").focus();
    await press(page, "Control+KeyS");
    await page.locator("#save-format").selectOption("parquet");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").getByRole("progressbar").waitFor();
  };
  await start();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".save button[type=submit]:focus").waitFor();
  assert.equal(await page.getByRole("progressbar").count(), 0);
  await page.keyboard.press("Escape");
  await start();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.unroute(slow);
  assert.equal((await save(page, "parquet")).name, "made.slice.parquet");
  assert.equal(downloads.length, 1);
  page.off("download", note);
});
