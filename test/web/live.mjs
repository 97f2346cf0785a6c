// Growing traces in the page: an HTTP server that grows a trace on command. Only the native engine receives data.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { clickSlice, drawnTexts, idle, loaded, press, range } from "./browser.mjs";
import { test } from "./tap.mjs";

class Feed {
  /** Runs a test with a feed and its page, and stops both afterwards. */
  static async look(context, body, ...options) {
    const feed = new Feed(spawn(context.liveFeed, options));
    try {
      const url = await feed.answer();
      await context.withPage({}, async (page) => {
        await page.goto(url);
        await body(page, feed, context);
      });
    } finally {
      feed.child.stdin.end();
    }
  }

  constructor(child) {
    this.child = child;
    this.printed = "";
    this.waiting = [];
    child.stdout.on("data", (text) => {
      this.printed += text;
      for (let end = this.printed.indexOf("\n"); end >= 0; end = this.printed.indexOf("\n")) {
        this.waiting.shift()?.resolve(this.printed.slice(0, end));
        this.printed = this.printed.slice(end + 1);
      }
    });
    child.on("exit", () => this.waiting.forEach(({ reject }) => reject(new Error("the feed has ended"))));
  }

  answer() {
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  async say(line) {
    const answer = this.answer();
    this.child.stdin.write(`${line}\n`);
    assert.equal(await answer, "ok");
  }
}

const state = (page) => page.locator("#live-state").innerText();
const isFollowing = (page) => page.locator("#live-follow").getAttribute("aria-pressed");
const ms = (n) => n * 1e6;
/** Widths beside the plot. */
const [COLUMN, SCROLLBAR] = [220, 10];

/** Waits until the page has the trace in its state at that time. */
async function shows(page, milliseconds) {
  const slices = (n) => window.varve?.loading.traces.value[0]?.info.counts.slices >= n;
  await page.waitForFunction(slices, (milliseconds / 10) * 6.59);
  await idle(page);
}

test("received data is shown at once, with the latest time visible", (context) =>
  Feed.look(context, async (page, feed, { picture }) => {
    await loaded(page);
    assert.equal(await state(page), "Receiving");
    assert.equal(await isFollowing(page), "true");
    assert.match(await page.locator(".names").innerText(), /slices · [\d.]+ kB/);
    assert.ok((await range(page)).end >= ms(1000));
    await feed.say("until 4000");
    await shows(page, 4000);
    const early = await range(page);
    assert.ok(early.begin <= 0 && early.end >= ms(4000), "all of it, while it is short");
    await picture("live short", page);
    for (let at = 5000; at <= 30_000; at += 5000) await feed.say(`until ${at}`);
    await shows(page, 30_000);
    const late = await range(page);
    assert.equal(late.span, ms(10_000));
    assert.ok(late.end > ms(30_000) && late.end < ms(30_200));
    const rows = await page.locator("[role=treegrid] [role=row]").allInnerTexts();
    assert.match(rows.join("\n"), /main[^]*render/);
    await picture("live following", page);
  }));

test("moving away ends following, and End follows again", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await feed.say("until 30000");
    await shows(page, 30_000);
    await press(page, "KeyA");
    assert.equal(await isFollowing(page), "false");
    const before = await range(page);
    await feed.say("until 32000");
    await shows(page, 32_000);
    assert.deepEqual(await range(page), before);
    await page.getByRole("button", { name: "Follow" }).click();
    await idle(page);
    assert.equal(await isFollowing(page), "true");
    await feed.say("until 33000");
    await shows(page, 33_000);
    assert.ok((await range(page)).end > ms(33_000));
    await press(page, "KeyA");
    await press(page, "End");
    assert.equal(await isFollowing(page), "true");
  }));

test("Space pauses the picture while data is still received", (context) =>
  Feed.look(context, async (page, feed, { picture }) => {
    await loaded(page);
    await press(page, "Space");
    await page.waitForFunction(() => document.querySelector("#live-state")?.textContent === "Held");
    const before = await range(page);
    await feed.say("until 3000");
    const events = () => window.varve.live.state.value.events;
    await page.waitForFunction(() => window.varve?.live.state.value?.events >= 1800);
    assert.ok((await page.evaluate(events)) >= 1800, "it is counted all the same");
    assert.deepEqual(await range(page), before);
    await picture("live held", page);
    await page.locator("#live-pause").click();
    await shows(page, 3000);
    assert.equal(await state(page), "Receiving");
    assert.ok((await range(page)).end > ms(3000));
  }));

