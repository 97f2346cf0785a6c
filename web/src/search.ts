/**
 * Search for events in all open traces: by name or category, and by the values of their arguments.
 *
 * Names are few and in memory: the engine returns the next slice or instant and the number of matches at once.
 * Arguments must be read again from the input, in steps (src/analysis/find_values.h): their matches are added to the
 * list in the order in which they are found. Moves to the next match use both.
 */
import { isAbort, messageOf, requestJson, type Load, type Parameters } from "./transport/transport.ts";
import type { Answers, Mark, Place, SearchMatch } from "./transport/protocol.ts";
import { Latest, Store } from "./store.ts";
import { formatNumber } from "./panels/format.ts";
import { t } from "./texts.ts";

export interface Match extends SearchMatch {
  trace: number;
  /** The begin of the event, in ticks from the begin of the trace. */
  begin: bigint;
  /** The match is in an argument, not in the name. */
  inValue: boolean;
}

export interface SearchState {
  text: string;
  /** "12 matches" before the first move, then "3 of 12"; "nothing found"; empty before the first search */
  result: string;
  /** A request for the next match is in progress. */
  searching: boolean;
  /** The arguments are being searched; the completed part, 0 to 1. */
  scanning: boolean;
  share: number;
  /** The arguments may have more matches than the list. */
  isPartial: boolean;
  /** The list, in the order of traces and time: all matches in arguments, and the first ones by name. */
  matches: Match[];
  /** The number of matches found, which can exceed the list. */
  total: number;
  unread: number;
  /** The error of the engine about the text, for example about a wrong regular expression. */
  error: string | null;
}

/** Returns an example of each term that a search can have (docs/search.md). */
export function searchTerms(): string[] {
  const [word, key, text] = [t("search.word"), t("search.key"), t("search.text")];
  return [word, t("search.whole-words"), t("search.regular-expression"), `${key}=${text}`, `${key}>5`, ">5ms", `name:${word}`, `category:${word}`, `thread:${word}`];
}

/** The matches of a search so far. */
interface Found {
  /** The number of matches by name; null = not known yet. */
  count: number | null;
  names: Match[];
  values: Match[];
  labels: number[];
  /** The position at which the search in the arguments continues: null = complete, "" = at the begin. */
  next: string | null;
  share: number;
  unread: number;
}

/** The current match. */
interface At {
  trace: number;
  begin: bigint;
  place: Place | null;
  mark: Mark | null;
  /** The number of matches by name before it, and in its trace. */
  before: number;
  count: number;
  isName: boolean;
}

const EMPTY: SearchState = {
  text: "",
  result: "",
  searching: false,
  scanning: false,
  share: 0,
  isPartial: false,
  matches: [],
  total: 0,
  unread: 0,
  error: null,
};
const TYPING_MS = 150;
const SHOW_MS = 200;
/** The limit on the listed matches of each kind and trace; the search in arguments continues from there on request. */
const LISTED_MOST = 10000;

type Move = "next" | "previous";

function idOf(event: { place: Place | null; mark: Mark | null }): number {
  return event.place?.slice ?? event.mark?.instant ?? 0;
}

/** Orders by time; at the same time slices are first. */
function compare(a: Pick<Match, "begin" | "place" | "mark">, b: Pick<Match, "begin" | "place" | "mark">): number {
  if (a.begin !== b.begin) return a.begin < b.begin ? -1 : 1;
  if ((a.place === null) !== (b.place === null)) return a.place === null ? 1 : -1;
  return idOf(a) - idOf(b);
}

/** Returns all matches of a trace in order of time. */
function listOf({ names, values }: Found): Match[] {
  return [...names, ...values].sort(compare);
}

function matchOf(trace: number, match: SearchMatch, inValue: boolean): Match {
  const place = match.place && { ...match.place, trace };
  const mark = match.mark && { ...match.mark, trace };
  return { ...match, place, mark, trace, begin: BigInt(place?.begin ?? mark?.begin ?? 0), inValue };
}

