// Several traces: opening adds or replaces as the user says, and one of them can be closed.
import assert from "node:assert/strict";
import { drop, idle, press, range, settled } from "./browser.mjs";
import { sampleTrace, UNRECOGNISED } from "./fixtures.mjs";
import { test } from "./tap.mjs";

const names = (page) => page.evaluate(() => window.varve.loading.traces.value.map((trace) => trace.info.file.name));
const other = sampleTrace().replaceAll("server", "client");
const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });

async function waitForNames(page, expected) {
  await page.waitForFunction((count) => window.varve.loading.traces.value.length === count && !window.varve.loading.isLoading, expected.length);
  await idle(page);
  assert.deepEqual(await names(page), expected);
}

/** Opens a file with Ctrl+O and a button of the dialog. */
async function choose(page, button, name, text) {
  await page.evaluate(() => window.varve.focusTimeline());
  await press(page, "Control+KeyO");
  const dialog = page.getByRole("dialog", { name: "Open" });
  await dialog.waitFor();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), dialog.getByRole("button", { name: button, exact: true }).click()]);
  await chooser.setFiles(file(name, text));
}

test("Ctrl+O asks whether the files are added or replace the open trace", async ({ page, transport, picture }) => {
  await transport.open(page, "first.json", sampleTrace());
  await page.evaluate(() => (window.showOpenFilePicker = undefined)); // a test cannot choose in its dialog
  await press(page, "Control+KeyO");
  await page.getByRole("dialog", { name: "Open" }).locator("p", { hasText: "first.json" }).waitFor();
  await picture("open dialog");
  await page.keyboard.press("Escape");
  await choose(page, "Add", "second.json", other);
  await waitForNames(page, ["first.json", "second.json"]);
  await choose(page, "Replace", "third.json", sampleTrace());
  await waitForNames(page, ["third.json"]);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Open", exact: true }).click({ modifiers: ["Shift"] })]);
  await chooser.setFiles(file("second.json", other));
  await waitForNames(page, ["third.json", "second.json"]);
});

test("long names of several traces keep their ends", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    const long = ["server-load-test-of-november-before-change.json", "server-load-test-of-november-after-change.json"];
    await transport.openTwo(page, long, [sampleTrace(), other]);
    for (const width of [1280]) {
      await page.setViewportSize({ width, height: 600 });
      const shown = await page.locator(".trace-name").evaluateAll((all) => all.map((name) => {
        const [begin, end] = [name.querySelector(".file-name-begin"), name.querySelector(".file-name-end")];
        return { title: name.querySelector("[title]").title, isCut: begin.scrollWidth > begin.clientWidth, end: end.scrollWidth <= end.clientWidth + 1 ? end.textContent : null };
      }));
      assert.deepEqual(shown, ["before-change.json", "after-change.json"].map((end, i) => ({ title: long[i], isCut: true, end })), `at ${width} px`);
    }
    await picture("long names", page);
    await transport.openTwo(page, ["first-of-two.json", "second-of-two.json"], [sampleTrace(), other]);
    await page.setViewportSize({ width: 300, height: 600 });
    const short = await page.locator(".trace-name .file-name-begin").evaluateAll((all) => all.map((name) => [name.textContent, name.scrollWidth > name.clientWidth, name.clientWidth > 0]));
    assert.deepEqual(short, [["first-of-two.json", true, true], ["second-of-two.json", true, true]]);
  });
});

test("files of one name have numbers, also when both are dropped at once", async ({ transport, withPage, picture }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "same.json", sampleTrace());
    await drop(page, "same.json", other, { shiftKey: true });
    await waitForNames(page, ["same.json", "same.json (2)"]);
    await page.setViewportSize({ width: 700, height: 600 });
    assert.deepEqual(await page.locator(".trace-name .file-name-end").allTextContents(), [" (2)"]);
    assert.ok((await page.locator("[role=treegrid]").innerText()).includes("same.json (2)"));
    await picture("files of one name", page);
    await drop(page, "same.json", other);
    await waitForNames(page, ["same.json"]); // those before are closed
  });
});

