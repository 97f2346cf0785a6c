/**
 * The answers of the engine: docs/PROTOCOL.md. Integers that can exceed 2^53 are decimal strings.
 *
 * These types are the schema: test/web/answers_test.mjs compares real answers with them, and docs/PROTOCOL.md.
 */
import type { ExactNumber } from "./exact_json.ts";
import type { GoAnswer } from "./go_protocol.ts";

/** The answer of each request that is answered in JSON. */
export interface Answers {
  area: AreaAnswer;
  arguments: ArgumentsAnswer;
  axis: AxisAnswer;
  begin: CopyAnswer;
  call: CallAnswer;
  cancel: CancelAnswer;
  categories: CategoriesAnswer;
  changes: ChangesAnswer;
  compare: CompareAnswer;
  counterpart: Place | null;
  ends: EndsAnswer;
  "event-at": EventAtAnswer;
  find: FindAnswer;
  first: FirstAnswer | null;
  /** With `to=slices` FrameSlices. */
  flame: FlameAnswer | FrameSlices;
  "flame-change": FlameAnswer;
  flow: FlowAnswer;
  frames: FramesAnswer;
  go: GoAnswer;
  histogram: HistogramAnswer;
  identity: IdentityAnswer;
  info: InfoAnswer;
  instant: InstantAnswer;
  /** Null: the counter has no such sample. */
  sample: SampleAnswer | null;
  look: CopyAnswer;
  whole: CopyAnswer;
  /** For a step along an arrow StepAnswer or null. */
  near: NearAnswer | StepAnswer | null;
  places: Place[];
  process: OwnerAnswer;
  properties: PropertiesAnswer;
  property: unknown;
  search: SearchAnswer;
  slice: SliceAnswer;
  sql: SqlRun;
  "sql-cancel": CancelAnswer;
  "sql-result": SqlResult;
  "sql-schema": SqlSchema;
  stats: StatsAnswer;
  status: StatusAnswer;
  thread: OwnerAnswer;
}

export interface Place {
  trace: number;
  track: number;
  row: number;
  slice: number;
  begin: string;
  extent: string;
  label: number;
}

export interface Time {
  tick: string;
  offset: string;
  ns: string;
  text: string;
  /** The time of day; null if the trace has no wall-clock time. */
  utc: string | null;
}

export interface Span {
  ticks: string;
  ns: string;
  text: string;
}

export interface Cpu {
  ns: string;
  text: string;
}

export interface Owner {
  id: string | null;
  name: string | null;
  title: string;
}

/** A thread, or the track of another kind in its place. */
export interface Thread extends Owner {
  track: number;
  is_thread: boolean;
}

/** An arrow of a slice; the fields describe its other end. */
export interface FlowEnd {
  name: string | null;
  category: string | null;
  place: Place | null;
  slice_name: string | null;
  thread: Thread;
  process: Owner | null;
  from: Time;
  to: Time;
  duration: Span;
  backwards: boolean;
}

/** The two ends of an arrow. */
export interface FlowAnswer {
  from: FlowEnd;
  to: FlowEnd;
}

/** A step of a walk along arrows. */
export interface StepAnswer {
  place: Place;
  /** To send with the next step. */
  walk: string;
}

export interface Flows {
  count: number;
  /** The first hundred arrows. */
  flows: FlowEnd[];
}

/** The place of an instant. */
export interface Mark {
  trace: number;
  instant: number;
  track: number;
  row: number;
  begin: string;
}

/** The object of an object slice or of a snapshot. */
export interface ObjectAnswer {
  id: string | null;
  scope: string | null;
  type: string | null;
  base_type: string | null;
  created: boolean;
  life: number;
  lives: number;
  place: Place;
  snapshot: number;
  snapshots: number;
  first: Mark | null;
  previous: Mark | null;
  next: Mark | null;
  last: Mark | null;
}

/** A reference {"id_ref": ...} in the arguments, with the object that had this id at that time. */
export interface Reference {
  id: string | null;
  scope: string | null;
  pid: string | null;
  snapshot: Mark | null;
}

export interface ContextAnswer {
  name: string | null;
  category: string | null;
  id: string | null;
  begin: Time;
  snapshot: Mark | null;
}

export interface OwnerAnswer {
  process: Owner | null;
  thread: Thread | null;
  labels: string | null;
  sort_index: number;
  threads: number;
  /** The singular of the kind of thread, for example "goroutine"; null = thread. */
  thread_noun: string | null;
  slices: number;
  instants: number;
  metadata: {
    name: string | null;
    thread: Thread;
    args: unknown;
    other: Record<string, unknown> | null;
    details_error: string | null;
  }[];
  metadata_count: number;
}