test("a trace that ends while the picture is held is shown to its end", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await press(page, "Space");
    await page.waitForFunction(() => document.querySelector("#live-state")?.textContent === "Held");
    await feed.say("until 3000");
    await page.waitForFunction(() => window.varve?.live.state.value?.events >= 1800);
    await feed.say("report ended 0 0");
    await page.waitForFunction(() => document.querySelector("#live-state")?.textContent === "Ended");
    await page.waitForFunction(() => {
      window.varve.run("fit-all");
      return window.varve.view.range(0).end > 3000000000n;
    });
    assert.equal(await page.locator("#live-pause").count(), 0);
  }));

test("statistics of the whole trace are updated", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await press(page, "Control+a");
    const frames = (count) => {
      const rows = window.varve.area.value?.stats?.rows ?? [];
      return rows.find((row) => row.name === "frame")?.count === count;
    };
    await page.waitForFunction(frames, 100);
    await page.getByRole("tab", { name: "Details" }).click();
    await feed.say("until 2000");
    await page.waitForFunction(frames, 200);
    assert.equal(await page.getByRole("tab", { name: "Details" }).getAttribute("aria-selected"), "true", "the hand's tab stays");
    await page.getByRole("tab", { name: /Area/ }).click();
    assert.match(await page.locator(".area-head").innerText(), /1\s\d{3} slices/);
  }));

test("a flame graph is updated", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await page.locator("#timeline").focus();
    await press(page, "Digit2");
    await page.waitForFunction(() => (window.varve?.flames.main.shown.value ?? null) !== null);
    const count = await page.evaluate(() => window.varve.flames.main.shown.value.answer.all.count);
    assert.ok(count > 0);
    await feed.say("until 4000");
    await shows(page, 4000);
    await page.waitForFunction((before) => window.varve.flames.main.shown.value?.answer.all.count >= 2 * before, count);
  }));

test("the selection stays when threads are inserted before its own", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await clickSlice(page, "frame", 0.52);
    const selected = () => {
      const { slice } = window.varve.details.value;
      return { id: slice.place.slice, track: slice.place.track, begin: slice.place.begin, name: slice.name };
    };
    const before = await page.evaluate(selected);
    await feed.say("early");
    await page.waitForFunction((track) => window.varve.details.value.slice?.place.track !== track, before.track);
    await idle(page);
    const after = await page.evaluate(selected);
    assert.equal(after.begin, before.begin);
    assert.equal(after.name, "frame");
    assert.notEqual(after.id, before.id);
    await press(page, "ArrowRight");
    await page.waitForFunction((begin) => BigInt(window.varve.details.value.slice?.place.begin ?? 0) > BigInt(begin), before.begin);
    assert.equal((await page.evaluate(selected)).name, "frame");
    const rows = await page.locator("[role=treegrid] [role=row]").allInnerTexts();
    assert.match(rows.join("\n"), /arbiter \(3\)[^]*game/);
  }));

test("a request with outdated numbers is repeated without a message", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    const at = await clickSlice(page, "encode commands", 0.52);
    await clickSlice(page, "frame", 0.52);
    const letGo = await renumberedUnseen(page, feed);
    const refused = page.waitForResponse((response) => response.status() === 409 && /\/slice\?/.test(response.url()));
    await page.mouse.click(at.x, at.y);
    await refused;
    await page.waitForTimeout(300); // a message would be visible by then
    assert.equal(await page.getByText(/another shape|numbered anew/).count(), 0);
    letGo();
    await page.waitForFunction(() => window.varve.details.value.slice?.name === "encode commands");
    await press(page, "ArrowRight");
    await idle(page);
    assert.equal(await page.getByText(/another shape|numbered anew/).count(), 0);
  }));

/** Renumbers everything. Returns a function that lets the page receive the change. */
async function renumberedUnseen(page, feed) {
  let letGo, hasAsked;
  const heard = new Promise((resolve) => (letGo = resolve));
  const asked = new Promise((resolve) => (hasAsked = resolve));
  await page.route("**/api/changes*", async (route) => {
    hasAsked();
    await heard;
    await route.continue();
  });
  await asked; // an earlier request has its answer by now, and cannot bring the change
  await idle(page);
  await feed.say("early");
  return letGo;
}

