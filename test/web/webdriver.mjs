// A page of WebKitGTK's MiniBrowser, driven by WebKitWebDriver over the W3C WebDriver protocol. It has the methods of
// Playwright's Page that the tests of core.mjs use, because Playwright drives only its own build of WebKit.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const CODES = {
  Shift: "\ue008", Control: "\ue009", Alt: "\ue00a", Enter: "\ue007", Escape: "\ue00c", Tab: "\ue004", Backspace: "\ue003",
  ArrowLeft: "\ue012", ArrowUp: "\ue013", ArrowRight: "\ue014", ArrowDown: "\ue015", Home: "\ue011", End: "\ue010",
};
const BUTTONS = ["left", "middle", "right"];

/** Returns the character of WebDriver for a key of Playwright: `KeyW`, `Digit0`, `Enter`, `]`. */
const keyOf = (name) => CODES[name] ?? (/^(Key|Digit).$/.test(name) ? name.at(-1).toLowerCase() : name);

/** Runs in the page. Returns the elements at the end of a chain of steps, in the order of the document. */
function find(steps) {
  const nameOf = (element) => (element.getAttribute("aria-label") ?? element.textContent).trim();
  const matches = (text, wanted, exact) => {
    if (wanted === undefined) return true;
    if (wanted.source !== undefined) return new RegExp(wanted.source, wanted.flags).test(text);
    return exact ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase());
  };
  const take = (found, step) => {
    if (step.nth !== undefined) return found.slice(step.nth, step.nth + 1);
    const all = [...new Set(found.flatMap((root) => [...root.querySelectorAll(step.css)]))];
    return all.filter((element) => matches(nameOf(element), step.name, step.exact) && matches(element.textContent, step.hasText));
  };
  return steps.reduce(take, [document]);
}

const ROLES = { button: "button, [role=button]", dialog: "dialog", tab: "[role=tab]", treegrid: "[role=treegrid]", row: "[role=row]" };
const transferable = (text) => (text instanceof RegExp ? { source: text.source, flags: text.flags } : text);

class Locator {
  constructor(page, steps) {
    this.page = page;
    this.steps = steps;
  }

  locator(css, { hasText } = {}) {
    return new Locator(this.page, [...this.steps, { css, hasText: transferable(hasText) }]);
  }

  getByRole(role, { name, exact = false } = {}) {
    return new Locator(this.page, [...this.steps, { css: ROLES[role], name: transferable(name), exact }]);
  }

  nth(nth) {
    return new Locator(this.page, [...this.steps, { nth }]);
  }

  first() {
    return this.nth(0);
  }

  /** Returns the result of a function of the page for all found elements. */
  all(body, argument) {
    return this.page.run(`const [steps, argument] = arguments; return (${body})((${find})(steps), argument);`, [this.steps, argument]);
  }

  /** Returns the result of a function for the first element, which is waited for. */
  async one(body, argument) {
    await this.waitFor();
    return this.page.run(`const [steps, argument] = arguments; return (${body})((${find})(steps)[0], argument);`, [this.steps, argument]);
  }

  waitFor({ state = "visible" } = {}) {
    const count = (all, state) => (state === "detached" ? all.length === 0 : all.some((element) => element.checkVisibility() === (state === "visible")));
    return this.page.until(() => this.all(count, state), `${JSON.stringify(this.steps)} to be ${state}`);
  }

  async click() {
    const element = await this.one((element) => element);
    await this.page.post(`/element/${element[ELEMENT]}/click`, {});
  }

  async screenshot() {
    const element = await this.one((element) => element);
    return Buffer.from(await this.page.get(`/element/${element[ELEMENT]}/screenshot`), "base64");
  }

  async fill(text) {
    await this.one((element, text) => {
      element.focus();
      element.value = text;
      element.dispatchEvent(new InputEvent("input", { bubbles: true, data: text }));
    }, text);
  }

  selectOption(value) {
    return this.one((element, value) => {
      element.value = value;
      element.dispatchEvent(new Event("change", { bubbles: true }));
    }, value);
  }

  check() {
    return this.click();
  }

  dispatchEvent(type) {
    return this.one((element, type) => void element.dispatchEvent(new Event(type, { bubbles: true })), type);
  }

  focus() {
    return this.one((element) => element.focus());
  }

  count() {
    return this.all((all) => all.length);
  }

  innerText() {
    return this.one((element) => element.innerText);
  }

  allInnerTexts() {
    return this.all((all) => all.map((element) => element.innerText));
  }

  allTextContents() {
    return this.all((all) => all.map((element) => element.textContent));
  }

  inputValue() {
    return this.one((element) => element.value);
  }

  getAttribute(name) {
    return this.one((element, name) => element.getAttribute(name), name);
  }

  isDisabled() {
    return this.one((element) => element.disabled);
  }

  boundingBox() {
    return this.one((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    });
  }
}

