// View files: saved, opened onto a trace, and dropped; with another trace only the parts that fit are shown.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clickSlice, drop, idle, linked, loaded, press, range, settled, viewInAddress } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const notice = (page) => page.evaluate(() => window.varve.notice.value);
const wholeView = (page) => page.evaluate(() => window.varve.views.text(3));

/** Changes most parts of a view. */
async function changeView(page) {
  await clickSlice(page, "handle request");
  await press(page, "KeyM");
  await page.evaluate(() => window.varve.filterTracks("main"));
  for (let i = 0; i < 4; i++) await press(page, "KeyW");
  await page.evaluate(() => {
    window.varve.settings.setHeight("roomy");
    window.varve.search.type("request");
    window.varve.drawer.show("flame");
  });
  await settled(page);
}

test("a view file brings back the whole view", async ({ page, transport, picture }) => {
  await transport.open(page, "views.json", sampleTrace().replace("reload", "views"));
  await changeView(page);
  const before = await wholeView(page);
  const place = await range(page);
  const view = JSON.parse(before);
  assert.equal(view.rows, "roomy");
  assert.equal(view.filter, "main");
  assert.equal(view.panel, "flame");
  assert.equal(view.search, "request");
  assert.equal(view.traces[0].slice.name, "handle request");
  assert.equal(view.traces[0].marks.length, 1);
  const [download] = await Promise.all([page.waitForEvent("download"), page.evaluate(() => window.varve.run("save-view"))]);
  assert.equal(download.suggestedFilename(), "views.varve-view");
  const text = readFileSync(await download.path(), "utf8");
  assert.equal(text, before);

  await page.evaluate(() => {
    window.varve.filterTracks("");
    window.varve.settings.setHeight("compact");
    window.varve.search.type("");
    window.varve.drawer.toggle();
    window.varve.run("fit-all");
    window.varve.run("deselect");
  });
  await settled(page);
  assert.notEqual(await wholeView(page), before);
  await drop(page, "views.varve-view", text);
  await settled(page);
  assert.equal(await wholeView(page), before);
  assert.deepEqual(await range(page), place);
  assert.equal(await page.locator("#search").inputValue(), "request");
  assert.equal(await page.evaluate(() => window.varve.settings.saved.value.options & 32), 32, "the choice of the row height");
  assert.equal(await page.evaluate(() => window.varve.loading.traces.value.length), 1);
  await picture("view file opened");
  await page.evaluate(() => window.varve.settings.setHeight("normal"));
});

