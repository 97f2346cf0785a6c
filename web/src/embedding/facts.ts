/** Traces, selections and ranges in the form in which other pages receive them (static/varve-timeline.d.ts). */
import type { LoadedTrace, SelectedEvent, VisibleRange } from "../../static/varve-timeline.d.ts";
import type { OpenTrace } from "../loading.ts";
import type { Details } from "../selection.ts";
import { t } from "../texts.ts";
import { parseTime } from "../time_input.ts";
import type { InfoAnswer } from "../transport/protocol.ts";
import { printExact } from "../transport/exact_json.ts";
import type { TimelineView } from "../wasm/view.ts";

export function traceFacts(view: TimelineView, trace: number, { load, info }: OpenTrace): LoadedTrace {
  return {
    trace,
    name: info.file.name,
    format: info.format.name,
    complete: info.complete,
    note: load.status.value.note,
    clock: info.time.clock,
    ns_per_tick: info.time.ns_per_tick,
    ticks: view.span(trace),
    slices: info.counts["slices"] ?? 0,
  };
}

/** Returns undefined for details of other things than events. */
export function selectedFacts(details: Details): SelectedEvent | null | undefined {
  const args = (value: unknown) => (value === null || value === undefined ? "" : printExact(value, ""));
  switch (details.kind) {
    case "none":
      return null;
    case "slice": {
      const { trace, slice } = details;
      const { place, name, category, process, thread, begin, duration } = slice;
      return {
        kind: "slice",
        trace,
        id: place.slice,
        name,
        category,
        process: process?.title ?? null,
        thread: thread.title,
        begin: BigInt(place.begin),
        duration: BigInt(duration.ticks),
        begin_text: begin.text,
        duration_text: duration.text,
        args: args(slice.args),
      };
    }
    case "instant": {
      const { trace, instant } = details;
      const { instant: id, name, category, process, thread, time } = instant;
      return {
        kind: "instant",
        trace,
        id,
        name,
        category,
        process: process?.title ?? null,
        thread: thread?.title ?? null,
        begin: BigInt(time.offset),
        duration: null,
        begin_text: time.text,
        duration_text: null,
        args: args(instant.args),
      };
    }
    default:
      return undefined;
  }
}

export function rangeFacts(view: TimelineView): VisibleRange {
  const { begin, end } = view.range(0);
  const ticks = (tick: bigint) => `${tick < 0n ? 0n : tick} ticks`;
  return { begin, end, text: `${ticks(begin)}..${ticks(end)}` };
}

/** Reads "BEGIN..END" in ticks from the begin of the trace; a missing side is that of the trace. Throws if it is not a range. */
export function parseRange(text: string, time: InfoAnswer["time"], span: bigint): { begin: bigint; end: bigint } {
  const [first = "", last, ...more] = text.split("..");
  const read = (part: string, from: bigint, missing: bigint) => (part.trim() === "" ? missing : parseTime(part, time, from)?.tick);
  const begin = read(first, 0n, 0n);
  const end = last === undefined || begin === undefined ? undefined : read(last, begin, span);
  if (begin === undefined || end === undefined || more.length > 0 || begin >= end)
    throw new Error(t("embedding.not-a-range", { text }));
  return { begin, end };
}
