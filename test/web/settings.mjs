// The settings: keys, presets, and the file of the settings.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { idle, loaded, press, range, settled } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const row = (page, command) => page.locator(`[data-command="${command}"]`);
const keysOf = (page, command) => page.evaluate((command) => window.varve.keys.of(command), command);

async function openSettings(page) {
  await page.locator("#timeline").focus();
  await page.keyboard.press("Control+Comma");
  await page.locator(".settings").waitFor();
}

async function closeSettings(page) {
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await idle(page);
}

/** Starts the recording of a key. */
async function record(page, command) {
  await row(page, command).getByRole("button", { name: /^Add a key/ }).click();
  await page.waitForFunction(() => document.activeElement.className === "key-recorder");
}

/** Imports the text as a settings file. */
async function importSettings(page, text) {
  await page.locator("#settings-input").setInputFiles({ name: "mine.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await settled(page);
}

test("a key is recorded, used, shown everywhere, and stored", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await openSettings(page);
  await picture("settings with keys");
  await page.getByLabel("Filter commands and keys").fill("zoom in at the pointer");
  await row(page, "fit-all").waitFor({ state: "detached" });
  await record(page, "zoom-in");
  await page.keyboard.press("Shift");
  await page.keyboard.press("Control+KeyJ");
  assert.equal(await keysOf(page, "zoom-in"), "W  +  Ctrl+J");
  await page.waitForFunction(() => document.activeElement.getAttribute("aria-label")?.startsWith("Add a key"));
  await row(page, "zoom-in").getByRole("button", { name: /^Remove the key W/ }).click();
  assert.equal(await keysOf(page, "zoom-in"), "+  Ctrl+J");
  await closeSettings(page);
  const whole = await range(page);
  await press(page, "KeyW");
  assert.deepEqual(await range(page), whole);
  await press(page, "Control+KeyJ");
  assert.ok((await range(page)).span < whole.span);
  await press(page, "Digit0");
  await press(page, "?");
  assert.match(await page.locator(".help-row", { hasText: "Zoom in at the pointer" }).first().textContent(), /\+Ctrl\+J$/);
  await closeSettings(page);
  await page.reload();
  await loaded(page);
  assert.equal(await keysOf(page, "zoom-in"), "+  Ctrl+J");
});

test("a key of another command is moved only on request, and keys of the browser are refused", async ({ page, picture }) => {
  await openSettings(page);
  await page.getByLabel("Filter commands and keys").fill("pin the track");
  await record(page, "pin-track");
  await page.keyboard.press("Control+KeyT");
  await page.getByText("Ctrl+T belongs to the browser.").waitFor();
  await page.keyboard.press("Control+Shift+KeyP");
  await page.getByText("Ctrl+Shift+P is the key of \u201cAll commands\u201d.").waitFor();
  await picture("a key that is taken");
  assert.equal(await keysOf(page, "pin-track"), "P");
  await page.getByRole("button", { name: "Move it here" }).click();
  assert.equal(await keysOf(page, "pin-track"), "P  Ctrl+Shift+P");
  assert.equal(await keysOf(page, "palette"), "F1");
  await row(page, "pin-track").getByRole("button", { name: /^Default keys/ }).click();
  assert.equal(await keysOf(page, "pin-track"), "P");
  await record(page, "pin-track");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".key-recorder").count(), 0, "Escape ends the recording, not the dialog");
  await page.getByRole("button", { name: "Reset all settings" }).click();
  assert.equal(await keysOf(page, "palette"), "Ctrl+Shift+P  F1");
  assert.equal(await keysOf(page, "zoom-in"), "W  +");
  await closeSettings(page);
});

test("tooltips follow the keys", async ({ page }) => {
  await page.evaluate(() => window.varve.settings.change({ keys: { "fit-all": "Home", "go-start": "" } }));
  await page.getByTitle("Show the whole trace (Home)").waitFor();
  await page.evaluate(() => window.varve.settings.reset());
  await page.getByTitle("Show the whole trace (0)").waitFor();
});

