// Captures of calls, which have an order instead of times.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drop, goTo, idle, press, range, settled, viewInAddress } from "./browser.mjs";
import { sampleTrace } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const capture = readFileSync(new URL("../data/apitrace/groups_threads.trace", import.meta.url));

test("G goes to a call and to a frame by its number", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "groups_threads.trace", capture);
    await goTo(page, "246");
    const details = page.locator("#details");
    await details.waitFor();
    assert.match(await details.innerText(), /call 246, frame 2/);
    await picture("call", page);
    await press(page, "KeyG");
    await page.locator("#go-to-time").fill("frame 5");
    assert.equal(await page.locator("#go-to-meaning").innerText(), "Frame 5");
    await page.keyboard.press("Escape");
    await goTo(page, "frame 5");
    assert.equal(await page.locator("#details h2").innerText(), "Frame 5");
    assert.match(await details.innerText(), /Length\s*\d+ events/);
    await page.evaluate(() => window.varve.run("frames"));
    await page.locator("#frames-table").waitFor();
    await goTo(page, "246");
    await details.waitFor();
    assert.match(await details.innerText(), /call 246, frame 2/, "the details come to the front from the list of frames, too");
  });
});

test("the chart of frames is linear, logarithmic or clipped", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "groups_threads.trace", capture);
    await page.evaluate(() => window.varve.run("frames"));
    await page.locator(".frame-chart").waitFor();
    await idle(page);
    const heights = () => page.locator(".frame-chart g rect:not(.reach)").evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("height"))));
    await page.getByRole("radio", { name: "Linear" }).click();
    const linear = await heights();
    await page.getByRole("radio", { name: "Logarithmic" }).click();
    const log = await heights();
    const [right, room] = await page.locator(".frame-chart").evaluate((chart) => [Math.max(...[...chart.querySelectorAll("rect")].map((bar) => bar.getBoundingClientRect().right)), chart.getBoundingClientRect().right]);
    assert.ok(room - right < 20, `the chart is as wide as the window: ${right} of ${room} px`);
    assert.ok(log.some((height, i) => height > linear[i] + 5), "short frames are higher");
    assert.equal(Math.max(...log), Math.max(...linear));
    await picture("frames logarithmic", page);
    await page.getByRole("radio", { name: "Clipped" }).click();
    assert.equal((await heights()).length, linear.length);
    await picture("frames clipped", page);
  });
});

test("G reports the number of calls if the entered number is too large", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "groups_threads.trace", capture);
    await goTo(page, "392");
    assert.equal(await page.locator("#go-to-error").innerText(), "There is no call 392: the capture has 392.");
    await page.locator("#go-to-time").fill("1.25 s");
    await page.keyboard.press("Enter");
    await idle(page);
    assert.match(await page.locator("#go-to-error").innerText(), /Not a call number/);
  });
});

const brotli = readFileSync(new URL("../data/apitrace/es2gears_brotli.trace", import.meta.url));
const backtrace = readFileSync(new URL("../data/apitrace/backtrace.trace", import.meta.url));

const search = async (page, text) => {
  await page.locator("#search").fill(text);
  await idle(page);
};
const enter = async (page) => {
  await page.locator("#search").press("Enter");
  await idle(page);
};
const result = (page) => page.locator("#search-result").innerText();

test("a search finds values of arguments, and moves between matches", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "groups_threads.trace", capture);
    await search(page, "GL_COLOR_BUFFER_BIT");
    assert.match(await result(page), /^\d+ matches$/);
    const count = Number((await result(page)).split(" ")[0]);
    await enter(page);
    assert.ok(count > 1, `${count} matches`);
    assert.equal(await page.locator("#details h2").innerText(), "glClear");
    const first = await page.locator("#details").innerText();
    assert.match(first, /mask\s*GL_DEPTH_BUFFER_BIT \| GL_COLOR_BUFFER_BIT\s*16640/);
    assert.doesNotMatch(first, /numbers/);
    await picture("values", page);
    await enter(page);
    assert.equal(await result(page), `2 of ${count}`);
    assert.notEqual(await page.locator("#details").innerText(), first);
    await page.locator("#search").press("Shift+Enter");
    await page.locator("#search").press("Shift+Enter");
    await idle(page);
    assert.equal(await result(page), `${count} of ${count}`);
    await page.locator("#search-result").click();
    assert.equal(await page.locator(".matches-table tbody td:first-child").count(), count);
    assert.match(await page.locator(".matches-table tbody tr").first().innerText(), /mask = GL_DEPTH_BUFFER_BIT \| GL_COLOR_BUFFER_BIT/);
    await picture("matches", page);
    await page.locator(".matches-table tbody button").nth(1).click();
    await idle(page);
    assert.equal(await result(page), `2 of ${count}`);
  });
});

test("only names are searched when arguments are switched off", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "groups_threads.trace", capture);
    await page.locator("#search-values").click();
    await search(page, "GL_COLOR_BUFFER_BIT");
    assert.equal(await result(page), "nothing found");
    await page.locator("#search-values").click();
    await idle(page);
    assert.match(await result(page), /^\d+ matches$/);
    await search(page, "mask=color");
    assert.match(await result(page), /^\d+ matches$/);
    await search(page, "mode=color");
    assert.equal(await result(page), "nothing found");
  });
});