export class Search {
  readonly state = new Store<SearchState>(EMPTY);
  /** True if the arguments are searched, too. */
  inValues = true;
  private latest = new Latest();
  /** Moves that were requested and not yet made. */
  private moves: Move[] = [];
  private scan = new Latest();
  private at: At | null = null;
  /** A move waits for the first match in an argument. */
  private isAwaited = false;
  private found: Found[] = [];
  private typing: number | null = null;
  private showing: number | null = null;
  /** The number of the search since the start of the page. */
  private number = 0;

  constructor(
    private loads: Load[],
    private onSelect: (match: { place: Place | null; mark: Mark | null }) => void,
    /** Returns the parameters of requests that hide categories. */
    private hiding: (trace: number) => Parameters,
    /** Called after a change of the listed matches of a trace. */
    private onFound: (trace: number, matches: Match[], labels: number[]) => void,
    /** Called when matches by name are known to exist, with the number of the search; 0: none. */
    private onNumber: (trace: number, search: number) => void,
  ) {}

  get isRunning(): boolean {
    return this.typing !== null || this.latest.isRunning || this.scan.isRunning;
  }

  /** Returns the text of the search with a number; null = it has ended. */
  textOf(search: number): string | null {
    return search === this.number && this.found.length > 0 ? this.state.value.text : null;
  }

  type(text: string): void {
    const wasEmpty = this.state.value.text === "";
    this.forget();
    this.state.set({ ...EMPTY, text });
    if (!wasEmpty) this.clearFound();
    this.typing = text === "" ? null : window.setTimeout(() => this.begin(), TYPING_MS);
  }

  /** Sets the start of the next move: a slice that was selected outside the search. */
  startFrom(place: Place): void {
    if (this.at === null || (this.at.trace === place.trace && this.at.place?.slice === place.slice)) return;
    this.at = { ...this.at, trace: place.trace, begin: BigInt(place.begin), place, mark: null };
  }

  reset(): void {
    this.forget();
    this.state.set(EMPTY);
  }

  /** Searches for the same text again, after a change of the hidden categories or of `inValues`. */
  again(): void {
    if (this.state.value.text !== "") this.type(this.state.value.text);
  }

  /** Stops the search in the arguments. */
  stop(): void {
    this.scan.abort();
    this.show();
  }

  move(move: Move): void {
    const { text } = this.state.value;
    if (this.typing !== null) this.begin();
    if (text === "" || this.loads.length === 0) return;
    this.moves.push(move); // each key press counts, even during a move
    if (this.latest.isRunning) return;
    this.state.update((s) => ({ ...s, searching: true }));
    void this.latest.run(async (signal) => {
      let problem: string | null = null;
      for (let next = this.moves.shift(); next !== undefined && problem === null; next = this.moves.shift()) {
        problem = await this.find(text, next, signal).catch((error: unknown) => (isAbort(error) ? null : messageOf(error)));
        if (signal.aborted) return;
      }
      this.state.update((s) => ({ ...s, searching: false }));
      this.show();
      if (problem !== null) this.fail(problem);
    });
  }

  /** Goes to a match of the list. */
  select(match: Match): void {
    const names = this.found[match.trace]?.names ?? [];
    const count = Math.max(names.length, this.at?.trace === match.trace ? this.at.count : 0);
    const before = names.filter((other) => compare(other, match) < 0).length;
    this.arrive({ ...match, before, count, isName: !match.inValue });
  }

  /** Continues the search in the arguments after its limit. */
  lookFurther(): void {
    const { text } = this.state.value;
    const most = this.found.map((found) => found.values.length + LISTED_MOST);
    void this.scan.run((signal) => this.scanValues(text, most, signal)).then(() => this.show());
    this.show();
  }

  private forget(): void {
    this.latest.abort();
    this.scan.abort();
    if (this.typing !== null) clearTimeout(this.typing);
    if (this.showing !== null) clearTimeout(this.showing);
    this.typing = this.showing = null;
    this.at = null;
    this.isAwaited = false;
    this.moves = [];
    this.found = [];
  }

  private clearFound(): void {
    this.loads.forEach((_, trace) => {
      this.onFound(trace, [], []);
      this.onNumber(trace, 0);
    });
  }

