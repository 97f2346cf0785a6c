/** view.wasm: the timeline of src/view/view.h, with the functions of view_exports.c and view_file_exports.c in src/app/wasm. */
import {
  DayFinding,
  FoundEventLayout,
  readCommand,
  readNameColour,
  readViewEvent,
  readViewRequest,
  SlicePlaceLayout,
  Theme,
  type ViewAxis,
  ViewGrowth,
  ViewRequestKind,
  ViewRequestLayout,
  writeFoundEvent,
  writeSlicePlace,
  writeViewRequest,
  type Command,
  type FontFace,
  type KeyKind,
  type PointerKind,
  type SlicePlace,
  type ViewEventKind,
  type ViewExports as TimelineExports,
  type ViewFileExports,
  type ViewFileUse,
  type ViewRequest,
} from "generated/border.ts";
import type { Mark, Place } from "../transport/protocol.ts";
import type { FileSource } from "../worker/file_source.ts";
import { startModule, type Memory } from "./module.ts";
import type { FoundRows, LoadedView, MarkedRow, Notes, PageState, RowHead, RowMark, ShownRows, TwinRow } from "./view_json.ts";
import { pluralForm, pluralsOf, t, type TextId } from "../texts.ts";

/** All functions of the module. */
type ViewExports = TimelineExports & ViewFileExports;

export type { Command } from "generated/border.ts";
export type * from "./view_json.ts";

