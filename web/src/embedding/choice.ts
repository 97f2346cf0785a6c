/** Selects the event that another page has chosen. */
import type { EventChoice } from "../../static/varve-timeline.d.ts";
import { t } from "../texts.ts";
import type { TraceTimeline } from "../timeline/trace_timeline.ts";
import { requestJson } from "../transport/transport.ts";

/** Selects an event and brings it into view. Rejects if the trace does not have it. */
export async function selectChoice({ loading, selection }: TraceTimeline, choice: EventChoice): Promise<void> {
  if (choice === null) return selection.select(null);
  const wanted = typeof choice === "string" ? { name: choice } : choice;
  const trace = wanted.trace ?? 0;
  const load = loading.ready[trace];
  if (load === undefined) throw new Error(t("embedding.no-such-trace", { number: String(trace) }));
  if ("id" in wanted) {
    const { place } = await requestJson(load, "slice", { id: wanted.id });
    return selection.select({ ...place, trace });
  }
  const { place, mark } = await requestJson(load, "find", { text: wanted.name });
  if (place !== null) selection.select({ ...place, trace });
  else if (mark !== null) selection.selectInstant({ ...mark, trace });
  else throw new Error(t("selection.there-is-no", { text: `\u201c${wanted.name}\u201d` }));
}
