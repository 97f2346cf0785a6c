/** The answers of view.wasm in JSON. test/web/answers_test.mjs compares real answers with these types. */
/** The state of the page in a view file; "" = none. */
export interface PageState {
  panel: string;
  search: string;
  query: string;
  /** The name of the selected slice. */
  slice: string;
}

/** The result of loading a view file: ViewLoaded of src/view/view.h. */
export interface LoadedView extends Omit<PageState, "slice"> {
  /** False: the file has marks only. */
  has_state: boolean;
  other_traces: number;
  unknown_traces: number;
  missing_rows: number;
  unknown_members: number;
  first_unknown: string;
  name: string;
  selection: { is_instant: boolean; is_sample: boolean; trace: number; track: number; row: number; begin: string; name: string } | null;
}

export interface TwinRow {
  /** "t0.k3.r2": trace, track, row; "t0", "t0.p1": a trace, a process */
  id: string;
  level: number;
  /** Only on groups. */
  expanded?: boolean;
  title: string;
  focused: boolean;
  /** Only on rows of instants in a header or in the ruler. */
  wide?: boolean;
  /** Slices, and instants, which have no duration. offset: ticks from the begin of the trace. */
  cells: { slice?: string; instant?: string; name: string; begin: string; duration?: string; offset: string }[];
}

/** A row that is hidden, pinned or isolated. */
export interface MarkedRow {
  trace: number;
  is_process: boolean;
  /** The index of the process or track in the outline. */
  index: number;
  title: string;
}

export interface RowMark {
  mark: "isolated" | "hidden" | "pinned";
  count: number;
  /** The first three rows. */
  rows: MarkedRow[];
}

/** The filtered, hidden, pinned and isolated rows. */
export interface ShownRows {
  filter: string;
  /** The number of tracks that pass the filter. */
  tracks: number;
  /** The number of their rows and of the headers of groups. */
  rows: number;
  /** True if a trace has an event to draw. */
  has_events: boolean;
  sort: "default" | "name" | "first" | "busiest";
  groups: "process" | "name" | "flat";
  /** The width of the column with the names in CSS pixels, 0 = it is closed. */
  column: number;
  /** The number of moves of rows. */
  moved: number;
  marks: RowMark[];
}

/** The row of the timeline whose title has buttons or a menu. */
export interface RowHead {
  kind: "trace" | "process" | "track" | "group";
  title: string;
  closed: boolean;
  /** Of a group: all its tracks are pinned. */
  pinned: boolean;
  /** True if a row is isolated. */
  isolates: boolean;
  /** The height of its rows; "": that of all rows. */
  height: "" | "compact" | "normal" | "roomy";
  /** limited: only the first rows of its tracks are shown; few: they have no more. */
  limit: "few" | "all" | "limited";
  /** none: not a counter; joined: in one chart with others. */
  chart: "none" | "single" | "joined";
  /** A chart with the scale of others. */
  same_scale: boolean;
  /** The point of the menu, in CSS pixels of the timeline. */
  menu_x: number;
  menu_y: number;
  /** The place of the title; undefined if it is not visible. */
  place?: { x: number; y: number; width: number; height: number };
}

/** A row of the jump list. */
export interface FoundRow {
  kind: "trace" | "process" | "track";
  trace: number;
  /** The index of the process or track in the outline. */
  index: number;
  title: string;
  /** The title of its process, "" without one. */
  group: string;
  /** "thread", "counter", ... */
  noun: string;
}

/** The result of a search of rows: the number of matches, and the best 100. */
export interface FoundRows {
  count: number;
  rows: FoundRow[];
}

/** A mark (a moment: begin and end are equal) or a note on a range of a trace. */
export interface Note {
  id: number;
  trace: number;
  /** Ticks from the begin of the trace. */
  begin: string;
  end: string;
  text: string;
  /** The index of its colour. */
  colour: number;
}

export interface Notes {
  /** The id of the selected one, 0 = none. */
  selected: number;
  colours: { name: string; fill: string }[];
  notes: Note[];
}