/** An event of src/view/view.h. */
export interface ViewEvent {
  kind: ViewEventKind;
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

const NO_PAGE_STATE: PageState = { panel: "", search: "", query: "", slice: "" };

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

type ViewTextId = Extract<TextId, `view.${string}`>;

const CACHE_BYTES = 256 << 20;

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
    private exports: ViewExports,
    readonly memory: Memory,
  ) {
    this.page = exports.view_open(CACHE_BYTES);
    if (this.page === 0) throw new Error(t("timeline.no-memory"));
  }

  static async start(file: FileSource): Promise<TimelineView> {
    const { exports, memory } = await startModule<ViewExports>(file, () => ({ plural_form: pluralForm }));
    return new TimelineView(exports, memory);
  }

  resize(width: number, height: number, ratio: number): void {
    this.exports.view_resize(this.page, width, height, ratio);
  }

  setTheme(theme: "dark" | "light"): void {
    this.exports.view_set_theme(this.page, themeOf(theme));
  }

  /** Sets the texts that the view makes to those of the language in use. */
  setWords(): void {
    this.exports.view_word_ids(this.page);
    const lines = this.output().trimEnd().split("\n").map((id) => `${pluralsOf(`view.${id}` as ViewTextId).join("\t")}\n`);
    if (this.exports.view_set_words(this.page, this.putText(lines.join(""))) === 0) throw new Error("The view has other texts than the page.");
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

  /** Replaces a trace by its load for another perspective or with another axis. Throws as addTrace does. */
  replaceTrace(trace: number, outline: ArrayBuffer): void {
    this.putBytes(outline);
    if (this.exports.view_replace_trace(this.page, trace, outline.byteLength) === 0) throw new Error(this.output());
  }

  /** True if the trace was loaded without the data that the perspective shows. */
  lacks(trace: number): boolean {
    return this.exports.view_lacks(this.page, trace) !== 0;
  }

  axis(trace: number): ViewAxis {
    return this.exports.view_axis(this.page, trace);
  }

  /** Updates a growing trace. Slices that end before `from` have not changed. Throws if the outline is invalid. */
  updateOutline(trace: number, outline: ArrayBuffer, from: bigint): void {
    this.putBytes(outline);
    if (this.exports.view_update_outline(this.page, trace, outline.byteLength, from) === 0) throw new Error(this.output());
  }

  /** Replaces the begin of a trace by the whole trace. Throws if the outline is invalid. */
  completeTrace(trace: number, outline: ArrayBuffer): void {
    this.putBytes(outline);
    if (this.exports.view_complete_trace(this.page, trace, outline.byteLength) === 0) throw new Error(this.output());
  }

  setGrowing(trace: number, grows: boolean): void {
    this.exports.view_set_growing(this.page, trace, grows ? ViewGrowth.Grows : ViewGrowth.IsWhole);
  }

  /** Returns a number that changes when tracks and rows are renumbered. */
  numbering(trace: number): number {
    return this.exports.view_numbering(this.page, trace);
  }

  get follows(): boolean {
    return this.exports.view_follows(this.page) !== 0;
  }

  /** Removes one of the traces; those after it get the next lower numbers. The events must be taken before. */
  removeTrace(trace: number): void {
    this.exports.view_remove_trace(this.page, trace);
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
      case ViewRequestKind.FlowDetails:
      case ViewRequestKind.InstantDetails:
        this.putAnswer(request, bytes);
        this.exports.view_put_details(this.page, size);
        return true;
      case ViewRequestKind.Moments:
        this.putAnswer(request, bytes);
        return this.exports.view_put_moments(this.page, size) !== 0;
    }
  }

  /** Copies a request and the answer to it. */
  private putAnswer(request: ViewRequest, bytes: Uint8Array | ArrayBuffer): void {
    this.putStruct(ViewRequestLayout.sizeof + bytes.byteLength, (data) => {
      writeViewRequest(data, 0, request);
      new Uint8Array(data.buffer, data.byteOffset + ViewRequestLayout.sizeof).set(new Uint8Array(bytes as ArrayBuffer));
    });
  }

  nextRequest(): ViewRequest | null {
    const at = this.exports.view_next_request(this.page) >>> 0;
    if (at === 0) return null;
    return readViewRequest(this.memory.view(), at);
  }

  requestFailed(request: ViewRequest): void {
    this.putStruct(ViewRequestLayout.sizeof, (data) => writeViewRequest(data, 0, request));
    this.exports.view_request_failed(this.page);
  }

  /** True if the answer to the request is not of use any more. */
  isPast(request: ViewRequest): boolean {
    this.putStruct(ViewRequestLayout.sizeof, (data) => writeViewRequest(data, 0, request));
    return this.exports.view_request_is_past(this.page) !== 0;
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
    const commands: Command[] = [];
    for (let at; (at = this.exports.view_command_at(commands.length) >>> 0) !== 0; ) commands.push(readCommand(this.memory.view(), at));
    return commands;
  }

  /** Returns the keys of a command: "W  +", with two spaces between alternatives. */
  commandKeys(index: number): string {
    this.exports.view_command_keys(this.page, index);
    return this.output();
  }

  /** Throws with the reason if a text is not a key. */
  setCommandKeys(index: number, keys: string): void {
    this.putText(keys);
    if (this.exports.view_set_command_keys(this.page, index) === 0) throw new Error(this.output());
  }

  /** Returns the text of a key of `key`, "" = it cannot be the key of a command. */
  keyText(key: string, modifiers: number): string {
    this.putText(key);
    this.exports.view_key_text(this.page, modifiers);
    return this.output();
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

  /** Returns the address of the PaintList for a DrawList; 0 = out of memory. */
  plan(list: number): number {
    return this.exports.view_plan(this.page, list) >>> 0;
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
    if (finding === DayFinding.Found) return BigInt(this.output());
    return finding === DayFinding.NoTime ? null : "unknown";
  }

  get scroll(): number {
    return this.exports.view_scroll(this.page);
  }

  select(place: Place | null, now: number): void {
    if (place === null) return this.exports.view_select_none(this.page, now);
    this.putPlace(place);
    this.exports.view_select(this.page, now);
  }

  /** Updates the id and length of the selected slice. */
  reselect(place: Place): void {
    this.putPlace(place);
    this.exports.view_reselect(this.page);
  }

  /** Selects an instant, or a sample of a counter, which has an extent. */
  selectInstant(mark: Omit<Mark, "instant"> & { extent?: string }, now: number): void {
    this.putPlace({ extent: "0", ...mark, slice: 0, label: 0 });
    this.exports.view_select_instant(this.page, now);
  }

  /** Hides categories: a set as in src/trace/store/categories.h, "" = none. */
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
    const listed = FoundEventLayout.sizeof * events.length;
    this.putStruct(listed + 4 * labels.length, (data) => {
      writeFound(data, events);
      labels.forEach((label, i) => data.setUint32(listed + 4 * i, label, true));
    });
    this.exports.view_set_found(this.page, trace, events.length, labels.length);
  }

  /** Marks the matches by name of a search in ruler and minimap. `search`: its number in requests; 0: none. */
  markSearch(trace: number, search: number): void {
    this.exports.view_mark_search(this.page, trace, search);
  }

  /** Marks the events with the name of a label in ruler and minimap; label 0: those of the selected slice. */
  pointName(trace: number, label: number): void {
    this.exports.view_point_name(this.page, trace, label);
  }

  /** Returns the colours of a name in the timeline. `own`: that of its label, 0 = by the name. */
  nameColour(name: string, own: number, theme: "dark" | "light"): NameColour {
    const at = this.exports.view_name_colour(this.page, themeOf(theme), own, this.putText(name)) >>> 0;
    const { fill, edge, hover, dim, text } = readNameColour(this.memory.view(), at);
    return { fill: css(fill), edge: css(edge), hover: css(hover), dim: css(dim), text: css(text) };
  }

  /** Returns a name cut to a width in em as in the timeline, "" if no character fits. */
  fitName(name: string, widthEm: number): string {
    this.exports.view_fit_name(this.page, widthEm, this.putText(name));
    return this.output();
  }

  /** Returns the distance of a label from both ends of a bar in CSS pixels; below 0: the bar is too narrow for text. */
  labelPad(barPx: number): number {
    return this.exports.view_label_pad(barPx);
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
    this.putStruct(FoundEventLayout.sizeof * events.length, (data) => writeFound(data, events));
    this.exports.view_highlight_slices(this.page, trace, label, events.length);
  }

  /** Outlines an area besides the selected one; null: none. */
  keepArea(area: { trace: number; begin: string; end: string; tracks: number[] } | null): void {
    const { trace, begin, end, tracks } = area ?? { trace: 0, begin: "0", end: "0", tracks: [] };
    const offset = (text: string) => (text.startsWith("-") ? 0n : BigInt(text));
    this.putBytes(new Uint32Array(tracks).buffer);
    this.exports.view_keep_area(this.page, trace, offset(begin), offset(end), tracks.length);
  }

  /** Dims slices of durations in ticks outside of a range. null: none. */
  filterDurations(filter: { trace: number; least: bigint; most: bigint } | null): void {
    if (filter === null) this.exports.view_filter_no_durations(this.page);
    else this.exports.view_filter_durations(this.page, filter.trace, filter.least, filter.most);
  }

  nextEvent(): ViewEvent | null {
    return this.eventAt(this.exports.view_next_event(this.page));
  }

  /** Returns the part of the selected area in a trace; null: the area has no track of this trace. */
  areaIn(trace: number): ViewEvent | null {
    return this.eventAt(this.exports.view_area_in(this.page, trace));
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

  /** Starts a search of traces, processes and tracks by the words of a pattern. */
  findRows(pattern: string): void {
    this.putText(pattern);
    this.exports.view_find_rows(this.page);
  }

  /** Examines more rows; true while rows are left. */
  findRowsStep(): boolean {
    return this.exports.view_find_rows_step(this.page) !== 0;
  }

  foundRows(): FoundRows {
    this.exports.view_found_rows_json(this.page);
    return JSON.parse(this.output()) as FoundRows;
  }

  /** Shows a row of foundRows(), scrolls to it and lets it flash. */
  goToRow(found: number, now: number): void {
    this.exports.view_go_to_row(this.page, found, now);
  }

  /** Goes to a track by its id. */
  goToTrack(trace: number, track: number, now: number): void {
    this.exports.view_go_to_track(this.page, trace, track, now);
  }

  /** Returns the row under the pointer in the label column, or after a key the focused row; null: none. */
  head(): RowHead | null {
    this.exports.view_head_json(this.page);
    const head = JSON.parse(this.output()) as RowHead | Record<string, never>;
    return "kind" in head ? (head as RowHead) : null;
  }

  /** Gives the focus to that row. */
  focusHead(): void {
    this.exports.view_focus_head(this.page);
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

  /** Returns a view file. `parts`: ViewFilePart bits. */
  save(parts: number, trace: number | "all" = "all", { panel, search, query, slice }: PageState = NO_PAGE_STATE): string {
    this.putText([panel, search, query, slice, ""].map((text) => text.replaceAll("\0", "")).join("\0"));
    this.exports.view_save(this.page, parts, trace === "all" ? 0xffffffff : trace);
    return this.output();
  }

  /** Loads a view file. Throws with the reason if the file is not valid or belongs to other traces. */
  load(text: string, use: ViewFileUse): LoadedView {
    if (this.exports.view_load(this.page, use, this.putText(text)) === 0) throw new Error(this.output());
    return JSON.parse(this.output()) as LoadedView;
  }

  /** Selects a slice without a motion of the view. */
  restoreSlice(place: Place): void {
    this.putPlace(place);
    this.exports.view_restore_slice(this.page);
  }

  /** Selects an instant or a sample without a motion of the view. */
  restoreInstant(mark: Omit<Mark, "instant"> & { extent?: string }): void {
    this.putPlace({ extent: "0", ...mark, slice: 0, label: 0 });
    this.exports.view_restore_instant(this.page);
  }

  glyph(face: FontFace, codePoint: number): GlyphMetrics {
    const known = this.metrics[face]?.get(codePoint);
    if (known !== undefined) return known;
    const metrics: GlyphMetrics = {
      advance: this.exports.text_advance(face, codePoint),
      shift: this.exports.text_shift(face, codePoint),
      ours: this.exports.text_has_glyph(face, codePoint) !== 0,
    };
    this.metrics[face]?.set(codePoint, metrics);
    return metrics;
  }

  private putBytes(bytes: Uint8Array | ArrayBuffer): void {
    const at = this.exports.view_input(this.page, bytes.byteLength) >>> 0;
    if (at === 0) throw new Error(t("timeline.no-memory"));
    this.memory.all.set(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes), at);
  }

  /** Fills the input with `size` bytes. */
  private putStruct(size: number, write: (data: DataView) => void): void {
    const bytes = new ArrayBuffer(size);
    write(new DataView(bytes));
    this.putBytes(bytes);
  }

  private putPlace({ begin, extent, slice, ...place }: Place): void {
    const value = { ...place, slice: BigInt(slice), begin: BigInt(begin), extent: BigInt(extent) };
    this.putStruct(SlicePlaceLayout.sizeof, (data) => writeSlicePlace(data, 0, value));
  }

  /** Returns the event at an address, with times as in answers; null for the address 0. */
  private eventAt(address: number): ViewEvent | null {
    if (address === 0) return null;
    const { place, has_place, ...event } = readViewEvent(this.memory.view(), address >>> 0);
    return {
      ...event,
      place: has_place ? placeOf(place) : null,
      instant: Number(event.instant),
      flow: Number(event.flow),
      begin: String(event.begin),
      end: String(event.end),
      tracks: [...new Uint32Array(this.memory.copy(event.tracks, 4 * event.track_count))],
    };
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

function placeOf({ slice, begin, extent, ...place }: SlicePlace): Place {
  return { ...place, slice: Number(slice), begin: String(begin), extent: String(extent) };
}

function themeOf(theme: "dark" | "light"): Theme {
  return theme === "light" ? Theme.Light : Theme.Dark;
}

function css(colour: number): string {
  return `#${colour.toString(16).padStart(8, "0")}`;
}

function writeFound(data: DataView, events: FoundEvent[]): void {
  events.forEach(({ begin, extent, track, row, isInstant }, i) => {
    const event = { begin: BigInt(begin), extent: BigInt(extent), track, row, is_instant: isInstant ? 1 : 0, reserved: 0 };
    writeFoundEvent(data, FoundEventLayout.sizeof * i, event);
  });
}