/** Shows two frames, then does the same. */
async function renumbered(page, feed) {
  await page.evaluate(() => window.varve.showRange(0, "500000000", "520000000"));
  await idle(page);
  return renumberedUnseen(page, feed);
}

/** Does an action whose request of this name must be refused and then repeated without a message. */
async function isRepeated(page, request, letGo, act) {
  const refused = page.waitForResponse((response) => response.status() === 409 && new RegExp(`/${request}\\?`).test(response.url()));
  await act();
  await refused;
  await page.waitForTimeout(300); // a message would be visible by then
  letGo();
  await idle(page);
  assert.equal(await page.getByText(/another shape|numbered anew/).count(), 0);
}

const detailsName = (page) =>
  page.evaluate(() => {
    const { slice, instant } = window.varve.details.value;
    return (slice ?? instant)?.name;
  });

test("moves by arrow keys with outdated numbers are repeated", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await page.evaluate(() => window.varve.showRange(0, "500000000", "520000000"));
    await idle(page);
    await page.locator("[data-instant]").first().evaluate((cell) => cell.click());
    await idle(page);
    assert.equal(await detailsName(page), "vsync");
    await page.locator("#timeline").focus();
    const letGo = await renumbered(page, feed);
    await isRepeated(page, "near", letGo, () => page.keyboard.press("KeyN"));
    const offset = () => window.varve.details.value.instant?.time.offset;
    assert.equal(await page.evaluate(offset), "519500000");
    assert.equal(await detailsName(page), "vsync");
  }));

test("the request for an instant of the accessible list with outdated numbers is repeated", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    const letGo = await renumbered(page, feed);
    await isRepeated(page, "instant", letGo, () => page.locator("[data-instant]").first().evaluate((cell) => cell.click()));
    assert.equal(await detailsName(page), "vsync");
  }));

test("the request for a slice of the accessible list with outdated numbers is repeated", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    const letGo = await renumbered(page, feed);
    const cell = page.locator("[data-slice]", { hasText: "encode commands" }).first();
    await isRepeated(page, "slice", letGo, () => cell.evaluate((element) => element.click()));
    assert.equal(await detailsName(page), "encode commands");
  }));

test("a click on an arrow with outdated numbers goes to its end", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await page.evaluate(() => window.varve.showRange(0, "500000000", "520000000"));
    await idle(page);
    const { begin, span } = await range(page);
    const box = await page.locator("#timeline").boundingBox();
    const x = box.x + COLUMN + ((ms(503.5) - begin) / span) * (box.width - COLUMN - SCROLLBAR);
    let isHit = false;
    page.on("request", (request) => (isHit ||= /\/flow\?/.test(request.url())));
    let y = box.y + 106; // below the header of the process
    while (!isHit) {
      assert.ok(y < box.y + box.height);
      await page.mouse.click(box.x + box.width - 40, (y += 2)); // so that no two clicks are a double click
      await press(page, "Escape");
      await page.mouse.click(x, y);
      await idle(page);
    }
    assert.equal(await detailsName(page), "encode commands");
    await press(page, "Escape");
    const letGo = await renumbered(page, feed);
    await isRepeated(page, "flow", letGo, () => page.mouse.click(x, y));
    assert.equal(await detailsName(page), "encode commands");
  }));

test("a tooltip describes the slice under the pointer, also while the tiles have an outdated id of it", (context) =>
  Feed.look(context, async (page, feed) => {
    await loaded(page);
    await page.evaluate(() => window.varve.showRange(0, "500000000", "520000000"));
    await idle(page);
    const at = await clickSlice(page, "frame", 0.76);
    await drawnTexts(page);
    const pointAt = async ({ x, y }) => {
      const answered = page.waitForResponse((response) => /\/tooltip\?/.test(response.url()));
      await page.mouse.move(x, y);
      await answered;
      await page.waitForTimeout(100); // the page has read the answer by then
      return (await drawnTexts(page)).filter((text) => text.includes("(self "));
    };
    const earlier = { x: at.x - 500, y: at.y }; // the frame before it
    await press(page, "Escape");
    const other = await pointAt(earlier);
    const before = await pointAt(at);
    assert.ok(before.length === 1 && other.length === 1 && before[0] !== other[0], `${before}, ${other}`);
    await pointAt(earlier);
    await page.mouse.move(at.x, 2);
    await idle(page);
    const held = [];
    let isHeld = true;
    await page.route("**/api/tiles*", (route) => (isHeld ? void held.push(route) : route.continue()));
    const shape = () => window.varve.loading.traces.value[0].load.shape;
    const older = await page.evaluate(shape);
    await feed.say("late");
    await page.waitForFunction((older) => window.varve?.loading.traces.value[0].load.shape > older, older);
    assert.deepEqual(await pointAt(at), before, "with the tiles of before");
    isHeld = false;
    for (const route of held) await route.continue();
    await idle(page);
    assert.deepEqual(await pointAt(earlier), other, "with new tiles");
  }));