export interface StackFrame {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  module: string | null;
  address: string | null;
}

export interface Stack {
  depth: number;
  /** The frames, innermost first; a very deep stack is cut. */
  frames: StackFrame[];
}

export interface SampleCounts {
  total: number;
  self: number;
  track_total: number;
  track_self: number;
  track_count: number;
}

/** A slice that contains another one or is next to it. */
export interface Around {
  place: Place;
  name: string | null;
  duration: Span;
}

export interface SliceAnswer {
  place: Place;
  name: string | null;
  category: string | null;
  process: Owner | null;
  thread: Thread;
  begin: Time;
  end: Time;
  duration: Span;
  self: Span;
  /** The CPU time of its thread. */
  cpu: Cpu | null;
  cpu_self: Cpu | null;
  depth: number;
  lane: number;
  flags: ("unfinished" | "no-end" | "repaired")[];
  children: number;
  object: ObjectAnswer | null;
  refs: Reference[];
  contexts: ContextAnswer[];
  args: unknown;
  other: Record<string, unknown> | null;
  details_error: string | null;
  parents: Around[];
  /** Of a state slice: the slice of its thread at its begin, if there is one. */
  during?: Around;
  stack: Stack | null;
  end_stack: Stack | null;
  /** The id that connects the slices of one goroutine, processor or thread in all perspectives, for example "G7". */
  cross_view_id: string | null;
  /** True if the request `ends` has facts about this slice. */
  has_ends: boolean;
  /** Of a frame on a track of samples: its sample counts. */
  samples: SampleCounts | null;
  /** Of a state: the arrows to the state that follows, which ended this one. Absent: none. */
  ended_by?: Flows;
  flows_in: Flows;
  flows_out: Flows;
}

/**
 * The begin or the end of a slice: its cause, its call stack, and the slice of the same goroutine before or after it,
 * with the time between.
 */
export interface SliceEnd {
  why: string | null;
  stack: Stack | null;
  beside: { place: Place; thread: Thread; gap: Span } | null;
}

export interface EndsAnswer {
  begin: SliceEnd;
  end: SliceEnd;
}

export interface InstantAnswer {
  trace: number;
  instant: number;
  name: string | null;
  category: string | null;
  scope: "thread" | "process" | "global";
  process: Owner | null;
  thread: Thread | null;
  track: number;
  row: number;
  time: Time;
  label: number;
  object: ObjectAnswer | null;
  refs: Reference[];
  dump: { id: string | null; parts: { process: Owner | null; mark: Mark }[] } | null;
  args: unknown;
  other: Record<string, unknown> | null;
  details_error: string | null;
  stack: Stack | null;
}

/** A time at which a counter gets values, and its series then. A value, the one before it or their difference is null if it is unknown. */
export interface SampleAnswer {
  track: number;
  begin: string;
  /** Until the next sample, or the end of the trace. */
  extent: string;
  name: string;
  process: Owner | null;
  time: Time;
  holds: Span;
  series: { name: string | null; value: CounterValue | null; before: CounterValue | null; change: CounterValue | null }[];
}

/** The identity of the trace's content; null = not known. */
export interface IdentityAnswer {
  identity: string | null;
}

export interface StatsRow {
  name: string | null;
  label: number;
  count: number;
  total: Span;
  self: Span;
  average: Span;
  min: Span;
  p50: Span;
  p90: Span;
  p99: Span;
  max: Span;
  /** The standard deviation. */
  deviation: Span;
  /** The part of the self time of all rows, 0 to 1. */
  share: number;
  cpu: Cpu | null;
  longest: Place;
}

export interface StatsAnswer {
  begin: string;
  end: string;
  slices: number;
  names: number;
  total: Span;
  left_out_tracks: number;
  /** The perspective whose slices count, if the trace has several. */
  perspective: string | null;
  rows: StatsRow[];
}

/** The measures of a row in one trace: nanoseconds or ticks, and calls. */
export type CompareMeasure = "self" | "total" | "count" | "average" | "self_average" | "p50" | "p99";
export type CompareVerdict = "slower" | "faster" | "noise" | "few" | "new" | "gone";
export type CompareSide = Record<CompareMeasure, number> & { label: number; longest: number };

export interface CompareRow {
  name?: string;
  /** With rows by path: the names, separated by ";". */
  path?: string;
  verdict: CompareVerdict;
  /** The p-value and the adjusted p-value; null = not tested */
  p: number | null;
  q: number | null;
  /** null: the row is absent from this trace */
  a: CompareSide | null;
  b: CompareSide | null;
  change: Record<CompareMeasure, number>;
  /** null: the row is new, absent or was 0 */
  percent: Record<CompareMeasure, number | null>;
}

