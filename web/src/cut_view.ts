/** The view of a whole trace, for a cut of it. */
import type { InfoAnswer } from "./transport/protocol.ts";

export type ViewMembers = Record<string, unknown> & { traces?: Record<string, unknown>[] };

/**
 * Returns the view of a trace for a cut of it: slices at its border are whole, so that its begin differs. `from_ns`: the begin of
 * the trace on the axis of both. Marks and selected events before the cut are left out; a note that reaches into it begins with it.
 */
export function viewOfCut(text: string, from_ns: bigint, time: InfoAnswer["time"]): string {
  const view = JSON.parse(text) as ViewMembers;
  const shown = view.traces?.[0];
  if (shown === undefined) return text;
  const [num, den] = time.ns_per_tick;
  const later = Number(((from_ns - BigInt(String(time.begin_ns))) * BigInt(den)) / BigInt(num));
  /** Moves a place; false: it is before the cut. */
  const move = (of: unknown): boolean => {
    const place = of as Record<string, unknown>;
    for (const member of ["begin", "end"]) if (typeof place[member] === "number") place[member] += later;
    return Number(place["end"] ?? place["begin"]) >= 0;
  };
  for (const member of ["range", "area"]) if (shown[member] !== undefined) move(shown[member]);
  for (const member of ["slice", "instant"]) {
    const place = shown[member] as { begin: number } | undefined;
    if (place === undefined) continue;
    move(place);
    if (place.begin < 0) delete shown[member];
  }
  if (Array.isArray(shown["marks"])) {
    shown["marks"] = shown["marks"].filter(move);
    for (const mark of shown["marks"] as { begin: number }[]) mark.begin = Math.max(0, mark.begin);
  }
  delete shown["hidden_categories"]; // the numbers of the cut are others
  shown["identity"] = "";
  return JSON.stringify(view);
}