test("a view file of another trace applies the fitting parts, and says so", async ({ page, transport }) => {
  await transport.open(page, "views.json", sampleTrace().replace("reload", "views"));
  await changeView(page);
  const text = await wholeView(page);
  await transport.open(page, "other.json", sampleTrace().replaceAll("handle request", "treat request"));
  await idle(page);
  await page.locator("#file-input").setInputFiles({ name: "views.varve-view", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.waitForFunction(() => window.varve.notice.value.includes("made with another content (views.json)"));
  await settled(page);
  const after = JSON.parse(await wholeView(page));
  assert.equal(after.filter, "main");
  assert.equal(after.traces[0].slice, undefined, "the slice there has another name");
  await drop(page, "wrong.varve-view", '{"varve_view": 1, "rows": "tall"}');
  await page.waitForFunction(() => window.varve.notice.value.includes("byte 26"));
  assert.match(await notice(page), /^wrong\.varve-view: rows must be/);
  await drop(page, "newer.varve-view", '{"varve_view": 1, "colours": "all", "traces": []}');
  await page.waitForFunction(() => window.varve.notice.value.includes("colours"));
  await page.evaluate(() => window.varve.settings.setHeight("normal"));
});

test("the view in the address waits for its trace beside the example", async ({ page, transport, transportName, picture }) => {
  if (transportName === "http") return "only in the static page";
  const text = sampleTrace().replace("reload", "waits");
  const title = () => page.evaluate(() => window.varve.loading.traces.value.map((trace) => trace.info.file.name).join());
  await transport.open(page, "waits.json", text);
  await page.evaluate(() => window.varve.filterTracks("main"));
  for (let i = 0; i < 4; i++) await press(page, "KeyW");
  await linked(page);
  const before = await wholeView(page);

  const reload = async () => {
    await page.reload();
    await loaded(page);
    await page.locator(".welcome").getByText("waits.json").first().waitFor();
    await settled(page);
  };
  await reload();
  assert.equal(await title(), "example.json.gz");
  assert.equal(await page.evaluate(() => window.varve.rows.value.filter), "", "the example has a view of its own");
  assert.match(await page.locator(".welcome").innerText(), /The link in the address shows a place in waits\.json\./);
  await picture("the view in the address waits");
  await drop(page, "renamed.json", text);
  await page.waitForFunction(() => document.title.startsWith("renamed.json"));
  await settled(page);
  assert.equal(await page.evaluate(() => window.varve.rows.value.filter), "main", "the same content with another name");
  assert.deepEqual(JSON.parse(await wholeView(page)).traces[0].range, JSON.parse(before).traces[0].range);

  await drop(page, "waits.json", text);
  await page.waitForFunction(() => document.title.startsWith("waits.json"));
  await linked(page);
  await reload();
  await drop(page, "other.json", sampleTrace().replace("reload", "other"));
  await page.waitForFunction(() => window.varve.notice.value === "The link shows waits.json, which is not open.");
  await settled(page);
  assert.equal(await page.evaluate(() => window.varve.rows.value.filter), "");
  const view = await viewInAddress(page);
  assert.equal(view.traces[0].name, "other.json", "the address follows the open trace");
});

test("a link to another trace leaves the view of the open one", async ({ page, transport }) => {
  await transport.open(page, "linked.json", sampleTrace().replace("reload", "linked"));
  await page.evaluate(() => window.varve.filterTracks("main"));
  await settled(page);
  const link = await page.evaluate(() => window.varve.link.fragment(2));
  await transport.open(page, "another.json", sampleTrace().replace("reload", "another"));
  await settled(page);
  await page.evaluate((hash) => (location.hash = hash), link);
  await page.waitForFunction(() => window.varve.notice.value === "The link shows linked.json, which is not open.");
  await settled(page);
  assert.equal(await page.evaluate(() => window.varve.rows.value.filter), "");
  assert.equal((await viewInAddress(page)).traces[0].name, "another.json");
});

/** Runs `varve open` on a file until `body` ends; its address is the parameter of `body`. */
async function opened(varve, words, env, body) {
  const server = spawn(varve, ["open", "--no-browser", ...words], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((done) => server.stdout.once("data", (bytes) => done(String(bytes).trim())));
    return await body(new URL(address));
  } finally {
    server.kill("SIGINT");
    await new Promise((done) => server.once("exit", done));
  }
}

test("a link has no secret and works after a restart on the same port", async ({ varve, transportName, withPage }) => {
  if (transportName !== "http") return "only with the native engine";
  const folder = mkdtempSync(join(tmpdir(), "varve-link-test-"));
  const file = join(folder, "linked.json");
  const state = { XDG_STATE_HOME: join(folder, "state") };
  writeFileSync(file, sampleTrace());
  try {
    await withPage({}, async (page) => {
      const port = await opened(varve, [file], state, (url) => url.port);
      const words = [file, `--port=${port}`];
      const { link, view } = await opened(varve, words, state, async (url) => {
        await page.goto(url.href);
        await loaded(page);
        await page.evaluate(() => window.varve.filterTracks("main"));
        for (let i = 0; i < 4; i++) await press(page, "KeyW");
        await page.evaluate(() => (navigator.clipboard.writeText = (text) => Promise.resolve((window.copied = text))));
        await page.evaluate(() => window.varve.copyLink());
        await settled(page);
        const link = await page.evaluate(() => window.copied);
        assert.ok(link.startsWith(`http://127.0.0.1:${port}/#view=`), link);
        assert.ok(!link.includes(url.pathname.split("/")[1]), "the secret");
        const view = await wholeView(page);
        await page.goto("about:blank"); // it asks for its icon later, and then the server has ended
        return { link, view };
      });
      await opened(varve, words, state, async (url) => {
        await page.goto(link);
        await page.waitForURL((now) => now.pathname === url.pathname);
        await loaded(page);
        await settled(page);
        assert.equal(await wholeView(page), view);
        await withPage({}, async (stranger) => {
          await stranger.goto(link);
          await stranger.locator("pre").waitFor();
          assert.equal(await stranger.locator("pre").innerText(), `varve open FILE '${link}'`);
        });
        await page.goto("about:blank");
      });
      const elsewhere = { XDG_STATE_HOME: join(folder, "elsewhere") };
      await opened(varve, [file, link], elsewhere, async (url) => {
        await page.goto(url.href);
        await loaded(page);
        await settled(page);
        assert.equal(await wholeView(page), view);
        await page.goto("about:blank");
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