test("matches in names and arguments are in one order", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(
      page,
      "both.json",
      JSON.stringify(
        [["needle", {}], ["a", { deep: [{ text: "a NEEDLE" }] }], ["b", { needle: 1 }], ["needle too", {}], ["c", { other: "needle" }]].map(
          ([name, args], i) => ({ ph: i === 4 ? "i" : "X", name, args, pid: 1, tid: 1, ts: 10 * i, dur: 5 }),
        ),
      ),
    );
    await search(page, "needle");
    const seen = [];
    for (let i = 0; i < 5; i++) {
      await enter(page);
      seen.push(`${await page.locator("#details h2").innerText()} ${await result(page)}`);
    }
    assert.deepEqual(seen, ["needle 1 of 4", "a 2 of 4", "needle too 3 of 4", "c 4 of 4", "needle 1 of 4"]);
  });
});

test("binary data shows its first bytes and is saved unchanged", async ({ transport, withPage, picture }) => {
  await withPage({ acceptDownloads: true }, async (page) => {
    await transport.open(page, "es2gears.trace", brotli);
    await search(page, "glBufferData");
    await enter(page);
    const blob = page.locator("#details .blob").first();
    await blob.waitFor();
    const size = Number((await blob.locator(".value").innerText()).replace(/\D/g, ""));
    await blob.scrollIntoViewIfNeeded();
    await picture("blob", page);
    const [download] = await Promise.all([page.waitForEvent("download"), blob.getByText("Save").click()]);
    assert.match(download.suggestedFilename(), /^call\d+-glBufferData-data\.bin$/);
    const saved = readFileSync(await download.path());
    assert.equal(saved.length, size);
    const shown = (await blob.locator(".hex").innerText()).split("\n").flatMap((line) => line.slice(6, 29).trim().split(" "));
    assert.deepEqual([...saved.subarray(0, shown.length)], shown.map((byte) => parseInt(byte, 16)));
    await idle(page);
  });
});

test("a capture compressed with Brotli opens", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "es2gears.trace", brotli);
    const info = await page.evaluate(() => window.varve.loading.traces.value[0].info);
    assert.equal(info.file.compression, "brotli");
    assert.equal(info.file.bytes, brotli.length);
    assert.equal(info.complete, true);
    assert.equal(info.source_events.enter, 2242);
    await picture("brotli", page);
  });
});

test("a truncated Brotli capture opens up to the end of its data", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "cut.trace", brotli.subarray(0, brotli.length - 500));
    const traces = await page.evaluate(() => window.varve.loading.traces.value.map(({ info }) => [info.complete, info.file.compression]));
    assert.equal(traces[0][1], "brotli");
    assert.match(await page.locator("#report-badge").innerText(), /Incomplete|warning/);
  });
});

test("a backtrace shows module, function, file and line", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "backtrace.trace", backtrace);
    await search(page, "gldemo.c");
    assert.match(await result(page), /^\d+ matches$/);
    await enter(page);
    const stack = page.locator("#details .stack");
    await stack.waitFor();
    await stack.scrollIntoViewIfNeeded();
    const lines = await stack.locator("li").allInnerTexts();
    assert.match(lines[0], /^main\s+\.\/gldemo\s+\/opt\/gldemo\/gldemo\.c:42/);
    assert.match(lines[3], /^\(not known\)\s+\.\/gldemo\s+\+0x2340/);
    assert.doesNotMatch(await page.locator("#details").innerText(), /Other fields[^]*backtrace/);
    await picture("backtrace", page);
  });
});

test("frames are counted, sorted, and have links to the timeline", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "groups_threads.trace", capture);
    await page.locator("#tab-frames").click();
    await page.waitForFunction(() => window.varve.frameCount.table.value?.share === 1);
    await idle(page);
    const rows = page.locator(".frames tbody tr");
    const facts = await page.evaluate(() => window.varve.frameCount.table.value);
    assert.equal(facts.share, 1);
    assert.equal(facts.frames.reduce((sum, frame) => sum + frame.calls, 0), 392);
    for (const frame of facts.frames) assert.equal(frame.families.reduce((sum, n) => sum + n, 0), frame.calls);
    assert.equal(await rows.count(), facts.frames.length);
    await picture("frames", page);
    await page.locator(".frames th", { hasText: "Calls" }).getByRole("button").click();
    const most = facts.frames.reduce((a, b) => (b.calls > a.calls ? b : a));
    assert.match(await rows.first().innerText(), new RegExp(`^${most.frame}\\s`));
    await rows.first().getByRole("button").click();
    await idle(page);
    assert.equal(await page.evaluate(() => window.varve.details.value.slice.name), `Frame ${most.frame}`);
    assert.equal(await page.locator("#tab-frames").getAttribute("aria-selected"), "true");
    await page.locator(".frame-chart g").nth(2).locator(".reach").click();
    await idle(page);
    assert.equal(await page.evaluate(() => window.varve.details.value.slice.name), "Frame 2");
  });
});