test("losses, dropped events and the end are shown", (context) =>
  Feed.look(context, async (page, feed, { picture }) => {
    await loaded(page);
    await feed.say("report receiving 1234 0");
    await page.getByText("1\u202f234 lost").waitFor();
    await feed.say("report paused 1234 98765");
    await page.getByText("98\u202f765 dropped").waitFor();
    assert.equal(await state(page), "Paused");
    await picture("live lost", page);
    await feed.say("until 2000");
    await feed.say("report ended 1234 98765");
    await page.waitForFunction(() => document.querySelector("#live-state")?.textContent === "Ended");
    await shows(page, 2000);
    assert.equal(await page.locator("#live-follow").count(), 0);
    await press(page, "Space");
    assert.equal(await state(page), "Ended");
  }));

test("a page that opens before any data waits for it", (context) =>
  Feed.look(
    context,
    async (page, feed, { picture }) => {
      await page.getByText("Nothing has been received yet").waitFor();
      await picture("live waiting", page);
      await feed.say("until 2000");
      await loaded(page);
      assert.equal(await page.getByText("Nothing has been received yet").count(), 0);
      assert.equal(await isFollowing(page), "true");
      assert.ok((await range(page)).end > ms(2000));
    },
    "--listen",
  ));

/** A sender without a wall clock: its times count from its own start. */
async function sendTo(port, name) {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const before = performance.now();
  socket.write(`[${[0, 10, 20].map((ts) => JSON.stringify({ ph: "X", name, pid: 1, tid: 1, ts: 1_000_000 + ts, dur: 5 })).join()},\n`);
  return { socket, before };
}

test("a sender that connects later is placed where it came", (context) =>
  context.withPage({}, async (page) => {
    const LATER_MS = 3000;
    const child = spawn(context.varve, ["listen", "--no-browser", "--port=0", "tcp:127.0.0.1:0"], { env: { ...process.env, XDG_STATE_HOME: "/dev/null" } });
    const sockets = [];
    try {
      let printed = "";
      const port = await new Promise((resolve, reject) => {
        const read = (text) => {
          printed += text;
          const [url] = /http:\S+/.exec(printed) ?? [];
          const [, address] = /tcp:127\.0\.0\.1:(\d+)/.exec(printed) ?? [];
          if (url !== undefined && address !== undefined) resolve(Number(address));
        };
        child.stdout.on("data", read);
        child.stderr.on("data", read);
        child.on("exit", (status) => reject(new Error(`varve listen ended with ${status}: ${printed}`)));
      });
      const count = (n) => page.waitForFunction((n) => window.varve?.loading.traces.value.length === n && window.varve.loading.traces.value[n - 1].info.counts.slices >= 2, n);
      await page.goto(/http:\S+/.exec(printed)[0]);
      const first = await sendTo(port, "first");
      sockets.push(first.socket);
      await count(1);
      const firstSeen = performance.now();
      await new Promise((resume) => setTimeout(resume, LATER_MS));
      const second = await sendTo(port, "second");
      sockets.push(second.socket);
      await count(2);
      const secondSeen = performance.now();
      const offset = await page.evaluate(() => {
        const [first, second] = [window.varve.view.range(0), window.varve.view.range(1)];
        return Number(first.begin - second.begin) / 1e6;
      });
      // An event arrives between its being sent and its being seen.
      const [least, most] = [second.before - firstSeen, secondSeen - first.before];
      assert.ok(offset >= least - 50 && offset <= most + 50, `${offset} ms, not ${least} to ${most} ms`);
      await context.picture("live second sender", page);
    } finally {
      await page.close(); // it would ask a server that has ended
      for (const socket of sockets) socket.destroy();
      child.kill("SIGINT");
    }
  }));
