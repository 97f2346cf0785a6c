// The texts of the page come from its table: with a table of accented English, no text without an accent is left on the page, except
// words of the trace, of the engine (in elements with lang="en") and names such as those of keys and formats.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawnTexts, drop, idle, loaded, press, settled } from "./browser.mjs";
import { test } from "./tap.mjs";

const WEB = fileURLToPath(new URL("../../web/", import.meta.url));
/** The tag of accented English. Intl.PluralRules has the rules of English for it. */
const TAG = "en-XA";

/** Returns a text with other letters, its placeholders unchanged. */
function accented(text) {
  const letters = { a: "á", b: "ƀ", c: "ç", d: "ð", e: "é", f: "ƒ", g: "ĝ", h: "ĥ", i: "í", j: "ĵ", k: "ķ", l: "ļ", m: "ɱ", n: "ñ", o: "ó", p: "þ", q: "ɋ", r: "ŕ", s: "š", t: "ţ", u: "ú", v: "ṽ", w: "ŵ", x: "ẋ", y: "ý", z: "ž" };
  return text.replace(/\{\w+\}|[a-z]/gi, (part) => (part.length > 1 ? part : part === part.toLowerCase() ? letters[part] : letters[part.toLowerCase()].toUpperCase()));
}

/** Builds the script of the page with one more table. Returns its source. */
function buildApp(site) {
  const folder = mkdtempSync(join(tmpdir(), "varve-texts-"));
  try {
    const english = JSON.parse(readFileSync(join(WEB, "texts", "en.json"), "utf8"));
    const table = Object.fromEntries(Object.entries(english).map(([id, text]) => [id, typeof text === "string" ? accented(text) : Object.fromEntries(Object.entries(text).map(([form, of]) => [form, accented(of)]))]));
    mkdirSync(join(folder, "texts"));
    cpSync(join(WEB, "texts"), join(folder, "texts"), { recursive: true });
    writeFileSync(join(folder, "texts", `${TAG}.json`), JSON.stringify(table, null, 2));
    cpSync(join(site, "..", "border.ts"), join(folder, "border.ts"));
    const run = (script, ...args) => execFileSync(process.execPath, [join(WEB, script), ...args], { cwd: folder });
    run("texts.mjs", join(folder, "texts.ts"), "texts.d", join(folder, "texts"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(WEB, "tsconfig.json"), compilerOptions: { paths: { "generated/*": [join(folder, "*")] } } }));
    run("bundle.mjs", join(WEB, "src", "main.tsx"), join(folder, "app.js"), "app.d", join(folder, "tsconfig.json"));
    return readFileSync(join(folder, "app.js"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All names begin with "zz", so that they are not words of English. */
function trace(name) {
  const slice = (name, ts, dur, tid, args = {}) => ({ ph: "X", name, cat: "zzcat", ts, dur, pid: 1, tid, args });
  const events = [
    { ph: "M", name: "process_name", pid: 1, args: { name: "zzprocess" } },
    { ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "zzfirst" } },
    { ph: "M", name: "thread_name", pid: 1, tid: 2, args: { name: "zzsecond" } },
    ...Array.from({ length: 20 }, (_, i) => slice(i % 2 === 0 ? "zzwork" : "zzrest", 1000 * i, 600 + 10 * i, 1, { zzkey: `zzvalue${i}`, zznumber: i })),
    ...Array.from({ length: 20 }, (_, i) => slice("zzinner", 1000 * i + 100, 300, 1)),
    slice("zzreceive", 30_000, 5000, 2),
    { ph: "s", name: "zzflow", cat: "zzcat", id: 1, ts: 19_200, pid: 1, tid: 1 },
    { ph: "f", name: "zzflow", cat: "zzcat", id: 1, ts: 31_000, pid: 1, tid: 2, bp: "e" },
    { ph: "i", name: "zzinstant", cat: "zzcat", ts: 33_000, pid: 1, tid: 2, s: "t" },
    { ph: "C", name: "zzcounter", ts: 0, pid: 1, args: { zzseries: 3, zzother: 4 } },
    { ph: "C", name: "zzcounter", ts: 20_000, pid: 1, args: { zzseries: 7, zzother: 1 } },
  ];
  return JSON.stringify({ traceEvents: events, zzproperty: name });
}

/** The words that are the same in all languages: names of programs, formats, keys, units, and terms of a search or of SQL. */
const SAME = new Set("varve perfetto spall tracy speedscope ctrl shift alt esc enter home end delete menu pgup pgdn space ns px us ms min kb mb json markdown csv svg png html".split(" "));

/** Returns the words of a text that are neither accented nor of the trace. The engine words the errors of view files and the change of a frame. */
function plainWords(text, names = new Set()) {
  const rest = text.replace(/the view file .*|[\w/]+\.[(*\w][\w.()*]*|\/tmp\/\S+|\b(name|category|thread):|\btrace-event( \(?object\)?)?|, self before.*/g, "");
  return (rest.match(/[A-Za-z\u00c0-\u1eff][\w\u00c0-\u1eff.]*/g) ?? []).filter((word) => /^[a-z][a-z.]+$/i.test(word) && !/^zz/i.test(word) && !SAME.has(word.toLowerCase()) && !names.has(word.toLowerCase()));
}

/** Returns the texts of a part of the page, with their places; those of the body include the timeline. */
async function textsOf(page, part = "body") {
  const found = await page.evaluate((part) => {
    const found = [];
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) || element.closest("option, .unseen, select") !== null;
    const add = (text, element, place) => {
      if (element.closest("[lang=en]:not(html), code, pre, kbd, .key, .cm-editor, option[lang]") === null) found.push([`${place} of ${element.tagName.toLowerCase()}.${element.className}`, text.trim()]);
    };
    const walker = document.createTreeWalker(document.querySelector(part), NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node instanceof Text) {
        if (!(node.parentElement instanceof HTMLScriptElement) && isShown(node.parentElement)) add(node.data, node.parentElement, "text");
      } else
        for (const name of ["title", "aria-label", "placeholder", "alt"]) {
          const text = node.getAttribute(name);
          if (text !== null && isShown(node)) add(text, node, name);
        }
    }
    return found;
  }, part);
  return part === "body" ? [...found, ...(await drawnTexts(page)).map((text) => ["the timeline", text])] : found;
}

const tab = (name) => async (page) => { await page.locator(`#tab-${name}`).click(); await settled(page); };
const command = (name) => async (page) => { await page.evaluate((name) => window.varve.run(name), name); await settled(page); };
const closed = async (page) => { await page.evaluate(() => window.varve.dialog.set(null)); await page.locator("dialog").waitFor({ state: "detached" }); };
const selected = (name) => async (page) => { await page.evaluate((name) => window.varve.selection.selectNamed(0, name), name); await page.locator("#details").waitFor(); await settled(page); };

/** The states of the page: a name, the steps into it, and out of it. */
const STATES = [
  ["the start", (page) => idle(page)],
  ["the overview", tab("overview")],
  ["a slice", selected("zzwork")],
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((row) => [`the pointer at ${row}`, async (page) => { const box = await page.locator("#timeline").boundingBox(); await page.mouse.move(box.x + (0.5 + 0.008 * row) * box.width, box.y + 106 + 9 * row); await page.waitForTimeout(250); await settled(page); }]),
  ["a slice with an arrow", selected("zzreceive")],
  ["an instant", selected("zzinstant")],
  ["a row", command("about-track")],
  ["an area", command("select-all")],
  ["a histogram", async (page) => { await page.evaluate(() => window.varve.histogram.toggle()); await settled(page); }],
  ["instants of the area", async (page) => { await page.evaluate(() => window.varve.areaKind.set("instants")); await settled(page); }],
  ["counters of the area", async (page) => { await page.evaluate(() => window.varve.areaKind.set("counters")); await settled(page); }],
  ["a search", async (page) => { await page.locator("#search").fill("zzwork"); await idle(page); await tab("search")(page); }],
  ["a search without matches", async (page) => { await page.locator("#search").fill("zznothing"); await settled(page); }, async (page) => { await page.locator("#search").fill(""); await settled(page); }],
  ["a mark", async (page) => { await command("select-all")(page); await command("note")(page); await command("mark")(page); await tab("marks")(page); }],
  ["the flame graph", tab("flame")],
  ["a sandwich", command("sandwich")],
  ["categories", tab("categories")],
  ["SQL", tab("sql")],
  ["a comparison", tab("compare")],
  ["chips", async (page) => { await press(page, "Escape"); for (const name of ["focus-down", "pin-track", "sort-name", "group-flat"]) await command(name)(page); await page.evaluate(() => window.varve.filterTracks("zz")); await settled(page); }, async (page) => { await page.evaluate(() => window.varve.filterTracks("")); await settled(page); }],
  ["the menu of a row", command("row-menu"), (page) => page.evaluate(() => window.varve.rowMenu.set(null))],
  ["the order menu", (page) => page.evaluate(() => window.varve.orderMenu.set(true)), (page) => page.evaluate(() => window.varve.orderMenu.set(false))],
  ...["help", "palette", "settings", "save", "share", "report", "go-to", "jump", "filter-tracks", "open"].map((name) => [`the dialog ${name}`, async (page) => { await page.evaluate((name) => window.varve.dialog.set(name), name); await settled(page); }, closed]),
  ["a wrong time", async (page) => { await page.evaluate(() => window.varve.dialog.set("go-to")); await page.locator("#go-to-time").fill("zz"); await settled(page); }, closed],
  ["no rows", async (page) => { await page.evaluate(() => window.varve.filterTracks("zznothing")); await settled(page); }, async (page) => { await page.evaluate(() => window.varve.filterTracks("")); await settled(page); }],
  ["two traces", async (page) => { await drop(page, "zztwo.json", trace("zztwo"), { shiftKey: true }); await page.waitForFunction(() => window.varve.loading.traces.value.length === 2); await tab("compare")(page); }],
  ["the flame graph of a comparison", async (page) => { await page.evaluate(() => window.varve.comparison.choose({ view: "flame" })); await settled(page); }],
  ["a bad file", async (page) => { await drop(page, "zzbad.json", "zz", { shiftKey: true }); await page.locator(".card-error").waitFor(); }],
  ["no trace", async (page) => { for (const left of [1, 0]) { await page.evaluate(() => window.varve.closeTrace(0)); await page.waitForFunction((left) => window.varve.loading.traces.value.length === left, left); } await settled(page); }],
];

test("every text of the page is from the table of the language", async ({ site, transport, withPage }) => {
  const app = buildApp(site);
  if (transport.folder !== undefined) rmSync(join(transport.folder, "state", "varve", "recent.json"), { force: true }); // names of other cases
  await withPage({ locale: TAG }, async (page) => {
    await page.route("**/app.js", (route) => route.fulfill({ body: app, contentType: "text/javascript" }));
    await transport.open(page, "zzone.json", trace("zzone"));
    await loaded(page);
    assert.equal(await page.evaluate(() => document.documentElement.lang), TAG);
    const found = new Set();
    const seen = new Set();
    for (const [name, enter, leave] of STATES) {
      await enter(page).catch((error) => { throw new Error(`${name}: ${error.message}`, { cause: error }); });
      const texts = await textsOf(page);
      for (const [, text] of texts) seen.add(text);
      for (const [place, text] of texts) for (const word of plainWords(text)) found.add(`${word} in ${place}: ${text.slice(0, 100)} (${name})`);
      await leave?.(page);
    }
    for (const text of ["Overview", "duration"]) assert.ok(seen.has(accented(text)), `"${text}" was seen, in the drawer and in a tooltip`);
    assert.equal(found.size, 0, [...found].join("\n"));
  });
});

/** Returns the words of a trace, as `varve dump` prints them. */
function wordsOf(varve, path) {
  const dumped = execFileSync(varve, ["dump", "--json", path], { encoding: "utf8", maxBuffer: 1 << 28 });
  return new Set(dumped.toLowerCase().match(/[a-z][a-z.]+/g));
}

for (const [kind, file, tabs] of [
  ["Go", "go/canned_user_task_region_1_11_good.trace", async (page, check) => {
    for (const what of ["functions", "goroutines", "sync", "net", "syscall", "sched", "tasks", "regions", "mmu", "gc"]) {
      await page.locator("#go-what").selectOption(what);
      await settled(page);
      await check(what);
    }
  }],
  ["frames", "apitrace/groups_threads.trace", async (page, check) => check("frames")],
])
  test(`the panel of ${kind} has no other texts`, async ({ site, transport, varve, withPage }) => {
    const app = buildApp(site);
    const path = fileURLToPath(new URL(`../data/${file}`, import.meta.url));
    const names = wordsOf(varve, path);
    await withPage({ locale: TAG }, async (page) => {
      await page.route("**/app.js", (route) => route.fulfill({ body: app, contentType: "text/javascript" }));
      await transport.open(page, "zz.trace", readFileSync(path));
      await tab(kind.toLowerCase())(page);
      const found = new Set();
      await tabs(page, async (state) => {
        for (const [place, text] of await textsOf(page, ".drawer")) for (const word of plainWords(text, names)) found.add(`${word} in ${place}: ${text.slice(0, 100)} (${state})`);
      });
      assert.equal(found.size, 0, [...found].join("\n"));
    });
  });

test("the setting of the language takes effect at once, and comes before the languages of the browser", async ({ site, transport, withPage }) => {
  const app = buildApp(site);
  await withPage({ locale: "de-DE" }, async (page) => {
    await page.route("**/app.js", (route) => route.fulfill({ body: app, contentType: "text/javascript" }));
    await transport.open(page, "zzone.json", trace("zzone"));
    assert.equal(await page.locator("#tab-details").innerText(), "Details", "there is no German");
    await command("settings")(page);
    await page.locator("#language").selectOption(TAG);
    await settled(page);
    assert.equal(await page.locator("#tab-details").innerText(), accented("Details"));
    await page.locator("#language").selectOption("en");
    await settled(page);
    assert.equal(await page.locator("#tab-details").innerText(), "Details");
  });
});
