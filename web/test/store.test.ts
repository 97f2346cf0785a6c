import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Latest, Paced, Store } from "../src/store.ts";
import { FakeTimers, settle } from "./fake_timers.ts";

let timers: FakeTimers;
beforeEach(() => (timers = new FakeTimers()));
afterEach(() => timers.restore());

test("a store calls its readers when its value changes, and only then", () => {
  const store = new Store(1);
  const seen: number[] = [];
  const stop = store.subscribe((value) => seen.push(value));
  store.set(1);
  store.set(2);
  store.update((value) => value + 1);
  stop();
  store.set(4);
  assert.deepEqual(seen, [2, 3]);
  assert.equal(store.value, 4);
});

test("a reader may end its subscription while it is called", () => {
  const store = new Store(0);
  const seen: string[] = [];
  const stop = store.subscribe(() => {
    seen.push("first");
    stop();
  });
  store.subscribe(() => seen.push("second"));
  store.set(1);
  store.set(2);
  assert.deepEqual(seen, ["first", "second", "second"]);
});

test("a newer job aborts the running one", async () => {
  const latest = new Latest();
  let first: AbortSignal | null = null;
  const never = latest.run((signal) => {
    first = signal;
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  });
  assert.ok(latest.isRunning);
  const second = latest.run(() => Promise.resolve());
  await Promise.all([never, second]);
  assert.equal((first as AbortSignal | null)?.aborted, true);
  assert.ok(!latest.isRunning);
});

test("the end of an aborted job does not end the newer one", async () => {
  const latest = new Latest();
  let endFirst = () => {};
  let endSecond = () => {};
  const first = latest.run(() => new Promise((resolve) => (endFirst = resolve)));
  const second = latest.run(() => new Promise((resolve) => (endSecond = resolve)));
  endFirst();
  await first;
  assert.ok(latest.isRunning);
  endSecond();
  await second;
  assert.ok(!latest.isRunning);
});

test("a job that fails is over", async () => {
  const latest = new Latest();
  await assert.rejects(latest.run(() => Promise.reject(new Error("no"))), /no/);
  assert.ok(!latest.isRunning);
});

test("a paced job runs once for many requests, and again for one during a run", async () => {
  let runs = 0;
  let end = () => {};
  const paced = new Paced(50, () => {
    runs++;
    return new Promise((resolve) => (end = resolve));
  });
  paced.ask();
  paced.ask();
  timers.pass(50);
  assert.equal(runs, 1);
  paced.ask();
  paced.ask();
  end();
  await settle();
  timers.pass(60);
  assert.equal(runs, 2);
  end();
  await settle();
  timers.pass(200);
  assert.equal(runs, 2);
});

test("a reset ends the wait of a paced job", () => {
  let runs = 0;
  const paced = new Paced(50, () => Promise.resolve(void runs++));
  paced.ask();
  paced.reset();
  timers.pass(100);
  assert.equal(runs, 0);
});
