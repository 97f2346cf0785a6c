/** view.wasm: the timeline of src/view/view.h, with the functions of src/app/wasm/view_exports.c. */
import type { Mark, Place } from "../transport/protocol.ts";
import { startModule, type Memory } from "./module.ts";

export enum ViewRequestKind {
  Overview,
  Labels,
  Tile,
  Details,
  Visible,
  FlowDetails,
}

export interface ViewRequest {
  kind: ViewRequestKind;
  trace: number;
  track: number;
  band: number;
  level: number;
  index: number;
  page: number;
  slice: number;
  /** The number of a filter for `filterText`; 0 = no filter. */
  filter: number;
}

export enum PointerKind {
  Move,
  Down,
  Up,
  Leave,
  Cancel,
}

export enum KeyKind {
  Down,
  Repeat,
  Up,
}

export const MOD_SHIFT = 1;
export const MOD_CTRL = 2;
export const MOD_ALT = 4;
export const MOD_META = 8;

export enum ViewOption {
  ReducedMotion = 1,
  DragPans = 2,
  WheelZooms = 4,
  Compact = 8,
}

export enum EventKind {
  Select,
  Instant,
  Area,
  Range,
  Near,
  Command,
  Cursor,
  Process,
  Track,
  Perspective,
  Follow,
  Moved,
  Rows,
  Flow,
  Durations,
  Notes,
}

export interface ViewEvent {
  kind: EventKind;
  place: Place | null;
  /** False: several slices share the pixel; `place` has the id of the longest one and the extent of the pixel. */
  exact: boolean;
  trace: number;
  instant: number;
  flow: number;
  /** The index of the process in the outline. */
  process: number;
  /** The id of the track. */
  track: number;
  begin: string;
  end: string;
  tracks: number[];
  command: string;
}

