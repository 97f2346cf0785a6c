// Saving a trace as .varve and as Parquet, and the cancelling of a save. core.mjs has the other formats.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { clickSlice, idle, press } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { converted, made, save } from "./saving.mjs";
import { test } from "./tap.mjs";

test("a .varve file has the whole trace: Varve reads it like the source, and the viewer opens it with its arguments", async ({ page, transport, varve, picture }) => {
  await transport.open(page, "made.json", made());
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyS");
  assert.equal(await page.evaluate(() => document.activeElement.id), "save-whole", "the first control has the focus");
  await page.locator("#save-view").check();
  await page.locator("#save-format").selectOption("varve");
  assert.equal(await page.getByLabel("Whole trace").isChecked(), true);
  assert.equal(await page.locator("#save-view").isDisabled(), true);
  const colours = await page.locator("form.save label:has(> input[type=radio])").evaluateAll((labels) => labels.map((label) => [label.querySelector("input").disabled, getComputedStyle(label).color]));
  const colourOf = (isDisabled) => [...new Set(colours.filter(([state]) => state === isDisabled).map(([, colour]) => colour))];
  assert.equal(colourOf(false).length, 1);
  assert.equal(colourOf(true).length, 1);
  assert.notEqual(colourOf(true)[0], colourOf(false)[0], "disabled choices have another colour");
  await picture("save varve");
  await page.keyboard.press("Escape");
  const saved = await save(page, "varve");
  assert.equal(saved.name, "made.varve");
  assert.deepEqual(saved.losses, []);
  const folder = mkdtempSync(join(tmpdir(), "varve-save-test-"));
  writeFileSync(join(folder, "made.json"), made());
  writeFileSync(join(folder, "made.varve"), saved.bytes);
  const dumped = (file) => spawnSync(resolve(varve), ["dump", "--json", join(folder, file)], { encoding: "utf8" });
  assert.equal(dumped("made.varve").status, 0, dumped("made.varve").stderr);
  assert.equal(dumped("made.varve").stdout, dumped("made.json").stdout);
  const packed = converted(varve, folder, "made.json", "varve", []).bytes;
  for (const [name, bytes] of [["saved.varve", saved.bytes], ["packed.varve", packed]]) {
    await transport.open(page, name, bytes);
    await clickSlice(page, "request", 0.512);
    assert.match(await page.locator("#details").innerText(), /\bn\s+20\b/, name);
  }
  await picture("varve opened");
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

test("the visible part is saved as PNG and SVG", async ({ page, transport, picture }) => {
  const events = JSON.parse(sampleTrace()).traceEvents;
  for (const [i, name] of ['a<b>&\u0001"c"', "読み込み"].entries()) events.push({ ph: "X", pid: 1, tid: 7, ts: 50_000 * i, dur: 40_000, name });
  await transport.open(page, "sample.json", JSON.stringify(events));
  const save = async (kind) => {
    await page.locator("#timeline").focus();
    await press(page, "Control+KeyS");
    await picture("save a picture");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: kind, exact: true }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const box = await page.locator("#timeline").boundingBox();
  const size = [Math.round(box.width), Math.round(box.height)];
  const png = await save("PNG");
  assert.equal(png.name, "sample.png");
  assert.equal(png.bytes.toString("latin1", 1, 4), "PNG");
  assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)], size);
  const svg = await save("SVG");
  assert.equal(svg.name, "sample.svg");
  const shown = await page.evaluate(async ([svg, png]) => {
    const draw = async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const document = new DOMParser().parseFromString(svg, "image/svg+xml");
    const [ours, theirs] = [await draw(`data:image/svg+xml,${encodeURIComponent(svg)}`), await draw(`data:image/png;base64,${png}`)];
    let different = 0;
    for (let i = 0; i < ours.data.length; i += 4) if ([0, 1, 2].some((k) => Math.abs(ours.data[i + k] - theirs.data[i + k]) > 48)) different++;
    return { errors: document.querySelectorAll("parsererror").length, texts: [...document.querySelectorAll("text")].map(({ textContent }) => textContent), size: [ours.width, ours.height], different: different / (ours.width * ours.height) };
  }, [svg.bytes.toString(), png.bytes.toString("base64")]);
  assert.equal(shown.errors, 0);
  assert.deepEqual(shown.size, size);
  for (const part of ["serve", "main (1)", "worker 1 (2)", "a<b>&\ufffd\"c\"", "読み込み"]) assert.ok(shown.texts.includes(part), `${part} in ${shown.texts.join("|")}`);
  assert.ok(shown.different < 0.03, `${shown.different} of the pixels differ`); // by the font of the texts
  assert.equal(await page.evaluate(() => window.varve.view.options & 16), 0, "the view takes input again");
});

test("tables are copied as text, CSV, JSON and Markdown", async ({ page, picture }) => {
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.locator(".stats").waitFor();
  const copied = async (format) => {
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await page.getByLabel("Format of the copied table").selectOption(format);
    await page.getByRole("button", { name: "Copy the table" }).click();
    await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== "");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await picture("formats of a table");
  const rows = JSON.parse(await copied("json"));
  const [, ...lines] = (await copied("text")).split("\n");
  assert.equal(rows.length, lines.length);
  assert.ok(rows.length >= 3 && rows.every((row) => typeof Object.values(row)[0] === "string"));
  assert.equal((await copied("csv")).trim().split("\r\n").length, rows.length + 1);
  const markdown = (await copied("markdown")).trim().split("\n");
  assert.equal(markdown.length, rows.length + 2);
  assert.match(markdown[1], /^\| --- \|.* ---: \|/);
  await page.getByLabel("Format of the copied table").selectOption("text");
});