test("traces have the order of their files, also if a later file is read in less time", async ({ transport, withPage }) => {
  const events = Array.from({ length: 200_000 }, (_, i) => `{"ph":"X","name":"call","pid":1,"tid":1,"ts":${i * 10},"dur":5}`);
  await withPage({}, async (page) => {
    await transport.open(page, "first.json", sampleTrace());
    await page.evaluate(() => (window.showOpenFilePicker = undefined));
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Open", exact: true }).click({ modifiers: ["Shift"] })]);
    await chooser.setFiles([file("large.json", `[${events.join(",\n")}]`), file("bad.json", "no trace"), file("small.json", other)]);
    await waitForNames(page, ["first.json", "large.json", "small.json"]);
  });
});

test("undo survives an added trace", async ({ transport, withPage }) => {
  await withPage({}, async (page) => {
    await transport.open(page, "undo.json", sampleTrace().replaceAll("server", "undone"));
    await page.evaluate(() => (window.showOpenFilePicker = undefined));
    const whole = await range(page);
    await page.evaluate(() => {
      window.varve.view.setRange(0, 10_000_000n, 30_000_000n, performance.now());
      window.varve.schedule();
    });
    await settled(page);
    const near = await range(page);
    await page.evaluate(() => window.varve.filterTracks("worker"));
    await settled(page);
    await choose(page, "Add", "added.json", other);
    await waitForNames(page, ["undo.json", "added.json"]);
    assert.deepEqual(await range(page), near);
    const chips = page.locator(".setting-chip", { hasText: "worker" });
    assert.equal(await chips.count(), 1);
    await page.locator("#timeline").focus();
    await press(page, "Control+KeyZ");
    await settled(page);
    assert.equal(await chips.count(), 0);
    assert.deepEqual(await range(page), near);
    await press(page, "Control+KeyZ");
    assert.ok((await range(page)).span >= whole.span);
    await press(page, "Control+KeyY");
    await press(page, "Control+KeyY");
    await settled(page);
    assert.equal(await chips.count(), 1);
    assert.deepEqual(await range(page), near);
  });
});

test("a file that is not a trace, and a cancelled choice, replace nothing", async ({ page }) => {
  await choose(page, "Replace", "letter.txt", UNRECOGNISED);
  await page.getByRole("alert").filter({ hasText: "letter.txt" }).getByRole("button", { name: "Dismiss" }).click();
  await choose(page, "Replace", "empty.json", "");
  await page.getByRole("alert").filter({ hasText: "empty.json" }).getByRole("button", { name: "Dismiss" }).click();
  assert.deepEqual(await names(page), ["third.json", "second.json"]);
});

test("one of several traces is closed; the view and the marks of the others stay", async ({ page, picture }) => {
  const rangeOf = (trace) =>
    page.evaluate((trace) => {
      const { begin, end } = window.varve.view.range(trace);
      return [Number(begin), Number(end)];
    }, trace);
  await page.evaluate(() => {
    const { view } = window.varve;
    view.setRange(1, 10_000_000n, 30_000_000n, performance.now());
    window.varve.filterTracks("worker");
    window.varve.schedule();
  });
  await settled(page);
  const before = await rangeOf(1);
  await picture("two traces");
  await page.getByRole("button", { name: "Close third.json" }).click();
  await waitForNames(page, ["second.json"]);
  assert.deepEqual(await rangeOf(0), before);
  assert.equal(await page.evaluate(() => window.varve.rows.value.filter), "worker");
  assert.match(await page.title(), /^second\.json - /);
  assert.equal(await page.getByRole("button", { name: /^Close second/ }).count(), 0);
  await page.evaluate(() => window.varve.filterTracks(""));
});

