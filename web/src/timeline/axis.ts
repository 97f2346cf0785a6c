/** The axes of captures, which have an order instead of times: a tick is an event, or a call (docs/formats/apitrace.md). */
import { ViewAxis } from "generated/border.ts";
import { requestJson, type Load } from "../transport/transport.ts";

export type CaptureAxis = "events" | "calls";

/** Returns the axis of a trace, null = it is not a capture. */
export function axisNamed(axis: ViewAxis): CaptureAxis | null {
  return axis === ViewAxis.Calls ? "calls" : axis === ViewAxis.Events ? "events" : null;
}

/** The ticks of one request; more would make its address too long. */
const IN_REQUEST = 400;

interface Range {
  begin: number;
  end?: number;
}

/** A trace in a view file (docs/view-files.md): the members with ticks. */
export interface TraceTicks {
  name?: string;
  anchor?: number;
  range?: Range;
  area?: Range;
  slice?: Range;
  instant?: Range;
  marks?: Range[];
}

async function convert(load: Load, to: CaptureAxis, key: "begins" | "ends", ticks: number[]): Promise<number[]> {
  const converted: number[] = [];
  for (let i = 0; i < ticks.length; i += IN_REQUEST) {
    const answer = await requestJson(load, "axis", { to, [key]: ticks.slice(i, i + IN_REQUEST).join(",") });
    converted.push(...answer[key]);
  }
  return converted;
}

async function convertTrace(load: Load, to: CaptureAxis, trace: TraceTicks): Promise<void> {
  const ranges = [trace.range, trace.area, trace.slice, trace.instant, ...(trace.marks ?? [])].filter((range) => range !== undefined);
  const ended = ranges.filter((range) => range.end !== undefined);
  const begins = await convert(load, to, "begins", [trace.anchor ?? 0, ...ranges.map(({ begin }) => begin)]);
  const ends = await convert(load, to, "ends", ended.map(({ end }) => end ?? 0));
  if (trace.anchor !== undefined) trace.anchor = begins[0] ?? 0;
  ranges.forEach((range, i) => (range.begin = begins[i + 1] ?? 0));
  ended.forEach((range, i) => (range.end = Math.max(ends[i] ?? 0, range.begin)));
}

/** Returns the axis of a view file; "events" for an invalid one, whose error the engine reports with its place. */
export function axisOf(text: string): CaptureAxis {
  try {
    const { axis } = JSON.parse(text) as { axis?: unknown };
    return axis === "calls" ? "calls" : "events";
  } catch {
    return "events";
  }
}

/**
 * Returns a valid view file with its ticks on another axis: ranges of the same calls. `loadOf` returns the load of a trace of the
 * file, null = it is not an open capture.
 */
export async function convertAxis(text: string, to: CaptureAxis, loadOf: (trace: TraceTicks, index: number) => Load | null): Promise<string> {
  if (axisOf(text) === to) return text;
  const { varve_view, axis: _, traces, ...others } = JSON.parse(text) as { varve_view: number; axis?: string; traces?: TraceTicks[] };
  for (const [index, trace] of (traces ?? []).entries()) {
    const load = loadOf(trace, index);
    if (load !== null) await convertTrace(load, to, trace);
  }
  return JSON.stringify({ varve_view, ...(to === "calls" ? { axis: to } : {}), ...others, traces: traces ?? [] });
}