/** The begin of the first slice of a name, in ticks from the begin of the trace. */
export interface FirstAnswer {
  begin: string;
}

export interface CompareAnswer {
  by: "name" | "path";
  unit: "ns" | "ticks";
  a: { slices: number; perspective?: string };
  b: { slices: number; perspective?: string };
  verdicts: Record<CompareVerdict, number>;
  /** True if both traces have the same rows with the same numbers. */
  equal: boolean;
  rows: CompareRow[];
}

export interface AreaInstantRow {
  name: string | null;
  count: number;
  first: Mark;
}

/** The value as a number, and as a text with its unit. */
export interface CounterValue {
  value: number;
  text: string;
}

/** The values of a series that hold at some time in the area; null: unknown. */
export interface AreaCounterRow {
  process: string;
  name: string;
  series: string | null;
  track: number;
  count: number;
  min: CounterValue | null;
  max: CounterValue | null;
  /** Weighted by time. */
  average: CounterValue | null;
  last: CounterValue | null;
}

export interface AreaAnswer {
  instants: number;
  instant_names: number;
  instant_rows: AreaInstantRow[];
  counters: number;
  counter_rows: AreaCounterRow[];
}

export interface ArgumentsAnswer {
  names: string[];
}

/** Durations from `least` on, before `below`. */
export interface HistogramBin {
  least: Span;
  below: Span;
  count: number;
  total: Span;
}

export interface HistogramAnswer {
  /** The name of the slices; null for slices without a name, and for slices of all names. */
  name: string | null;
  slices: number;
  bins: HistogramBin[];
}

/** The slice or instant with a key; at most one of both. */
export interface NearAnswer {
  place: Place | null;
  mark: Mark | null;
}

/** The event at a byte of the input, or the last one before it; at most one of the first three. */
export interface EventAtAnswer {
  place: Place | null;
  mark: Mark | null;
  /** Set for an event that is neither a slice nor an instant. */
  time: { trace: number; track: number; begin: string } | null;
  exact: boolean;
}

export interface FindAnswer {
  /** Set for a slice */
  place: Place | null;
  /** Set for an instant */
  mark: Mark | null;
  name: string | null;
  count: number;
  index: number;
  wrapped: boolean;
}

export interface SearchMatch {
  /** Set for a slice */
  place: Place | null;
  /** Set for an instant */
  mark: Mark | null;
  name: string | null;
  label: number;
  at: string;
  /** null: an instant */
  duration: Span | null;
  /** The title of its track. */
  thread: string;
  /** The key of the matching argument. */
  key: string | null;
  value: string | null;
}

export interface SearchAnswer {
  matches: SearchMatch[];
  labels: number[];
  next: string | null;
  share: number;
  unread: number;
}

/** The place of a call or a frame of a graphics capture. */
export interface CallAnswer {
  /** null, like the place: the call or frame does not exist */
  call: number | null;
  calls: number;
  frame: number | null;
  frames: number;
  place: Place | null;
}

/** The statistics of a frame of a graphics capture. */
export interface FrameFacts {
  frame: number;
  first_call: number;
  calls: number;
  incomplete: number;
  /** Calls of each family; FramesAnswer has the names. */
  families: number[];
  redundant_state_calls: number;
  upload_bytes: number;
  ended: boolean;
}

export interface FramesAnswer {
  families: string[];
  frames: FrameFacts[];
  next: number | null;
  share: number;
}

export interface Category {
  id: number;
  /** null: the events without a category */
  name: string | null;
  slices: number;
  instants: number;
  counters: number;
  /** Hidden when the trace is opened. */
  hidden: boolean;
}

export interface CategoriesAnswer {
  categories: Category[];
}

export interface Warning {
  kind: string;
  count: number;
  first: { offset: number | null; event: number | null; message: string };
}

export interface Property {
  key: string;
  bytes: number;
  /** null: the value is null, or it is long and needs a request of its own */
  value: unknown;
}

export interface PropertiesAnswer {
  properties: Property[];
}

/** Ticks of the other axis of a capture, in the order of the request. */
export interface AxisAnswer {
  begins: number[];
  ends: number[];
}