export interface Command {
  name: string;
  title: string;
  group: string;
  keys: string;
  host: boolean;
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
  marks: RowMark[];
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

/** The use of a view file's notes: `view_load_notes` of view.h. */
export enum NotesUse {
  Stored,
  Added,
}

interface Exports {
  view_open(cacheBytes: number): number;
  view_input(page: number, size: number): number;
  view_output(page: number): number;
  view_output_size(page: number): number;
  view_resize(page: number, width: number, height: number, ratio: number): void;
  view_set_theme(page: number, theme: number): void;
  view_set_options(page: number, options: number): void;
  view_options(page: number): number;
  view_add_trace(page: number, size: number): number;
  view_update_outline(page: number, trace: number, size: number, from: bigint): number;
  view_set_growing(page: number, trace: number, grows: number): void;
  view_numbering(page: number, trace: number): number;
  view_follows(page: number): number;
  view_clear(page: number): void;
  view_put_tile(page: number, trace: number, size: number): number;
  view_put_labels(page: number, trace: number, labels: number, size: number): number;
  view_put_overview(page: number, trace: number, size: number): number;
  view_put_visible(page: number, trace: number, size: number): number;
  view_set_hidden(page: number, trace: number, size: number): number;
  view_hidden(page: number, trace: number): void;
  view_set_perspective(page: number, size: number): number;
  view_replace_trace(page: number, trace: number, size: number): number;
  view_lacks(page: number, trace: number): number;
  view_perspective(page: number): void;
  view_perspectives(page: number): void;
  view_filter_text(page: number, trace: number, filter: number): void;
  view_put_details(page: number, trace: number, slice: number, size: number): void;
  view_put_flow_details(page: number, trace: number, flow: number, size: number): void;
  view_next_request(page: number): number;
  view_request_failed(
    page: number,
    kind: number,
    trace: number,
    track: number,
    band: number,
    level: number,
    index: number,
    labels: number,
    slice: number,
    filter: number,
  ): void;
  view_is_waiting(page: number): number;
  view_pointer(
    page: number,
    kind: number,
    x: number,
    y: number,
    button: number,
    modifiers: number,
    clicks: number,
    touch: number,
    now: number,
  ): void;
  view_wheel(page: number, x: number, y: number, dx: number, dy: number, modifiers: number, now: number): void;
  view_key(page: number, kind: number, modifiers: number, now: number): number;
  view_command(page: number, now: number): number;
  view_commands_json(page: number): void;
  view_step(page: number, now: number): number;
  view_is_moving(page: number): number;
  view_draw(page: number): number;
  view_range_begin(page: number, trace: number): bigint;
  view_range_end(page: number, trace: number): bigint;
  view_set_range(page: number, trace: number, begin: bigint, end: bigint, now: number): void;
  view_find_time_of_day(page: number, trace: number, size: number): number;
  view_scroll(page: number): number;
  view_select(
    page: number,
    trace: number,
    track: number,
    row: number,
    slice: number,
    begin: bigint,
    extent: bigint,
    label: number,
    now: number,
  ): void;
  view_reselect(
    page: number,
    trace: number,
    track: number,
    row: number,
    slice: number,
    begin: bigint,
    extent: bigint,
    label: number,
  ): void;
  view_select_instant(page: number, trace: number, track: number, row: number, begin: bigint, now: number): void;
  view_select_none(page: number, now: number): void;
  view_filter_tracks(page: number): void;
  view_set_found(page: number, trace: number, count: number, labels: number): number;
  view_highlight_name(page: number, trace: number, label: number): void;
  view_highlight_also(page: number, trace: number, label: number): void;
  view_align(page: number, count: number, now: number): number;
  view_highlight_slices(page: number, trace: number, label: number, count: number): number;
  view_filter_durations(page: number, trace: number, least: bigint, most: bigint): void;
  view_filter_no_durations(page: number): void;
  view_name_colour(page: number, theme: number, size: number): number;
  view_fit_name(page: number, widthEm: number, size: number): void;
  view_next_event(page: number): number;
  view_area_in(page: number, trace: number): number;
  view_rows_json(page: number): void;
  view_span(page: number, trace: number): bigint;
  view_time_text(page: number, trace: number, ticks: bigint): void;
  view_length_text(page: number, trace: number, ticks: bigint): void;
  view_shown_json(page: number): void;
  view_unmark_all(page: number): void;
  view_unmark_row(page: number, trace: number, isProcess: number, index: number): void;
  view_notes_json(page: number): void;
  view_select_note(page: number, id: number): void;
  view_change_note(page: number, id: number, colour: number, size: number): number;
  view_remove_note(page: number, id: number): void;
  view_set_identity(page: number, trace: number, size: number): void;
  view_save_notes(page: number, trace: number): void;
  view_load_notes(page: number, use: number, size: number): number;
  view_save_state(page: number): void;
  view_load_state(page: number, size: number): number;
  text_advance(face: number, codePoint: number): number;
  text_shift(face: number, codePoint: number): number;
  text_has_glyph(face: number, codePoint: number): number;
}

/** The CSS colours of a name. */
export interface NameColour {
  fill: string;
  edge: string;
  hover: string;
  dim: string;
  text: string;
}

export interface FoundEvent {
  begin: string;
  extent: string;
  track: number;
  row: number;
  isInstant: boolean;
}
const FOUND_BYTES = 32;

const CACHE_BYTES = 256 << 20;
const UNITS_PER_EM = 2048;

export interface GlyphMetrics {
  /** In em. */
  advance: number;
  shift: number;
  /** True if Inter has the character, so that it can be drawn alone. */
  ours: boolean;
}

export class TimelineView {
  private readonly page: number;
  private readonly encoder = new TextEncoder();
  private readonly metrics: Map<number, GlyphMetrics>[] = [new Map<number, GlyphMetrics>(), new Map<number, GlyphMetrics>()];

  private constructor(
    private exports: Exports,
    readonly memory: Memory,
  ) {
    this.page = exports.view_open(CACHE_BYTES);
    if (this.page === 0) throw new Error("There is not enough memory for the timeline.");
  }

  static async start(url: URL): Promise<TimelineView> {
    const { exports, memory } = await startModule<Exports>(url);
    return new TimelineView(exports, memory);
  }

  resize(width: number, height: number, ratio: number): void {
    this.exports.view_resize(this.page, width, height, ratio);
  }

  setTheme(theme: "dark" | "light"): void {
    this.exports.view_set_theme(this.page, theme === "light" ? 1 : 0);
  }

  get options(): number {
    return this.exports.view_options(this.page);
  }

  set options(options: number) {
    this.exports.view_set_options(this.page, options);
  }

  /** Throws with the reason if the outline is invalid. */
  addTrace(outline: ArrayBuffer): void {
    this.putBytes(outline);
    if (this.exports.view_add_trace(this.page, outline.byteLength) === 0) throw new Error(this.output());
  }

  /** Replaces a trace by its load for another perspective. Throws as addTrace does. */
  replaceTrace(trace: number, outline: ArrayBuffer): void {
    this.putBytes(outline);
    if (this.exports.view_replace_trace(this.page, trace, outline.byteLength) === 0) throw new Error(this.output());
  }

  /** True if the trace was loaded without the data that the perspective shows. */
  lacks(trace: number): boolean {
    return this.exports.view_lacks(this.page, trace) !== 0;
  }

