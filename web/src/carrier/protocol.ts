/** The answers of the engine: docs/PROTOCOL.md. Integers that may pass 2^53 are decimal strings. */

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
  /** The time of day, where the trace says when it was recorded. */
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

/** A thread, or another track where one could be. */
export interface Thread extends Owner {
  track: number;
  is_thread: boolean;
}

/** An arrow as the slice at one end of it sees it: the rest is about the other end. */
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

/** A step along an arrow. */
export interface StepAnswer {
  place: Place;
  /** To be sent with the next step. */
  walk: string;
}

export interface Flows {
  count: number;
  /** The first hundred. */
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

/** The object whose life a slice or whose snapshot an instant is. */
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

/** A reference {"id_ref": ...} in the arguments, resolved at that time. */
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
  /** The noun for one of them; null: thread. */
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
  /** The innermost first; not all of a very deep one. */
  frames: StackFrame[];
}

export interface SampleCounts {
  total: number;
  self: number;
  track_total: number;
  track_self: number;
  track_count: number;
}

/** A slice around another one, or beside it. */
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
  /** Of its thread. */
  cpu: Cpu | null;
  cpu_self: Cpu | null;
  depth: number;
  lane: number;
  flags: string[];
  children: number;
  object: ObjectAnswer | null;
  refs: Reference[];
  contexts: ContextAnswer[];
  args: unknown;
  other: Record<string, unknown> | null;
  details_error: string | null;
  parents: Around[];
  /** Of a state: what its thread does when it begins, if that is shown. */
  during?: Around;
  stack: Stack | null;
  end_stack: Stack | null;
  /** What it is about that every perspective shows, each time on another lane: "G7". */
  subject: string | null;
  /** `ends` has more to say. */
  has_ends: boolean;
  /** Of a frame on a track of samples. */
  samples: SampleCounts | null;
  flows_in: Flows;
  flows_out: Flows;
}

/** What it did before, or does then, where its code stood, and where it was, or is next, with the time between. */
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
  /** Standard deviation. */
  deviation: Span;
  /** Of the self time of all rows, 0 to 1. */
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
  /** Of several ways to show the same work the one that counts. */
  perspective: string | null;
  rows: StatsRow[];
}

/** The numbers of a row in one trace: nanoseconds or ticks, and calls. */
export type CompareMeasure = "self" | "total" | "count" | "average" | "self_average" | "p50" | "p99";
export type CompareVerdict = "slower" | "faster" | "noise" | "few" | "new" | "gone";
export type CompareSide = Record<CompareMeasure, number> & { label: number; longest: number };

export interface CompareRow {
  name?: string;
  /** By path: names with ";" between them. */
  path?: string;
  verdict: CompareVerdict;
  /** p-value, and adjusted; null without a test */
  p: number | null;
  q: number | null;
  /** null: not in this trace */
  a: CompareSide | null;
  b: CompareSide | null;
  change: Record<CompareMeasure, number>;
  /** null: new, gone, or 0 before */
  percent: Record<CompareMeasure, number | null>;
}

/** The first slice of a name: its begin, in ticks from that of the trace. */
export interface FirstAnswer {
  begin: string;
}

export interface CompareAnswer {
  by: "name" | "path";
  unit: "ns" | "ticks";
  a: { slices: number; perspective?: string };
  b: { slices: number; perspective?: string };
  verdicts: Record<CompareVerdict, number>;
  rows: CompareRow[];
}

/** The slice or the instant that a key leads to; at most one of both. */
export interface NearAnswer {
  place: Place | null;
  mark: Mark | null;
}

export interface FindAnswer {
  /** Of a slice, or */
  place: Place | null;
  /** of an instant. */
  mark: Mark | null;
  name: string | null;
  count: number;
  index: number;
  wrapped: boolean;
}

export interface SearchMatch {
  /** Of a slice, or */
  place: Place | null;
  /** of an instant. */
  mark: Mark | null;
  name: string | null;
  at: string;
  /** null: an instant */
  duration: Span | null;
  /** The title of its track. */
  thread: string;
  /** The argument that matches. */
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

/** The place of a call or a frame of a capture. */
export interface CallAnswer {
  /** null, as is the place: there is no such call, or frame */
  call: number | null;
  calls: number;
  frame: number | null;
  frames: number;
  place: Place | null;
}

/** The content of a frame of a capture. */
export interface FrameFacts {
  frame: number;
  first_call: number;
  calls: number;
  incomplete: number;
  /** By the names in FramesAnswer. */
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
  /** null: events without a category */
  name: string | null;
  slices: number;
  instants: number;
  counters: number;
  /** At first. */
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
  /** null: it is long, and sent only by itself (or it is null) */
  value: unknown;
}

export interface PropertiesAnswer {
  properties: Property[];
}

/** As `varve info --json`. */
export interface InfoAnswer {
  file: { name: string; bytes: number; compression: string };
  format: { name: string; version: string };
  complete: boolean;
  time: {
    clock: "ns" | "ticks" | "calls";
    ns_per_tick: [number, number];
    /** When the trace begins, where it says so. */
    begin_utc?: string;
  };
  counts: Record<string, number>;
  /** The noun for one of the threads, unless they are threads: processor, goroutine. */
  threads_by_noun?: Record<string, number>;
  source_events: Record<string, number>;
  warnings: Warning[];
}

/** How a trace that grows is being received. */
export interface LiveAnswer {
  generation: number;
  /** Ids of slices hold for one. */
  shape: number;
  /** The shape that numbered tracks and rows. */
  tracks: number;
  state: "receiving" | "paused" | "ended";
  bytes: number;
  events: number;
  lost: number;
  skipped: number;
  dropped: number;
  /** Events of flows that have no arrows yet: they will once nothing more comes for a while. */
  unshown: number;
}

export interface ChangesAnswer {
  trace: number;
  traces: number;
  /** Everything that ends before it is unchanged; null: nothing changed. */
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
  copy_of: number | null;
  live: LiveAnswer | null;
}

export interface LookAnswer {
  trace: number;
}

export interface StatusAnswer {
  version: string;
  /** Where more traces may come from. */
  listens: string | null;
  traces: StatusTrace[];
}

/** Row, index of the name, begin, share, count, total, self, CPU time, marks, key; of `flame-change` also colour and text of the change. */
export type FlameFrameTuple = [number, number, number, number, number, string, string, string, number, string, number?, string?];

export const FLAME_MATCH = 1;
export const FLAME_SELECTED = 4;

export interface FlameAnswer {
  /** Of total and self: "ns", or "call" or "event" where there is no time. */
  unit: string;
  counted: "call" | "wait";
  perspective: string | null;
  left_out_tracks: number;
  has_cpu: boolean;
  all: { count: number; total: string; self: string };
  /** Of the front frame in the whole. */
  share: number;
  path: { key: string; name: string | null }[];
  rows: number;
  first_row: number;
  next_row: number;
  found: { share: number; frames: number } | null;
  selected: string | null;
  names: { name: string | null; label: number }[];
  frames: FlameFrameTuple[];
}

/** The slices that a frame adds up: all, or the first of very many. */
export interface FrameSlices {
  count: number;
  slices: Place[];
}

/** A column of a table of SQL. */
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
  /** Named parameters of the table as a function. */
  parameters: string[];
}

export interface SqlSchema {
  /** Why there is no SQL here, and how to get it. */
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
  /** Of the text, from 1. */
  line: number | null;
  columns: { name: string; kind: SqlKind }[];
  rows: (string | null)[][];
  /** There are further rows. */
  more: boolean;
  traces: { trace: number; name: string; shape: number }[];
}
