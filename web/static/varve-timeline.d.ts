/** The module varve-timeline.js: a timeline of traces as an element of a page. docs/embedding.md is its manual. */

/** An address relative to the page, or the content of a file, compressed or not. */
export type TraceSource = string | URL | Blob | ArrayBuffer | ArrayBufferView;

export interface LoadOptions {
  /** The name of the file; default: of the address or the File, otherwise "trace". */
  name?: string;
  /** True: the trace is added to the open ones, on one time axis. Otherwise it replaces them. */
  add?: boolean;
}

/** An open trace. */
export interface LoadedTrace {
  /** Its number on the timeline, from 0. */
  trace: number;
  name: string;
  /** As in `varve info`: "trace-event", "spall", ... */
  format: string;
  /** False: the file is damaged or cut short, and is shown as far as it could be read. */
  complete: boolean;
  /** The reason if the file could be decompressed only in part. */
  note: string | null;
  /** "ns": times are in time units; "ticks", "calls": the trace has an order only. */
  clock: "ns" | "ticks" | "calls";
  /** The nanoseconds of a tick as a fraction. */
  ns_per_tick: [number, number];
  /** The length of the trace in ticks. */
  ticks: bigint;
  slices: number;
}

/** The selected slice or instant. */
export interface SelectedEvent {
  kind: "slice" | "instant";
  trace: number;
  /** The id, as in SQL. */
  id: number;
  name: string | null;
  category: string | null;
  process: string | null;
  thread: string | null;
  /** Ticks from the begin of the trace. */
  begin: bigint;
  /** In ticks; null for an instant. */
  duration: bigint | null;
  /** Begin and duration as the timeline shows them: "12.5 ms". */
  begin_text: string;
  duration_text: string | null;
  /** The arguments as JSON with all digits, "" = none. */
  args: string;
}

/** The visible range of the first trace. */
export interface VisibleRange {
  /** Ticks from the begin of the trace. They can be outside of it. */
  begin: bigint;
  end: bigint;
  /** The same as a value of the attribute `range`; times before the trace begin at 0. */
  text: string;
}

/**
 * The event to select: the first one whose name has this text (as docs/search.md, without regular expressions), or the slice
 * with an id; null = none.
 */
export type EventChoice = string | { name: string; trace?: number } | { id: number; trace?: number } | null;

export interface VarveTimelineEventMap {
  /** A trace is open. */
  loaded: CustomEvent<LoadedTrace>;
  /** The selection has changed; null: nothing is selected. */
  select: CustomEvent<SelectedEvent | null>;
  /** The visible range has changed. At most one for each frame of the browser. */
  rangechange: CustomEvent<VisibleRange>;
  /** A trace could not be opened, or a range or a view not be applied. */
  error: CustomEvent<{ message: string }>;
}

export interface VarveTimeline extends HTMLElement {
  /** The attribute `src`: the address of a trace, relative to the page. */
  src: string;
  /** The attribute `range`: the range of the first trace to show, "BEGIN..END" as "1.2s..1.5s". */
  range: string;
  /** The attribute `theme`: "dark", "light", or "" = that of the system. */
  theme: string;
  /** The view as the text of a view file (docs/view-files.md); null = no trace is open. A text that is set before a trace is open waits for it. */
  get view(): string | null;
  set view(text: string);
  /** The visible range; null = no trace is open. */
  readonly visible: VisibleRange | null;
  /** The open traces. */
  readonly traces: LoadedTrace[];
  /** Opens a trace. Rejects with the reason, or with an AbortError if another load or dispose() came before its end. */
  load(source: TraceSource, options?: LoadOptions): Promise<LoadedTrace>;
  /** Selects an event and brings it into view. Rejects if the trace does not have it. */
  select(choice: EventChoice): Promise<void>;
  /** Closes all traces and returns workers and memory. The element can load again. */
  dispose(): void;

  addEventListener<K extends keyof VarveTimelineEventMap>(
    type: K,
    listener: (this: VarveTimeline, event: VarveTimelineEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<K extends keyof VarveTimelineEventMap>(
    type: K,
    listener: (this: VarveTimeline, event: VarveTimelineEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "varve-timeline": VarveTimeline;
  }
}