  /** Updates a growing trace. Slices that end before `from` have not changed. Throws if the outline is invalid. */
  updateOutline(trace: number, outline: ArrayBuffer, from: bigint): void {
    this.putBytes(outline);
    if (this.exports.view_update_outline(this.page, trace, outline.byteLength, from) === 0) throw new Error(this.output());
  }

  setGrowing(trace: number, grows: boolean): void {
    this.exports.view_set_growing(this.page, trace, grows ? 1 : 0);
  }

  /** Returns a number that changes when tracks and rows are renumbered. */
  numbering(trace: number): number {
    return this.exports.view_numbering(this.page, trace);
  }

  get follows(): boolean {
    return this.exports.view_follows(this.page) !== 0;
  }

  clear(): void {
    this.exports.view_clear(this.page);
  }

  /** Stores the answer to a request; false if the bytes do not fit the request. */
  put(request: ViewRequest, bytes: Uint8Array | ArrayBuffer): boolean {
    this.putBytes(bytes);
    const size = bytes.byteLength;
    switch (request.kind) {
      case ViewRequestKind.Tile:
        return this.exports.view_put_tile(this.page, request.trace, size) !== 0;
      case ViewRequestKind.Labels:
        return this.exports.view_put_labels(this.page, request.trace, request.page, size) !== 0;
      case ViewRequestKind.Overview:
        return this.exports.view_put_overview(this.page, request.trace, size) !== 0;
      case ViewRequestKind.Visible:
        return this.exports.view_put_visible(this.page, request.trace, size) !== 0;
      case ViewRequestKind.Details:
        this.exports.view_put_details(this.page, request.trace, request.slice, size);
        return true;
      case ViewRequestKind.FlowDetails:
        this.exports.view_put_flow_details(this.page, request.trace, request.slice, size);
        return true;
    }
  }

  nextRequest(): ViewRequest | null {
    const at = this.exports.view_next_request(this.page) >>> 0;
    if (at === 0) return null;
    const view = this.memory.view();
    const number = (i: number) => view.getFloat64(at + 8 * i, true);
    return {
      kind: number(0),
      trace: number(1),
      track: number(2),
      band: number(3),
      level: number(4),
      index: number(5),
      page: number(6),
      slice: number(7),
      filter: number(8),
    };
  }

  requestFailed(w: ViewRequest): void {
    const { kind, trace, track, band, level, index, page, slice, filter } = w;
    this.exports.view_request_failed(this.page, kind, trace, track, band, level, index, page, slice, filter);
  }

  get isWaiting(): boolean {
    return this.exports.view_is_waiting(this.page) !== 0;
  }

  pointer(
    kind: PointerKind,
    x: number,
    y: number,
    button: number,
    modifiers: number,
    clicks: number,
    touch: boolean,
    now: number,
  ): void {
    this.exports.view_pointer(this.page, kind, x, y, button, modifiers, clicks, touch ? 1 : 0, now);
  }

  wheel(x: number, y: number, dx: number, dy: number, modifiers: number, now: number): void {
    this.exports.view_wheel(this.page, x, y, dx, dy, modifiers, now);
  }

  key(kind: KeyKind, key: string, modifiers: number, now: number): boolean {
    this.putText(key);
    return this.exports.view_key(this.page, kind, modifiers, now) !== 0;
  }

  command(name: string, now: number): boolean {
    this.putText(name);
    return this.exports.view_command(this.page, now) !== 0;
  }

  commands(): Command[] {
    this.exports.view_commands_json(this.page);
    return JSON.parse(this.output()) as Command[];
  }

  step(now: number): boolean {
    return this.exports.view_step(this.page, now) !== 0;
  }

  get isMoving(): boolean {
    return this.exports.view_is_moving(this.page) !== 0;
  }

  /** The address of the DrawList (painter/frame.ts); 0 = out of memory. */
  draw(): number {
    return this.exports.view_draw(this.page) >>> 0;
  }

  range(trace: number): { begin: bigint; end: bigint } {
    return {
      begin: this.exports.view_range_begin(this.page, trace),
      end: this.exports.view_range_end(this.page, trace),
    };
  }

  setRange(trace: number, begin: bigint, end: bigint, now: number): void {
    this.exports.view_set_range(this.page, trace, begin, end, now);
  }

  /**
   * Converts a time of day such as "2026-11-22T10:00:00.5Z" to ticks from the begin of the trace; null: the text is not
   * a time of day; "unknown": the trace has no wall-clock time.
   */
  timeOfDay(trace: number, text: string): bigint | "unknown" | null {
    const finding = this.exports.view_find_time_of_day(this.page, trace, this.putText(text));
    if (finding === 0) return BigInt(this.output());
    return finding === 1 ? null : "unknown";
  }

