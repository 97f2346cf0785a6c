// Saving a trace in other formats: the files are those of `varve convert`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
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

/** Returns the output of `varve convert` on a file of a folder. */
function converted(varve, folder, file, to, options) {
  const out = join(folder, "out");
  execFileSync(resolve(varve), ["convert", "--quiet", `--to=${to}`, ...options, file, "-o", out], { cwd: folder });
  return readFileSync(out);
}

/** Saves with the dialog; returns the name of the file and its bytes. */
async function save(page, format, { table = null, area = false } = {}) {
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyS");
  await page.getByRole("dialog", { name: "Save" }).waitFor();
  await (area ? page.locator("#save-area") : page.getByLabel("Whole trace")).check();
  await page.locator("#save-format").selectOption(format);
  if (table !== null) await page.locator("#save-table").selectOption(table);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save", exact: true }).click()]);
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

const FORMATS = ["json", "spall", "heph", "speedscope", "pprof", "folded"];
const plain = (format, bytes) => (format === "pprof" ? gunzipSync(bytes) : bytes);

test("Ctrl+S saves the whole trace and the selected range in each format, as varve convert writes it", async ({ page, carrier, carrierName, varve, picture }) => {
  await carrier.open(page, "made.json", made());
  const folder = mkdtempSync(join(tmpdir(), "varve-save-test-"));
  writeFileSync(join(folder, "made.json"), made());
  // Tables have the name of the trace in each row: the page's engine has the name of the file, the native one
  // its path.
  const convert = (to, options) => converted(varve, folder, carrierName === "worker" ? "made.json" : join(carrier.folder, "made.json"), to, options);
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
    assert.ok(plain(format, whole.bytes).equals(plain(format, convert(format, []))), format);
    const part = await save(page, format, { area: true });
    assert.ok(part.bytes.length < whole.bytes.length, format);
    assert.ok(plain(format, part.bytes).equals(plain(format, convert(format, range))), `${format} of an area`);
  }
  for (const format of ["csv", "jsonl", "arrow"])
    for (const table of ["slice", "counter", "arg"]) {
      const whole = await save(page, format, { table });
      assert.equal(whole.name, `made.${table}.${format === "arrow" ? "arrows" : format}`);
      assert.ok(whole.bytes.equals(convert(format, [`--table=${table}`])), `${table} as ${format}`);
      const part = await save(page, format, { table, area: true });
      assert.ok(part.bytes.equals(convert(format, [`--table=${table}`, ...range])), `${table} of an area as ${format}`);
    }
  rmSync(folder, { recursive: true });
});