  /** Begins to list the matches. The view moves only on request. */
  private begin(): void {
    if (this.typing !== null) clearTimeout(this.typing);
    this.typing = null;
    const { text } = this.state.value;
    this.number++;
    this.found = this.loads.map(() => ({ count: null, names: [], values: [], labels: [], next: "", share: 0, unread: 0 }));
    this.state.update((s) => ({ ...s, result: "…" }));
    const looking = this.scan.run(async (signal) => {
      await this.listNames(text, signal);
      if (this.inValues && !signal.aborted) await this.scanValues(text, this.found.map(() => LISTED_MOST), signal);
    });
    void looking.then(() => this.show());
  }

  // ---- lists ----

  /** The traces that were open when the search began; more may be added during it. */
  private lists(): { trace: number; load: Load; found: Found }[] {
    return this.found.flatMap((found, trace) => {
      const load = this.loads[trace];
      return load === undefined ? [] : [{ trace, load, found }];
    });
  }

  private async listNames(text: string, signal: AbortSignal): Promise<void> {
    for (const { trace, load, found } of this.lists()) {
      const first = await this.ask(load, trace, "find", { text, move: "next" }, signal);
      if (first === null) return;
      found.count = first.count;
      for (let behind: string | null = ""; behind !== null && found.names.length < LISTED_MOST; ) {
        const from: Parameters = behind === "" ? {} : { behind };
        const answer = await this.ask(load, trace, "search", { text, in: "names", ...from }, signal);
        if (answer === null) return;
        found.labels = answer.labels;
        found.names.push(...answer.matches.map((match) => matchOf(trace, match, false)));
        behind = answer.next;
        this.showSoon();
      }
      found.names.sort(compare);
    }
  }

  /** `most`: the limit on the listed matches of each trace. */
  private async scanValues(text: string, most: number[], signal: AbortSignal): Promise<void> {
    for (const { trace, load, found } of this.lists()) {
      while (found.next !== null && found.values.length < (most[trace] ?? 0)) {
        const from: Parameters = found.next === "" ? {} : { behind: found.next };
        const answer = await this.ask(load, trace, "search", { text, in: "values", ...from }, signal);
        if (answer === null) return;
        found.values.push(...answer.matches.map((match) => matchOf(trace, match, true)));
        found.values.sort(compare);
        found.next = answer.next;
        found.share = answer.share;
        found.unread += answer.unread;
        this.showSoon();
        const first = found.values[0];
        if (first !== undefined && this.isAwaited && !this.latest.isRunning) this.select(first);
      }
    }
  }

