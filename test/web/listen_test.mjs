// Two million events from several processes over TCP, then over UDP, to `varve listen -o`, while a browser
// shows them and a user moves in it:
//
//   listen_test.mjs VARVE LIVE_SEND NODE_MODULES
//
// The received, lost and recorded events are compared with the sent ones. The test does not depend on
// durations.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idle, launch, needChromium, newPage } from "./browser.mjs";
import { run, test } from "./tap.mjs";

const [varve, liveSend, nodeModules] = process.argv.slice(2);
const EVENTS = 2_000_000;
const PROCESSES = 4;
const ROUNDS_AT_LEAST = 3;
/** Sending takes seconds on an idle machine, and minutes on a busy one. */
const PATIENCE_MS = 240_000;
/** A frame that was drawn for another reason may have been the expected one. */
const AGAIN_MS = 2000;

/** A program whose output is read line by line. */
class Program {
  constructor(path, ...args) {
    this.child = spawn(path, args);
    this.printed = "";
    this.readers = [];
    this.child.stdout.on("data", (text) => {
      this.printed += text;
      this.readers.forEach((reader) => reader());
    });
    this.child.stderr.on("data", (text) => console.log(String(text).trimEnd().replace(/^/gm, "# ")));
    this.ended = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      this.child.on("close", (status) => (status === 0 ? resolve(this.printed) : reject(new Error(`${path} ended with ${status}`))));
    });
    this.ended.catch(() => {}); // reported to the code that awaits it
  }

  async until(pattern) {
    const found = new Promise((resolve) => {
      const look = () => pattern.exec(this.printed) && resolve(pattern.exec(this.printed));
      this.readers.push(look);
      look();
    });
    return Promise.race([found, this.ended.then(() => assert.fail(`it ended without ${pattern}`))]);
  }
}

async function opened(...args) {
  const program = new Program(varve, ...args);
  const [url] = await program.until(/http:\S+/);
  const ask = async (request) => {
    for (;;) {
      const response = await fetch(`${url}api/${request}`);
      assert.ok(response.ok, `${request}: ${response.status}`);
      const answer = Buffer.from(await response.arrayBuffer());
      if (response.status !== 202) return answer; // otherwise a long count continues with the next request
    }
  };
  return { program, url, ask, askJson: async (request) => JSON.parse(await ask(request)) };
}

const seen = (page) =>
  page.evaluate(() => {
    const { begin, end } = window.varve.view.range(0);
    return { begin: Number(begin), span: Number(end - begin), frames: window.varve.frames };
  });

/**
 * Presses a key until the picture shows its effect: while the whole trace is visible, new data makes the range longer,
 * too.
 */
async function press(page, key, isDone) {
  const first = await seen(page);
  for (;;) {
    const before = await seen(page);
    await page.keyboard.press(key);
    await page.waitForFunction((frames) => window.varve.frames > frames, before.frames, { timeout: AGAIN_MS }).catch(() => {});
    const now = await seen(page);
    if (now.frames > first.frames && (isDone(before, now) || isDone(first, now))) return;
  }
}

/** Moves as a user does: zooms in, pans, pauses and resumes the picture, points, zooms out to everything. */
async function moveAbout(page) {
  await press(page, "KeyW", (before, now) => now.span < before.span);
  await press(page, "KeyA", (before, now) => now.begin < before.begin);
  for (const state of ["Held", "Receiving"]) {
    await page.keyboard.press("Space");
    await page.waitForFunction((state) => [state, "Ended"].includes(document.querySelector("#live-state")?.textContent), state);
  }
  const box = await page.locator("#timeline").boundingBox();
  const frames = (await seen(page)).frames;
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2);
  await page.waitForFunction((frames) => window.varve.frames > frames, frames);
  await press(page, "Digit0", (before, now) => now.span > before.span);
}

/** Moves until everything has been sent and the page has counted it. */
async function lookOn(page, sending, isDone) {
  let over = false;
  void sending.ended.finally(() => (over = true)).catch(() => {});
  await page.waitForFunction(() => window.varve?.live.state.value?.events > 0);
  for (let rounds = 0; rounds < ROUNDS_AT_LEAST || !over; rounds++) await moveAbout(page);
  const sent = JSON.parse(await sending.ended);
  await page.waitForFunction(isDone, sent);
  await idle(page);
  return sent;
}

/** Returns a tile of one row without the number of its first slice, which depends on memory. */
function withoutId(tile) {
  const [ROW_AT, ID_AT] = [4 + 40, 24];
  return tile.fill(0, ROW_AT + ID_AT, ROW_AT + ID_AT + 8);
}