  get scroll(): number {
    return this.exports.view_scroll(this.page);
  }

  select(p: Place | null, now: number): void {
    if (p === null) return this.exports.view_select_none(this.page, now);
    const begin = BigInt(p.begin);
    const extent = BigInt(p.extent);
    this.exports.view_select(this.page, p.trace, p.track, p.row, p.slice, begin, extent, p.label, now);
  }

  /** Updates the id and length of the selected slice. */
  reselect(p: Place): void {
    this.exports.view_reselect(this.page, p.trace, p.track, p.row, p.slice, BigInt(p.begin), BigInt(p.extent), p.label);
  }

  selectInstant(m: Omit<Mark, "instant">, now: number): void {
    this.exports.view_select_instant(this.page, m.trace, m.track, m.row, BigInt(m.begin), now);
  }

  /** Hides categories: a set as in src/trace/categories.h, "" = none. */
  setHidden(trace: number, set: string): void {
    this.exports.view_set_hidden(this.page, trace, this.putText(set));
  }

  hidden(trace: number): string {
    this.exports.view_hidden(this.page, trace);
    return this.output();
  }

  /** A name of `perspectives`, "" = all. */
  get perspective(): string {
    this.exports.view_perspective(this.page);
    return this.output();
  }

  set perspective(name: string) {
    this.exports.view_set_perspective(this.page, this.putText(name));
  }

  /** The names of the perspectives of the open traces. */
  get perspectives(): string[] {
    this.exports.view_perspectives(this.page);
    const names = this.output();
    return names === "" ? [] : names.split("\n");
  }

  /** Returns the set of hidden categories of a request. */
  filterText(request: ViewRequest): string {
    this.exports.view_filter_text(this.page, request.trace, request.filter);
    return this.output();
  }

  filterTracks(pattern: string): void {
    this.putText(pattern);
    this.exports.view_filter_tracks(this.page);
  }

  /** Sets the matches of a search, as FoundEvent of src/view/view.h; labels: all their slices are matches. */
  setFound(trace: number, events: FoundEvent[], labels: number[]): void {
    const bytes = foundBytes(events, 4 * labels.length);
    labels.forEach((label, i) => bytes.setUint32(FOUND_BYTES * events.length + 4 * i, label, true));
    this.putBytes(bytes.buffer);
    this.exports.view_set_found(this.page, trace, events.length, labels.length);
  }

  /** Returns the colours of a name in the timeline. */
  nameColour(name: string, theme: "dark" | "light"): NameColour {
    const at = this.exports.view_name_colour(this.page, theme === "light" ? 1 : 0, this.putText(name));
    const words = new Uint32Array(this.memory.copy(at, 20));
    const [fill, edge, hover, dim, text] = [...words].map((word) => `#${word.toString(16).padStart(8, "0")}`);
    return { fill, edge, hover, dim, text } as NameColour;
  }

  /** Returns a name cut to a width in em as in the timeline, "" if no character fits. */
  fitName(name: string, widthEm: number): string {
    this.exports.view_fit_name(this.page, widthEm, this.putText(name));
    return this.output();
  }

  /** label 0: ends highlighting */
  highlightName(trace: number, label: number): void {
    this.exports.view_highlight_name(this.page, trace, label);
  }

  /** Highlights a name in another trace as well. */
  highlightAlso(trace: number, label: number): void {
    this.exports.view_highlight_also(this.page, trace, label);
  }

  /** Puts a tick offset of each trace at one position on the axis; null: aligns by the clocks. */
  align(anchors: readonly bigint[] | null, now: number): void {
    if (anchors !== null) this.putBytes(new BigUint64Array(anchors).buffer);
    this.exports.view_align(this.page, anchors?.length ?? 0, now);
  }

  /** Highlights only these slices of a label. */
  highlightSlices(trace: number, label: number, events: FoundEvent[]): void {
    this.putBytes(foundBytes(events, 0).buffer);
    this.exports.view_highlight_slices(this.page, trace, label, events.length);
  }

  /** Dims slices of durations in ticks outside of a range. null: none. */
  filterDurations(filter: { trace: number; least: bigint; most: bigint } | null): void {
    if (filter === null) this.exports.view_filter_no_durations(this.page);
    else this.exports.view_filter_durations(this.page, filter.trace, filter.least, filter.most);
  }

  nextEvent(): ViewEvent | null {
    if (this.exports.view_next_event(this.page) === 0) return null;
    return JSON.parse(this.output()) as ViewEvent;
  }

