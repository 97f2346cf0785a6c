import assert from "node:assert/strict";
import { test } from "node:test";
import { regexImports } from "../src/wasm/regex.ts";

const MESSAGE_AT = 4;
const MESSAGE_ROOM = 100;
const PLACE_AT = 104;
const INPUT_AT = 120;

/** The imports over a memory of their own, as the module calls them. */
class Host {
  private bytes = new Uint8Array(1 << 22);
  private calls = regexImports(() => this.bytes) as Record<string, (...numbers: number[]) => number>;

  private put(input: string | Uint8Array): number {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    this.bytes.set(bytes, INPUT_AT);
    return bytes.length;
  }

  /** Returns the number of the expression, or the message about it. */
  compile(pattern: string): number | string {
    const number = this.calls["regex_compile"]!(INPUT_AT, this.put(pattern), MESSAGE_AT, MESSAGE_ROOM, 0);
    const size = new DataView(this.bytes.buffer).getUint32(0, true);
    return number !== 0 ? number : new TextDecoder().decode(this.bytes.subarray(MESSAGE_AT, MESSAGE_AT + size));
  }

  /** Returns the place of the match, [] without one, null if it takes too much work. */
  find(pattern: string, text: string | Uint8Array): number[] | null {
    const number = this.compile(pattern) as number;
    const size = this.put(text);
    const quick = this.calls["regex_find"]!(number, INPUT_AT, size, 0);
    assert.equal(this.calls["regex_find"]!(number, INPUT_AT, size, PLACE_AT), quick, `${pattern} with and without a place`);
    this.calls["regex_release"]!(number);
    const view = new DataView(this.bytes.buffer);
    return quick === 2 ? null : quick === 0 ? [] : [view.getUint32(PLACE_AT, true), view.getUint32(PLACE_AT + 4, true)];
  }
}

test("a match has its place in bytes, and the case of letters is ignored", () => {
  const host = new Host();
  assert.deepEqual(host.find("re.d", "xxREAD"), [2, 6]);
  assert.deepEqual(host.find("(?-i)re.d", "xxREAD"), []);
  assert.deepEqual(host.find("é+", "äÉéx"), [2, 6]);
  assert.deepEqual(host.find("^$", ""), [0, 0]);
  assert.deepEqual(host.find("\\bb", "a.b"), [2, 3]);
  assert.deepEqual(host.find("x", new Uint8Array([0xff, 0xc3, 0x78])), [2, 3]);
});

test("a wrong expression has a message that fits into its room", () => {
  const host = new Host();
  assert.equal(host.compile("(a"), ", byte 2: a closing parenthesis is missing");
  assert.equal(host.compile("é[a"), ", byte 4: a closing bracket is missing");
  assert.equal(host.compile("éa)"), ": a closing parenthesis has no opening one");
  assert.equal(host.compile("ab|*c"), ", byte 3: nothing to repeat: *");
  assert.equal(host.compile("a(?=b)"), ", byte 1: this syntax is not supported in the browser: (?=");
  assert.equal(host.compile("a{2000}"), ", byte 1: a repetition has at most 1000 times: {2000}");
  assert.equal(host.compile("a\\"), ": nothing follows the backslash at the end");
  assert.equal(host.compile("a\\y"), ", byte 1: unknown escape: \\y");
  assert.ok(String(host.compile(`(${"é".repeat(400)}`)).length <= MESSAGE_ROOM);
});

test("hostile expressions take linear time, or are given up", () => {
  const host = new Host();
  const before = process.cpuUsage().user;
  assert.deepEqual(host.find("(a+)+$", `${"a".repeat(50_000)}!`), []);
  assert.deepEqual(host.find("^(a|aa)+[bc]", "a".repeat(50_000)), []);
  assert.deepEqual(host.find("(a*)*(a*)*(a*)*[bc]", "a".repeat(50_000)), []);
  assert.equal(host.find("\\b(a?){900}(a?){900}(a?){900}\\b!", "a".repeat(100_000)), null);
  assert.equal(host.find("a{999}".repeat(160), "a".repeat(100_000)), null);
  assert.ok(process.cpuUsage().user - before < 5e6, `${process.cpuUsage().user - before} µs`);
});