  /** Returns null if the search was aborted or failed; a failure is shown as the result. */
  private async ask<V extends "find" | "search">(load: Load, trace: number, verb: V, what: Parameters, signal: AbortSignal): Promise<Answers[V] | null> {
    try {
      const answer = await requestJson(load, verb, { ...what, ...this.hiding(trace) }, signal);
      return signal.aborted ? null : answer;
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) this.fail(messageOf(error));
      return null;
    }
  }

  /** Ends the search with an error about its text or the trace. */
  private fail(error: string): void {
    this.scan.abort();
    this.found = [];
    this.state.update((s) => ({ ...s, searching: false, scanning: false, result: "", matches: [], error }));
    this.clearFound();
  }

  private showSoon(): void {
    this.showing ??= window.setTimeout(() => this.show(), SHOW_MS);
  }

  private show(): void {
    if (this.showing !== null) clearTimeout(this.showing);
    this.showing = null;
    if (this.found.length === 0) return;
    const scanning = this.scan.isRunning;
    this.state.update((s) => ({
      ...s,
      matches: this.found.flatMap(listOf),
      total: this.total(),
      scanning,
      share: this.found.reduce((sum, found) => sum + (found.next === null ? 1 : found.share), 0) / Math.max(1, this.found.length),
      isPartial: this.inValues && this.found.some((found) => found.next !== null),
      unread: this.found.reduce((sum, found) => sum + found.unread, 0),
      result: s.text === "" || s.searching ? s.result : this.result(),
    }));
    this.publishFound();
  }

  /** Passes the listed matches of all traces on. */
  publishFound(): void {
    this.found.forEach((found, trace) => {
      this.onFound(trace, listOf(found), found.labels);
      this.onNumber(trace, (found.count ?? 0) > 0 ? this.number : 0);
    });
  }

  private total(): number {
    return this.found.reduce((sum, found) => sum + (found.count ?? 0) + found.values.length, 0);
  }

  private result(): string {
    const at = this.at;
    const isOpen = this.inValues && this.found.some((found) => found.next !== null);
    if (at === null) {
      const total = this.total();
      if (total === 0) return this.scan.isRunning ? "…" : t("search.nothing-found");
      return t(isOpen ? "search.matches-so-far" : "count.match", { count: total });
    }
    const values = this.found[at.trace]?.values ?? [];
    const index = at.before + (at.isName ? 1 : 0) + values.filter((match) => compare(match, at) < (at.isName ? 0 : 1)).length;
    return t("search.index", { index, all: `${formatNumber(at.count + values.length)}${isOpen ? "+" : ""}` });
  }

  // ---- moving on ----

  private arrive(at: At): void {
    this.at = at;
    this.isAwaited = false;
    this.onSelect(at);
    this.show();
  }

  /** Searches the current trace, then the others, and returns to the current one. */
  private async find(text: string, move: Move, signal: AbortSignal): Promise<string | null> {
    const count = this.loads.length;
    const start = this.at?.trace ?? 0;
    let wrapped: At | null = null;
    for (let i = 0; i < count; i++) {
      const trace = (start + (move === "next" ? i : count - i)) % count;
      const from = this.at !== null && trace === this.at.trace ? this.at : null;
      const { beyond, around } = await this.findIn(trace, text, move, from, signal);
      if (signal.aborted) return null;
      if (beyond !== null) {
        this.arrive(beyond);
        return null;
      }
      if (from !== null && move === "next" && this.scan.isRunning && this.found[trace]?.next !== null) return null; // the next match may still be found
      wrapped ??= around;
    }
    if (wrapped !== null) this.arrive(wrapped);
    else this.isAwaited = this.at === null;
    return null;
  }

  /** Returns the nearest match beyond `from` (null: of all matches) in the direction of the move. */
  private async findIn(trace: number, text: string, move: Move, from: At | null, signal: AbortSignal): Promise<{ beyond: At | null; around: At | null }> {
    const where: Parameters = from?.place ? { from: from.place.slice } : from?.mark ? { instant: from.mark.instant } : {};
    const load = this.loads[trace] as Load;
    const answer = await requestJson(load, "find", { text, move, ...where, ...this.hiding(trace) }, signal);
    const isNext = move === "next";
    const place = answer.place && { ...answer.place, trace };
    const mark = answer.mark && { ...answer.mark, trace };
    const event = place ?? mark;
    const name: At | null = event && {
      trace,
      begin: BigInt(event.begin),
      place,
      mark,
      before: answer.index - 1,
      count: answer.count,
      isName: true,
    };
    // The number of matches by name before this one. `from` and this match have no match by name between them.
    const before = name === null ? 0 : !answer.wrapped ? (isNext ? name.before : name.before + 1) : isNext ? answer.count : 0;
    const values = this.found[trace]?.values ?? [];
    const ordered = isNext ? values : [...values].reverse();
    const valueAt = (match: Match | undefined, namesBefore: number): At | null =>
      match === undefined ? null : { ...match, before: namesBefore, count: answer.count, isName: false };
    const value = ordered.find((match) => from === null || (isNext ? compare(match, from) > 0 : compare(match, from) < 0));
    const nearer = (a: At | null, b: At | null): At | null => {
      if (a === null || b === null) return a ?? b;
      return compare(a, b) < 0 === isNext ? a : b;
    };
    return {
      beyond: nearer(answer.wrapped ? null : name, valueAt(value, before)),
      around: nearer(answer.wrapped ? name : null, valueAt(ordered[0], isNext ? 0 : answer.count)),
    };
  }
}