  /** Returns the part of the selected area in a trace; null: the area has no track of this trace. */
  areaIn(trace: number): ViewEvent | null {
    if (this.exports.view_area_in(this.page, trace) === 0) return null;
    return JSON.parse(this.output()) as ViewEvent;
  }

  rows(): TwinRow[] {
    this.exports.view_rows_json(this.page);
    return JSON.parse(this.output()) as TwinRow[];
  }

  /** Returns the length of a trace in ticks. */
  span(trace: number): bigint {
    return BigInt.asUintN(64, this.exports.view_span(this.page, trace));
  }

  /** Returns a time, in ticks from the begin of the trace, as text with all digits, as in tooltips. */
  timeText(trace: number, ticks: string | bigint): string {
    this.exports.view_time_text(this.page, trace, BigInt(ticks));
    return this.output();
  }

  /** Returns a duration in the same way. */
  lengthText(trace: number, ticks: string | bigint): string {
    this.exports.view_length_text(this.page, trace, BigInt(ticks));
    return this.output();
  }

  shown(): ShownRows {
    this.exports.view_shown_json(this.page);
    return JSON.parse(this.output()) as ShownRows;
  }

  unmark(mark: RowMark["mark"], row: MarkedRow | null): void {
    this.putText(mark);
    if (row === null) this.exports.view_unmark_all(this.page);
    else this.exports.view_unmark_row(this.page, row.trace, row.is_process ? 1 : 0, row.index);
  }

  notes(): Notes {
    this.exports.view_notes_json(this.page);
    return JSON.parse(this.output()) as Notes;
  }

  /** id 0: none */
  selectNote(id: number): void {
    this.exports.view_select_note(this.page, id);
  }

  changeNote(id: number, colour: number, text: string): void {
    this.exports.view_change_note(this.page, id, colour, this.putText(text));
  }

  removeNote(id: number): void {
    this.exports.view_remove_note(this.page, id);
  }

  setIdentity(trace: number, identity: string): void {
    this.exports.view_set_identity(this.page, trace, this.putText(identity));
  }

  /** Returns a view file with the notes of a trace, or of all traces. */
  saveNotes(trace: number | "all"): string {
    this.exports.view_save_notes(this.page, trace === "all" ? 0xffffffff : trace);
    return this.output();
  }

  /** Loads the notes of a view file. Throws with the reason if the file is not valid. */
  loadNotes(text: string, use: NotesUse): void {
    if (this.exports.view_load_notes(this.page, use, this.putText(text)) === 0) throw new Error(this.output());
  }

  saveState(): string {
    this.exports.view_save_state(this.page);
    return this.output();
  }

  loadState(text: string): boolean {
    return this.exports.view_load_state(this.page, this.putText(text)) !== 0;
  }

  glyph(face: number, codePoint: number): GlyphMetrics {
    const known = this.metrics[face]?.get(codePoint);
    if (known !== undefined) return known;
    const metrics: GlyphMetrics = {
      advance: this.exports.text_advance(face, codePoint) / UNITS_PER_EM,
      shift: this.exports.text_shift(face, codePoint) / UNITS_PER_EM,
      ours: this.exports.text_has_glyph(face, codePoint) !== 0,
    };
    this.metrics[face]?.set(codePoint, metrics);
    return metrics;
  }

  private putBytes(bytes: Uint8Array | ArrayBuffer): void {
    const at = this.exports.view_input(this.page, bytes.byteLength) >>> 0;
    if (at === 0) throw new Error("There is not enough memory for the timeline.");
    this.memory.all.set(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes), at);
  }

  private putText(text: string): number {
    const bytes = this.encoder.encode(text);
    this.putBytes(bytes);
    return bytes.length;
  }

  private output(): string {
    return this.memory.text(this.exports.view_output(this.page), this.exports.view_output_size(this.page));
  }
}

/** Returns events as FoundEvent of src/view/view.h, followed by `room` bytes. */
function foundBytes(events: FoundEvent[], room: number): DataView<ArrayBuffer> {
  const bytes = new DataView(new ArrayBuffer(FOUND_BYTES * events.length + room));
  events.forEach((event, i) => {
    const at = FOUND_BYTES * i;
    bytes.setBigUint64(at, BigInt(event.begin), true);
    bytes.setBigUint64(at + 8, BigInt(event.extent), true);
    bytes.setUint32(at + 16, event.track, true);
    bytes.setUint32(at + 20, event.row, true);
    bytes.setUint32(at + 24, event.isInstant ? 1 : 0, true);
  });
  return bytes;
}