export class WebDriverPage {
  constructor(url, size, timeoutMs) {
    this.url = url;
    this.size = size;
    this.timeoutMs = timeoutMs;
    this.pointer = { x: 0, y: 0 };
    this.held = new Set();
    this.keyboard = {
      down: (key) => {
        this.held.add(key);
        return this.keys([{ type: "keyDown", value: keyOf(key) }]);
      },
      up: (key) => {
        this.held.delete(key);
        return this.keys([{ type: "keyUp", value: keyOf(key) }]);
      },
      press: (combination) => {
        const keys = (combination.match(/[^+]+|^\+$/g) ?? []).map(keyOf);
        const ups = [...keys].reverse();
        return this.keys([...keys.map((value) => ({ type: "keyDown", value })), ...ups.map((value) => ({ type: "keyUp", value }))]);
      },
      type: (text) => this.keys([...text].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }])),
    };
    const button = (type, name = "left") => ({ type, button: BUTTONS.indexOf(name) });
    this.mouse = {
      move: (x, y) => this.moves([this.moveTo(x, y)]),
      down: ({ button: name } = {}) => this.moves([button("pointerDown", name)]),
      up: ({ button: name } = {}) => this.moves([button("pointerUp", name)]),
      click: (x, y, { button: name } = {}) => this.moves([this.moveTo(x, y), button("pointerDown", name), button("pointerUp", name)]),
      wheel: (deltaX, deltaY) => this.wheel(deltaX, deltaY),
    };
  }

  async request(method, path, body) {
    const response = await fetch(this.url + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  get(path) {
    return this.request("GET", path);
  }

  post(path, body) {
    return this.request("POST", path, body);
  }

  act(type, id, actions, parameters) {
    return this.post("/actions", { actions: [{ type, id, actions, parameters }] });
  }

  keys(actions) {
    return this.act("key", "keyboard", actions);
  }

  moves(actions) {
    return this.act("pointer", "mouse", actions, { pointerType: "mouse" });
  }

  /** An event of the page: WebKitWebDriver 2.50 turns the wheel without the keys that are held. */
  wheel(deltaX, deltaY) {
    const { x: clientX, y: clientY } = this.pointer;
    const [ctrlKey, shiftKey] = ["Control", "Shift"].map((key) => this.held.has(key));
    return this.evaluate(
      (init) => void document.elementFromPoint(init.clientX, init.clientY).dispatchEvent(new WheelEvent("wheel", { ...init, bubbles: true, cancelable: true })),
      { clientX, clientY, deltaX, deltaY, ctrlKey, shiftKey },
    );
  }

  moveTo(x, y) {
    this.pointer = { x: Math.round(x), y: Math.round(y) };
    return { type: "pointerMove", ...this.pointer };
  }

  run(script, args) {
    return this.post("/execute/sync", { script, args });
  }

  async evaluate(body, argument = null) {
    const script = `const done = arguments[1];
      Promise.resolve().then(() => (${body})(arguments[0])).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await this.post("/execute/async", { script, args: [argument] });
    if (error !== undefined) throw new Error(error);
    return value;
  }

  async until(isDone, what, timeoutMs = this.timeoutMs) {
    for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
      if (await isDone()) return;
      await new Promise((resume) => setTimeout(resume, 20));
    }
    throw new Error(`timeout: waiting for ${what}`);
  }

  waitForFunction(body, argument) {
    return this.until(() => this.evaluate(body, argument), String(body));
  }

  /**
   * Gives the page its size: MiniBrowser has bars, and shows another one for each download. Waits until two frames have
   * that size: if a page is opened while the window changes its size, WebKitGTK 2.50 shows nothing of it until the next change.
   */
  async fit() {
    const { width, height } = this.size;
    const isFit = () => this.run("return innerWidth === arguments[0] && innerHeight === arguments[1]", [width, height]);
    const change = async () => {
      const [outer, inner] = [await this.get("/window/rect"), await this.run("return { width: innerWidth, height: innerHeight }", [])];
      await this.post("/window/rect", { x: 0, y: 0, width: outer.width + width - inner.width, height: outer.height + height - inner.height });
      return this.until(isFit, "", 1000).then(() => true, () => false); // a bar that still opens changes the size once more
    };
    await this.until(change, "the size of the page");
    await this.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }

  goto(url) {
    return this.post("/url", { url });
  }

  title() {
    return this.get("/title");
  }

  locator(css, options) {
    return new Locator(this, []).locator(css, options);
  }

  getByRole(role, options) {
    return new Locator(this, []).getByRole(role, options);
  }

  async screenshot({ path }) {
    writeFileSync(path, Buffer.from(await this.get("/screenshot"), "base64"));
  }
}

/** Starts Xvfb, the driver and a session in it. */
export async function startWebKit({ driver, miniBrowser, size, timeoutMs }) {
  const folder = mkdtempSync(join(tmpdir(), "varve-webkit-"));
  const downloads = join(folder, "downloads");
  mkdirSync(downloads);
  writeFileSync(join(folder, "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1600x4000x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const display = await new Promise((resolve, reject) => {
    screen.stdio[3].once("data", (text) => resolve(`:${String(text).trim()}`));
    screen.once("error", reject);
    screen.once("exit", (status) => reject(new Error(`Xvfb ended with ${status}`)));
  });
  const env = { ...process.env, DISPLAY: display, XDG_CONFIG_HOME: folder, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" };
  const port = 20_000 + (process.pid % 20_000);
  const child = spawn(driver, [`--port=${port}`], { env, stdio: "ignore" });
  const page = new WebDriverPage(`http://127.0.0.1:${port}`, size, timeoutMs);
  const stop = () => {
    child.kill();
    screen.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await page.until(() => page.get("/status").catch(() => null), "WebKitWebDriver");
    const options = { binary: miniBrowser, args: ["--automation"] };
    const { sessionId, capabilities } = await page.post("/session", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } });
    page.url += `/session/${sessionId}`;
    page.downloads = downloads;
    await page.fit();
    const close = async () => {
      await page.request("DELETE", "");
      stop();
    };
    return { page, version: capabilities.browserVersion, close };
  } catch (error) {
    stop();
    throw error;
  }
}