const shownAxis = (page) => page.evaluate(() => window.varve.captureAxes.shown);

/** Switches the axis with a key, and waits until the view is on it. */
async function switchAxis(page, keys, axis) {
  await page.evaluate(() => window.varve.focusTimeline());
  await page.keyboard.press(keys);
  await page.waitForFunction((wanted) => window.varve.captureAxes.shown === wanted && window.varve.isIdle, axis);
  await settled(page);
}

/** Removes all marks, which `varve open` stores. */
async function removeMarks(page) {
  await page.evaluate(() => window.varve.notes.list.value.notes.forEach((note) => window.varve.notes.remove(note)));
  await idle(page);
}

/** Returns the numbers of the calls at the ends of the visible range. */
async function visibleCalls(page) {
  const { begin, end } = await range(page);
  if ((await shownAxis(page)) === "calls") return [begin, end];
  return page.evaluate(async ([begin, end]) => {
    const bytes = await window.varve.loading.ready[0].request("axis", { to: "calls", begins: begin, ends: end });
    const { begins, ends } = JSON.parse(new TextDecoder().decode(bytes));
    return [begins[0], ends[0]];
  }, [begin, end]);
}

test("X gives the calls of a capture equal widths: range, selection, area, rows and marks stay with their calls", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "groups_threads.trace", capture);
    await goTo(page, "246");
    await press(page, "Shift+KeyM");
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.varve.focusTimeline());
    await press(page, "Shift+KeyF");
    for (let i = 0; i < 4; i++) await press(page, "KeyS");
    await press(page, "KeyR");
    const events = await viewInAddress(page);
    assert.equal(events.axis, undefined);
    const calls = await visibleCalls(page);
    await switchAxis(page, "KeyX", "calls");
    await picture("equal widths", page);
    assert.deepEqual(await visibleCalls(page), calls);
    const equal = await viewInAddress(page);
    assert.equal(equal.axis, "calls");
    assert.equal(equal.traces[0].slice.begin, 246);
    assert.equal(equal.traces[0].slice.name, events.traces[0].slice.name);
    assert.equal(equal.traces[0].area.begin, 246);
    assert.equal(equal.panel, "area");
    const marks = () => page.evaluate(() => window.varve.notes.list.value.notes.map(({ begin, end }) => [Number(begin), Number(end)]));
    assert.equal((await marks()).length, 1);
    assert.equal((await marks())[0][0], 246);
    assert.equal(await page.getByRole("radio", { name: "Calls" }).isChecked(), true);

    await switchAxis(page, "Control+KeyZ", "events");
    assert.deepEqual(await visibleCalls(page), calls, "undo returns to the other axis");
    assert.deepEqual((await viewInAddress(page)).traces[0].slice, events.traces[0].slice);
    await switchAxis(page, "Control+KeyY", "calls");
    assert.deepEqual(await visibleCalls(page), calls, "redo");
    await goTo(page, "300");
    assert.match(await page.locator("#details").innerText(), /call 300, frame \d/);
    assert.equal((await viewInAddress(page)).traces[0].slice.begin, 300);
    await removeMarks(page);
  });
});

test("a link and a view file keep the axis of a capture, and stored marks are on their calls", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    const open = async (query = "") => {
      await transport.open(page, "groups_threads.trace", capture, query);
      await settled(page);
    };
    const marks = () => page.evaluate(() => window.varve.notes.list.value.notes.map(({ begin }) => Number(begin)));
    await open();
    await goTo(page, "246");
    await press(page, "Shift+KeyM");
    await page.keyboard.press("Escape");
    const [mark] = await marks();
    assert.ok(mark > 246, "a tick is an event");
    await switchAxis(page, "KeyX", "calls");
    assert.deepEqual(await marks(), [246]);
    const link = await page.evaluate(() => window.varve.link.fragment(3));
    const file = await page.evaluate(() => window.varve.views.text(3));
    assert.match(file, /^{\n {2}"varve_view": 1,\n {2}"axis": "calls",/);
    await page.goto("about:blank");
    await open();
    assert.equal(await shownAxis(page), "events", "a capture opens with a tick for each event");
    assert.deepEqual(await marks(), [mark]);
    await page.evaluate((hash) => {
      window.varve.link.restoreLater(hash);
      window.varve.link.restore();
    }, link);
    await page.waitForFunction(() => window.varve.captureAxes.shown === "calls" && window.varve.isIdle);
    assert.deepEqual(await marks(), [246]);
    await drop(page, "events.varve-view", file.replace(/ {2}"axis": "calls",\n/, "").replaceAll("246", "500"));
    await page.waitForFunction(() => window.varve.captureAxes.shown === "events" && window.varve.isIdle);
    assert.equal((await viewInAddress(page)).axis, undefined);
    await removeMarks(page);
  });
});

test("a trace with times has no other axis", async ({ page, transport }) => {
  await transport.open(page, "sample.json", sampleTrace());
  assert.equal(await page.getByRole("radio", { name: "Calls" }).count(), 0);
  await press(page, "KeyX");
  assert.equal(await page.evaluate(() => window.varve.notice.value), "No capture is open: other traces have times.");
});
