import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { Load, Parameters } from "../src/transport/transport.ts";
import type { Place } from "../src/transport/protocol.ts";
import { Search, type Match } from "../src/search.ts";
import { FakeTimers, settle } from "./fake_timers.ts";

let timers: FakeTimers;
const TYPING_MS = 150;
const SHOW_MS = 200;

interface Event {
  begin: number;
  name: string;
  /** The text of its argument. */
  value?: string;
}

function placeOf(events: Event[], slice: number): Place {
  return { trace: 0, track: 1, row: 0, slice, begin: String(events[slice]?.begin), extent: "1", label: 1 };
}

/** A fake engine for searches, over slices in the order of time. */
class FakeEngine {
  requests: string[] = [];
  problem: string | null = null;
  /** The limit on the matches in one answer of `search`. */
  perAnswer = 2;

  constructor(private events: Event[]) {}

  get load(): Load {
    return { request: (verb: string, parameters: Parameters) => this.answer(verb, parameters) } as unknown as Load;
  }

  private async answer(verb: string, parameters: Parameters): Promise<ArrayBuffer> {
    this.requests.push(verb);
    await Promise.resolve();
    if (this.problem !== null) throw new Error(this.problem);
    const answer = verb === "find" ? this.find(parameters) : this.search(parameters);
    return new TextEncoder().encode(JSON.stringify(answer)).buffer;
  }

  private find({ text, move, from }: Parameters) {
    const slices = this.events.flatMap((event, i) => (event.name.includes(String(text)) ? [i] : []));
    const none = { place: null, mark: null, name: null, count: 0, index: 0, wrapped: false };
    if (slices.length === 0) return none;
    const at = from === undefined ? -1 : Number(from);
    const beyond = move === "next" ? slices.find((i) => i > at) : [...slices].reverse().find((i) => from === undefined || i < at);
    const found = beyond ?? (move === "next" ? slices[0] : slices.at(-1)) ?? 0;
    return {
      ...none,
      place: placeOf(this.events, found),
      name: this.events[found]?.name,
      count: slices.length,
      index: slices.indexOf(found) + 1,
      wrapped: beyond === undefined,
    };
  }

  private search({ text, in: where, behind }: Parameters) {
    const isMatch = (event: Event) => (where === "names" ? event.name : (event.value ?? "")).includes(String(text));
    const slices = this.events.flatMap((event, i) => (isMatch(event) ? [i] : []));
    const first = behind === undefined ? 0 : Number(behind);
    const shown = slices.slice(first, first + this.perAnswer);
    const end = first + shown.length;
    return {
      matches: shown.map((i) => ({ place: placeOf(this.events, i), mark: null, name: this.events[i]?.name, at: "", duration: null, thread: "", key: null, value: null })),
      labels: [],
      next: end < slices.length ? String(end) : null,
      share: slices.length === 0 ? 1 : end / slices.length,
      unread: 0,
    };
  }
}

const EVENTS: Event[] = [
  { begin: 10, name: "read file" },
  { begin: 20, name: "parse", value: "file a" },
  { begin: 30, name: "read file" },
  { begin: 40, name: "draw" },
  { begin: 50, name: "close file" },
];

interface Desk {
  search: Search;
  selected: (number | undefined)[];
  listed: Match[][];
  /** By trace: the number of the search whose matches by name are marked; 0: none. */
  numbers: number[];
}

function deskOf(engines: FakeEngine[]): Desk {
  const selected: (number | undefined)[] = [];
  const listed: Match[][] = [];
  const numbers: number[] = [];
  const search = new Search(
    engines.map((engine) => engine.load),
    ({ place }) => selected.push(place === null ? undefined : place.trace * 100 + place.slice),
    () => ({}),
    (trace, matches) => (listed[trace] = matches),
    (trace, search) => (numbers[trace] = search),
  );
  return { search, selected, listed, numbers };
}

async function type({ search }: Desk, text: string): Promise<void> {
  search.type(text);
  timers.pass(TYPING_MS);
  await settle();
  timers.pass(SHOW_MS);
  await settle();
}

async function move({ search }: Desk, ...moves: ("next" | "previous")[]): Promise<string> {
  for (const each of moves) search.move(each);
  await settle();
  return search.state.value.result;
}