test("undo and redo survive the end of one of several traces", async ({ withPage, transport, picture }) => {
  // Notes are stored by the content of a trace: those of other tests are not here.
  const [one, two] = ["one", "two"].map((name) => sampleTrace().replaceAll("server", name));
  await withPage({}, async (page) => {
    await transport.openTwo(page, ["first.json", "second.json"], [one, two]);
    const place = (await names(page)).indexOf("second.json"); // the traces have the order in which they became ready
    const otherPlace = 1 - place;
    const state = () =>
      page.evaluate((name) => {
        const { view, rows, notes, loading } = window.varve;
        const trace = loading.traces.value.findIndex(({ info }) => info.file.name === name);
        const { begin, end } = view.range(trace);
        const marks = Object.fromEntries(rows.value.marks.map(({ mark, rows }) => [mark, rows.map(({ trace, title }) => `${trace} ${title}`)]));
        return { span: Number(end - begin), filter: rows.value.filter, notes: notes.list.value.notes.map(({ trace, text }) => `${trace} ${text}`), ...marks };
      }, "second.json");
    const toggle = async (trace, track, command) => {
      await page.evaluate(([trace, track]) => window.varve.goToTrack(trace, track), [trace, track]);
      await idle(page);
      await page.evaluate((command) => window.varve.runOnFocus(command), command);
      await settled(page);
    };
    await page.evaluate((trace) => {
      window.varve.view.setRange(trace, 10_000_000n, 30_000_000n, performance.now());
      window.varve.schedule();
    }, place);
    await settled(page);
    await toggle(otherPlace, 1, "pin-track");
    await toggle(place, 2, "hide-track");
    await page.evaluate((trace) => window.varve.selection.selectNamed(trace, "query 2"), place);
    await idle(page);
    await press(page, "KeyM");
    await page.evaluate(() => window.varve.drawer.show("details"));
    await toggle(place, 1, "pin-track");
    const before = await state();
    assert.equal(before.notes.length, 1);
    assert.equal(before.pinned.length, 2);
    const heading = await page.locator("#details h2").innerText();
    await page.getByRole("button", { name: "Close first.json" }).click();
    await waitForNames(page, ["second.json"]);
    await picture("a closed trace", page);
    assert.equal(await page.locator("#details h2").innerText(), heading, "the selection stays");
    const after = await state();
    const own = before.pinned.filter((row) => row.startsWith(`${place} `)).map((row) => row.replace(/^\d/, "0"));
    assert.deepEqual(after, { ...before, pinned: own, hidden: before.hidden.map((row) => row.replace(/^\d/, "0")), notes: ["0 Mark 1"] });
    await press(page, "Control+KeyZ");
    const unpinned = { ...after };
    delete unpinned.pinned;
    assert.deepEqual(await state(), unpinned);
    await press(page, "Control+KeyZ");
    assert.deepEqual((await state()).notes, []);
    assert.deepEqual((await state()).hidden, after.hidden);
    await press(page, "Control+KeyZ"); // the motion to the slice
    await press(page, "Control+KeyZ");
    assert.equal((await state()).hidden, undefined);
    for (let step = 0; step < 6; step++) await press(page, "Control+KeyZ");
    assert.notEqual((await state()).span, after.span, "the step about the closed trace is gone");
    for (let step = 0; step < 9; step++) await press(page, "Control+KeyY");
    assert.deepEqual(await state(), after);
    await press(page, "ArrowRight");
    assert.notEqual(await page.locator("#details h2").innerText(), "");
  });
});

test("a dropped file replaces or adds, as the half of the page says", async ({ page, picture }) => {
  const over = async (mode) => {
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["[]"], "x.json"));
      return data;
    });
    await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
    await page.locator(`.drop-zone[data-mode=${mode}]`).waitFor();
    return transfer;
  };
  const dropOn = async (mode, name, text) => {
    await over(mode);
    await drop(page, name, text, {}, `.drop-zone[data-mode=${mode}]`);
  };
  await over("add");
  await picture("drop zones");
  await dropOn("add", "fourth.json", sampleTrace());
  await waitForNames(page, ["second.json", "fourth.json"]);
  await dropOn("replace", "fifth.json", sampleTrace());
  await waitForNames(page, ["fifth.json"]);
});
