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

test("times are written in the chosen unit everywhere", async ({ page, transport, picture }) => {
  await transport.open(page, "sample.json", sampleTrace());
  await openSettings(page);
  await page.getByRole("group", { name: "Unit of times" }).getByRole("radio", { name: "ms" }).check();
  await closeSettings(page);
  const lengths = () => page.evaluate(() => [window.varve.view.timeText(0, 1_234_567n), window.varve.view.lengthText(0, 90_000_000_000n)]);
  assert.deepEqual(await lengths(), ["1.234\u202f567 ms", "90\u202f000 ms"]);
  await page.locator("#timeline").focus();
  await press(page, "Control+KeyA");
  await page.getByRole("tab", { name: /^Area/ }).click();
  await page.locator(".stats").waitFor();
  await idle(page);
  const serve = page.locator(".stats tbody tr", { hasText: "serve" }).first();
  assert.match(await serve.locator("td").nth(2).innerText(), /^100(\.0+)?$/);
  assert.match(await page.locator(".stats th").nth(2).innerText(), /^Total ms/);
  await picture("times in milliseconds");
  await page.evaluate(() => window.varve.settings.change({ options: 4 << 10 })); // ns
  await settled(page);
  assert.equal(await serve.locator("td").nth(2).innerText(), "100\u202f000\u202f000");
  assert.match(await page.locator("#drawer-panel").innerText(), /ns of self time/);
  await page.evaluate(() => window.varve.settings.reset());
  await settled(page);
  assert.deepEqual(await lengths(), ["1.234\u202f567 ms", "1 min 30 s"]);
});

test("the size of text scales the page and the timeline", async ({ page, picture }) => {
  await press(page, "Escape");
  const sizes = () =>
    page.evaluate(() => ({ text: parseFloat(getComputedStyle(document.querySelector(".tabs button")).fontSize), bar: document.querySelector(".top-bar").clientHeight, column: window.varve.rows.value.column }));
  const before = await sizes();
  await openSettings(page);
  await page.getByRole("radio", { name: "Larger" }).check();
  await closeSettings(page);
  const after = await sizes();
  assert.equal(after.text, 1.5 * before.text);
  assert.ok(after.bar >= 1.4 * before.bar);
  await picture("larger text");
  // The pointer meets the bars that are drawn under it.
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.click(box.x + 0.6 * box.width, box.y + 1.5 * 115);
  await idle(page);
  await page.getByRole("tab", { name: "Details" }).click();
  assert.equal(await page.locator("#details h2").innerText(), "serve");
  const cut = await page.evaluate(() => [...document.querySelectorAll(".top-bar button, .tabs button, .drawer-bar button")].filter((b) => b.scrollHeight > b.clientHeight + 2).map((b) => b.outerHTML));
  assert.deepEqual(cut, []);
  await press(page, "Escape");
  await page.evaluate(() => window.varve.settings.reset());
  await settled(page);
  assert.deepEqual(await sizes(), before);
});

test("a window of half the width, as at 200 % zoom, has no part outside and none over another", async ({ page, picture }) => {
  await page.setViewportSize({ width: 640, height: 400 });
  await page.locator("#search").fill("handle request");
  await settled(page);
  const over = await page.evaluate(() => {
    const parts = [...document.querySelectorAll(".top-bar button, .search")].filter((part) => part.checkVisibility());
    const boxes = parts.map((part) => part.getBoundingClientRect());
    return parts.flatMap((a, i) => parts.filter((b, j) => i < j && !a.contains(b) && !b.contains(a) && boxes[i].right > boxes[j].left + 1 && boxes[j].right > boxes[i].left + 1 && boxes[i].bottom > boxes[j].top + 1 && boxes[j].bottom > boxes[i].top + 1).map((b) => [a.outerHTML.slice(0, 80), b.outerHTML.slice(0, 80)]));
  });
  assert.deepEqual(over, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 640);
  await picture("half the width");
  await page.locator("#search").fill("");
  await page.setViewportSize({ width: 1280, height: 800 });
  await settled(page);
});

test("the settings are exported and imported, and a wrong file changes nothing", async ({ page, theme, picture }) => {
  await openSettings(page);
  await page.getByRole("radio", { name: "Roomy" }).check();
  await page.evaluate(() => window.varve.settings.change({ keys: { "pin-track": "Ctrl+J" } }));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  assert.equal(download.suggestedFilename(), "varve-settings.json");
  const text = readFileSync(await download.path(), "utf8");
  assert.deepEqual(JSON.parse(text), { varve_settings: 1, theme: "system", language: "system", rows: "roomy", colours: "name", palette: "standard", drag: "selects", wheel: "scrolls", time_unit: "automatic", text_size: "normal", recent_files: "listed", keys: { "pin-track": ["Ctrl+J"] } });
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
