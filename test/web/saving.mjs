// Saving with the dialog of Ctrl+S, and the same with `varve convert`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { download, press } from "./browser.mjs";

export function made() {
  const events = [{ ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "main" } }];
  for (let i = 0; i < 50; i++) {
    events.push({ ph: "X", pid: 1, tid: 1, ts: 100 * i, dur: 80, name: "request", args: { n: i } });
    events.push({ ph: "X", pid: 1, tid: 1, ts: 100 * i + 10, dur: 30, name: i % 2 === 0 ? "read" : "write", cat: "io" });
    events.push({ ph: "C", pid: 1, ts: 100 * i, name: "queue", args: { length: i % 5 } });
  }
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents: events });
}

/** Returns the output of `varve convert` on a file of a folder, and the losses that it lists. */
export function converted(varve, folder, file, to, options, name = "out") {
  const out = join(folder, name);
  const done = spawnSync(resolve(varve), ["convert", `--to=${to}`, ...options, file, "-o", out], { cwd: folder, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  const losses = done.stderr.split("\n").filter((line) => line.startsWith(`varve: ${out}: `)).map((line) => line.slice(`varve: ${out}: `.length));
  return { bytes: readFileSync(out), losses };
}

/** Saves with the dialog; returns the name of the file, its bytes and the listed losses. */
export async function save(page, format, { table = null, part = null, picture = null } = {}) {
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyS");
  await page.getByRole("dialog", { name: "Save" }).waitFor();
  await page.locator(`#save-${part ?? "whole"}`).check();
  await page.locator("#save-format").selectOption(format);
  if (table !== null) await page.locator("#save-table").selectOption(table);
  const file = await download(page, () => page.locator("dialog").getByRole("button", { name: "Save", exact: true }).click());
  const list = page.locator("#save-losses");
  await page.waitForFunction(() => document.querySelector("#save-losses") !== null || window.varve.dialog.value === null);
  const losses = await list.locator("li").allInnerTexts();
  await picture?.("save losses");
  if (losses.length > 0) await list.getByRole("button").click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return { ...file, losses };
}

const plain = (format, bytes) => (format === "pprof" ? gunzipSync(bytes) : bytes);

export function assertSame(format, saved, expected, message) {
  assert.ok(plain(format, saved.bytes).equals(plain(format, expected.bytes)), message);
  assert.deepEqual(saved.losses, expected.losses, message);
}