/** As printed by `varve info --json`. */
export interface InfoAnswer {
  file: { name: string; bytes: number; compression: string };
  format: { name: string; version: string };
  complete: boolean;
  time: {
    clock: "ns" | "ticks" | "calls";
    ns_per_tick: [number, number];
    /** The source's tick at the begin of the trace. */
    begin_tick: number | ExactNumber;
    end_tick: number;
    begin_ns: number;
    end_ns: number;
    /** The range that was loaded, if it is not the whole trace. */
    window_ticks?: [number, number];
    epoch_unix_ns: number | null;
    /** The wall-clock time of the begin, if the trace has it. */
    begin_utc?: string;
  };
  counts: Record<string, number>;
  /** The number of threads by their noun, if it is not "thread": processor, goroutine. */
  threads_by_noun?: Record<string, number>;
  /** The loaded perspectives, if the trace has several. */
  perspective?: string;
  source_events: Record<string, number>;
  warnings: Warning[];
  /** By the keys of the file. */
  properties: Record<string, unknown>;
  clock_syncs: { tick: number; id: string | null; issue_time: string | null }[];
}

/** The state of a growing trace. */
export interface LiveAnswer {
  generation: number;
  /** The version of the slice ids. */
  shape: number;
  /** The version of the track and row numbers. */
  tracks: number;
  state: "receiving" | "paused" | "ended";
  bytes: number;
  events: number;
  lost: number;
  skipped: number;
  dropped: number;
  /** Events of flows that are not drawn as arrows until the connection of more events is known. */
  unshown: number;
}

export interface ChangesAnswer {
  trace: number;
  traces: number;
  /** Slices that end before this time have not changed; null = no slice has changed. */
  from: string | null;
  span: string;
  slices: number;
  instants: number;
  live: LiveAnswer;
}

export interface StatusTrace {
  trace: number;
  name: string;
  state: "loading" | "ready" | "failed" | "cancelled";
  phase: "reading" | "sorting" | "indexing" | "done";
  done: number;
  total: number;
  error: string | null;
  tag: string | null;
  warnings: number;
  complete: boolean;
  /** The size of a file that is read by ranges; null: other traces. */
  whole_bytes: number | null;
  copy_of: number | null;
  /** Opened by a request of the page, not given to the program. */
  by_page: boolean;
  live: LiveAnswer | null;
}

export interface CancelAnswer {
  cancelled: boolean;
}

/** Data that the format of a file cannot hold. */
export interface Loss {
  what: string;
  kind: string;
  count: number;
}

/** The number of a copy of a trace. */
export interface CopyAnswer {
  trace: number;
}

export interface StatusAnswer {
  version: string;
  /** The addresses where more traces may arrive. */
  listens: string | null;
  traces: StatusTrace[];
}

/**
 * Row, index of the name, begin, share, count, total, self, CPU time, flags, key; in `flame-change` also the colour and
 * the text of the change.
 */
export type FlameFrameTuple = [number, number, number, number, number, string, string, string, number, string, number?, string?];

export const FLAME_MATCH = 1;
export const FLAME_SELECTED = 4;

export interface FlameAnswer {
  /** The unit of total and self: "ns", or "call" or "event" if the slices have no time. */
  unit: "ns" | "call" | "event";
  counted: "call" | "wait";
  perspective: string | null;
  left_out_tracks: number;
  has_cpu: boolean;
  all: { count: number; total: string; self: string };
  /** The share of the front frame in the whole graph. */
  share: number;
  path: { key: string; name: string | null }[];
  rows: number;
  first_row: number;
  next_row: number;
  found: { share: number; frames: number } | null;
  selected: string | null;
  names: { name: string | null; label: number; colour: number }[];
  frames: FlameFrameTuple[];
}

/** The slices in the sum of a frame; of very many only the first ones. */
export interface FrameSlices {
  count: number;
  slices: Place[];
}

/** A column of an SQL table. */
export interface SqlColumn {
  name: string;
  type: string;
  unit: string;
  help: string;
}

export interface SqlTable {
  table: string;
  help: string;
  columns: SqlColumn[];
  /** Named parameters of the table function. */
  parameters: string[];
}

export interface SqlSchema {
  /** The reason why SQL is not available, with advice; null = it is available. */
  missing: string | null;
  tables: SqlTable[];
}

export interface SqlRun {
  run: number;
}

export type SqlKind = "bool" | "integer" | "real" | "number" | "text" | "json";

export interface SqlResult {
  run: number;
  state: "running" | "done" | "failed" | "cancelled";
  error: string | null;
  /** The line in the text, from 1. */
  line: number | null;
  columns: { name: string; kind: SqlKind }[];
  rows: (string | null)[][];
  /** True if more rows exist. */
  more: boolean;
  traces: { trace: number; name: string; shape: number }[];
}