test("each preset gives every key to one command", async ({ page }) => {
  await openSettings(page);
  for (const name of ["Perfetto", "Spall", "Tracy", "speedscope", "Varve"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator(".settings-presets [aria-pressed=true]", { hasText: name }).waitFor();
    await page.evaluate(() => window.varve.keys.check(window.varve.settings.saved.value.keys));
    if (name === "speedscope") assert.deepEqual(await Promise.all(["zoom-in", "scroll-up", "jump"].map((command) => keysOf(page, command))), ["+", "W", "Ctrl+P  T"]);
    if (name === "Spall") assert.equal(await page.getByLabel("Pans; with Shift it selects an area").isChecked(), true);
  }
  assert.equal(await keysOf(page, "zoom-in"), "W  +");
  await closeSettings(page);
});

test("the settings are exported and imported, and a wrong file changes nothing", async ({ page, theme, picture }) => {
  await openSettings(page);
  await page.getByRole("radio", { name: "Roomy" }).check();
  await page.evaluate(() => window.varve.settings.change({ keys: { "pin-track": "Ctrl+J" } }));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  assert.equal(download.suggestedFilename(), "varve-settings.json");
  const text = readFileSync(await download.path(), "utf8");
  assert.deepEqual(JSON.parse(text), { varve_settings: 1, theme: "system", language: "system", rows: "roomy", colours: "name", palette: "standard", drag: "selects", wheel: "scrolls", recent_files: "listed", keys: { "pin-track": ["Ctrl+J"] } });
  await page.getByRole("button", { name: "Reset all settings" }).click();
  const problem = page.locator("#settings-problem");
  for (const [wrong, reason] of [
    ["{", /^mine.json: not JSON: .*Nothing was changed\.$/],
    ['{"varve_settings": 1, "theme": "blue"}', /theme: expected "system", "dark" or "light", not "blue"/],
    ['{"varve_settings": 1, "theme": "dark", "keys": {"zoom-inn": ["W"]}}', /there is no command \u201czoom-inn\u201d/],
    ['{"varve_settings": 1, "keys": {"zoom-in": ["Ctrl+W"]}}', /zoom-in: Ctrl\+W belongs to the browser/],
    ['{"varve_settings": 1, "keys": {"zoom-in": ["Hyper+W"]}}', /zoom-in: Hyper\+W is not a key/],
    ['{"varve_settings": 1, "keys": {"zoom-in": ["P"]}}', /P is the key of two commands: (zoom-in and pin-track|pin-track and zoom-in)/],
  ]) {
    await importSettings(page, wrong);
    assert.match(await problem.textContent(), reason);
    assert.deepEqual(await page.evaluate(() => [window.varve.settings.saved.value.keys, window.varve.keys.of("zoom-in")]), [{}, "W  +"]);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
  }
  await picture("a wrong settings file");
  await importSettings(page, text);
  assert.equal(await problem.count(), 0);
  assert.equal(await keysOf(page, "pin-track"), "Ctrl+J");
  assert.equal(await page.getByRole("radio", { name: "Roomy" }).isChecked(), true);
  await page.getByRole("button", { name: "Reset all settings" }).click();
  await closeSettings(page);
});

test("varve open stores the settings for its next run, on another port", async ({ page, transport, transportName, withPage }) => {
  if (transportName !== "http") return "only with the native engine";
  await transport.open(page, "sample.json", sampleTrace());
  const stored = page.waitForResponse((response) => response.url().endsWith("/settings") && response.request().method() === "POST");
  await page.evaluate(() => window.varve.settings.change({ keys: { "pin-track": "Ctrl+J" } }));
  assert.equal((await stored).status(), 200);
  await withPage({}, async (other) => {
    await transport.open(other, "sample.json", sampleTrace());
    assert.equal(await keysOf(other, "pin-track"), "Ctrl+J");
  });
  const again = page.waitForResponse((response) => response.url().endsWith("/settings") && response.request().method() === "POST");
  await page.evaluate(() => window.varve.settings.reset());
  await again;
});