beforeEach(() => (timers = new FakeTimers()));
afterEach(() => timers.restore());

test("nothing is asked before the typing pauses", async () => {
  const engine = new FakeEngine(EVENTS);
  const { search } = deskOf([engine]);
  for (const text of ["f", "fi", "fil", "file"]) {
    search.type(text);
    timers.pass(TYPING_MS - 1);
  }
  await settle();
  assert.equal(engine.requests.length, 0);
  timers.pass(1);
  await settle();
  assert.ok(engine.requests.includes("find"));
});

test("names and arguments are listed in order of time", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  await type(desk, "file");
  const { matches, isPartial, scanning } = desk.search.state.value;
  assert.deepEqual(matches.map(({ place, inValue }) => [place?.slice, inValue]), [[0, false], [1, true], [2, false], [4, false]]);
  assert.deepEqual([isPartial, scanning], [false, false]);
  assert.deepEqual(desk.listed[0], matches);
});

test("next and previous go through names and arguments, and around", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  await type(desk, "file");
  assert.equal(desk.search.state.value.result, "4 matches");
  assert.deepEqual(desk.selected, []);
  assert.equal(await move(desk, "next"), "1 of 4");
  assert.equal(await move(desk, "next"), "2 of 4");
  assert.equal(await move(desk, "next"), "3 of 4");
  assert.equal(await move(desk, "next"), "4 of 4");
  assert.equal(await move(desk, "next"), "1 of 4");
  assert.equal(await move(desk, "previous"), "4 of 4");
  assert.deepEqual(desk.selected, [0, 1, 2, 4, 0, 4]);
});

test("each key press counts, however fast they come", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  await type(desk, "file");
  assert.equal(await move(desk, "next", "next", "next"), "3 of 4");
  assert.deepEqual(desk.selected, [0, 1, 2]);
});

test("a move before the typing pauses goes to the first match, also to one in an argument", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  desk.search.type("file a");
  assert.equal(await move(desk, "next"), "1 of 1");
  assert.deepEqual(desk.selected, [1]);
});

test("a search goes on in the next trace", async () => {
  const desk = deskOf([new FakeEngine(EVENTS), new FakeEngine([{ begin: 5, name: "file" }])]);
  await type(desk, "file");
  await move(desk, "next", "next", "next", "next", "next", "next");
  assert.deepEqual(desk.selected, [0, 1, 2, 4, 100, 0]);
});

test("arguments are left out where they do not count", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  desk.search.inValues = false;
  await type(desk, "file");
  assert.deepEqual(desk.search.state.value.matches.map(({ place }) => place?.slice), [0, 2, 4]);
  assert.equal(desk.search.state.value.result, "3 matches");
});

test("the place of a match that is chosen from the list", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  await type(desk, "file");
  desk.search.select(desk.search.state.value.matches[2] as Match);
  assert.equal(desk.search.state.value.result, "3 of 4");
  assert.equal(await move(desk, "previous"), "2 of 4");
});

test("no match, and a refusal of the engine", async () => {
  const engine = new FakeEngine(EVENTS);
  const desk = deskOf([engine]);
  await type(desk, "zebra");
  assert.equal(desk.search.state.value.result, "nothing found");
  engine.problem = "the regular expression has no end";
  await type(desk, "/fi");
  assert.equal(desk.search.state.value.error, engine.problem);
  assert.deepEqual([desk.search.state.value.matches, desk.search.state.value.searching], [[], false]);
});

test("an empty text ends the search and its marks", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  await type(desk, "file");
  desk.search.type("");
  assert.deepEqual([desk.search.state.value.text, desk.search.state.value.matches, desk.listed[0]], ["", [], []]);
  assert.ok(!desk.search.isRunning);
});

test("matches by name are marked until the search ends or has none", async () => {
  const desk = deskOf([new FakeEngine(EVENTS)]);
  await type(desk, "file");
  const first = desk.numbers[0] ?? 0;
  assert.ok(first > 0);
  assert.equal(desk.search.textOf(first), "file");
  await type(desk, "read");
  assert.ok((desk.numbers[0] ?? 0) > first);
  assert.deepEqual([desk.search.textOf(first), desk.search.textOf(desk.numbers[0] ?? 0)], [null, "read"]);
  await type(desk, "zebra");
  assert.equal(desk.numbers[0], 0);
});