/** Compares the answers about a growing trace with those about its recording. */
async function sameTrace(live, number, file) {
  const again = await opened("open", "--no-browser", "--port=0", file);
  try {
    for (;;) {
      const { state } = (await again.askJson("status")).traces[0];
      if (state === "ready") break;
      assert.equal(state, "loading");
    }
    const rows = async (from, trace) =>
      (await from.askJson(`stats?trace=${trace}`)).rows.map(({ name, count, total, self, min, max }) => ({ name, count, total, self, min, max }));
    assert.deepEqual(await rows(again, 0), await rows(live, number));
    // The whole in one tile, and pieces of it down to single slices.
    for (const [level, index] of [[20, 0], [14, 3], [10, 100], [6, 5000], [6, 12345], [0, 400_000]]) {
      const request = (trace) => `tiles?trace=${trace}&keys=1.0.${level}.${index}`;
      const [grown, kept] = [await live.ask(request(number)), await again.ask(request(0))].map(withoutId);
      assert.ok(grown.equals(kept), `tile ${level}.${index}`);
    }
  } finally {
    again.program.child.kill("SIGINT");
  }
}

async function listenWhileLookedAt({ browser, folder, problems }, transport, skip, isDone, check) {
  const file = join(folder, `${transport}.bin`);
  const live = await opened("listen", "--json", "--no-browser", "-o", file, `${transport}:127.0.0.1:0`);
  const page = await newPage(browser, "dark", problems);
  page.setDefaultTimeout(PATIENCE_MS);
  try {
    await page.goto(live.url);
    await page.getByText("Nothing has been received yet").waitFor();
    const port = /127\.0\.0\.1:(\d+)$/m.exec(live.program.printed)[1];
    const sending = new Program(liveSend, transport, port, String(PROCESSES), String(EVENTS), String(skip));
    const sent = await lookOn(page, sending, isDone);
    const shown = await page.evaluate(() => window.varve.live.state.value);
    const badge = await page.locator(".live").innerText();
    const { traces } = await live.askJson("status");
    const kept = await Promise.all(traces.map(({ trace, name }) => live.askJson(`info?trace=${trace}`).then((info) => ({ trace, name, info }))));
    await page.close();
    for (const { trace } of traces) await sameTrace(live, trace, trace === 0 ? file : `${file}.${trace + 1}`);
    live.program.child.kill("SIGINT");
    const text = await live.program.ended;
    const result = JSON.parse(text.slice(text.indexOf("{")));
    assert.equal(result.senders.length, PROCESSES);
    for (const sender of result.senders) {
      const { info } = kept.find(({ name }) => name === sender.name);
      assert.equal(info.counts.slices, sender.events);
    }
    assert.equal(shown.events, result.events);
    assert.equal(shown.lost, result.missing);
    check(sent, result, badge);
  } finally {
    live.program.child.kill("SIGINT");
    await page.context().close();
  }
}

test("two million events over TCP: all arrive, and the page responds to input", (context) =>
  listenWhileLookedAt(
    context,
    "tcp",
    0,
    (sent) => window.varve.live.state.value.state === "ended" && window.varve.live.state.value.events === sent.events,
    (sent, result, badge) => {
      assert.equal(result.events, EVENTS);
      assert.equal(sent.events, EVENTS);
      assert.equal(result.missing, 0);
      assert.equal(result.skipped_bytes, 0);
      assert.doesNotMatch(badge, /lost/);
      assert.match(badge, /Ended/);
    },
  ));

test("two million events over UDP: the lost ones are counted, and the page responds to input", (context) =>
  listenWhileLookedAt(
    context,
    "udp",
    1000,
    () => window.varve.live.state.value.events + window.varve.live.state.value.lost === 2_000_000,
    (sent, result, badge) => {
      assert.equal(sent.events + sent.skipped_events, EVENTS);
      assert.ok(sent.skipped_events > 0);
      assert.equal(result.missing, sent.skipped_events + result.dropped_datagrams * sent.per_datagram);
      assert.equal(result.events + result.missing, EVENTS);
      assert.ok(badge.includes(`${result.missing.toLocaleString("en").replaceAll(",", "\u202f")} lost`), badge);
    },
  ));

test("the console has no errors", ({ problems }) => assert.deepEqual(problems, []));

const chromium = needChromium();
const folder = mkdtempSync(join(tmpdir(), "varve-listen-"));
const browser = await launch(nodeModules, chromium);
const failed = await run({ browser, folder, problems: [] }, async () => {});
await browser.close();
rmSync(folder, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);
