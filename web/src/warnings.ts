/** The events that the warnings of a reader are about. */
import { isPast, messageOf, requestJson } from "./transport/transport.ts";
import { sentence } from "./panels/format.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

/**
 * Goes to the event at a byte of the input: selects its slice or instant, or its time on its track if it has neither. If the
 * byte is not that of an event with a known place in the file, it goes to the last one before, and says so.
 */
export async function goToByte(viewer: Viewer, trace: number, byte: number): Promise<void> {
  const load = viewer.loading.ready[trace];
  if (load === undefined) return;
  viewer.dialog.set(null);
  viewer.focusTimeline();
  viewer.say(""); // a notice about another event ends
  try {
    const { place, mark, time, exact } = await requestJson(load, "event-at", { byte });
    if (viewer.loading.ready[trace] !== load) return;
    if (place !== null) viewer.selection.select({ ...place, trace });
    else if (mark !== null) viewer.selection.selectInstant({ ...mark, trace });
    else if (time !== null) {
      viewer.selection.select(null);
      viewer.view.selectInstant({ ...time, trace, row: 0 }, performance.now());
      viewer.schedule();
    } else return viewer.say(t("report.no-event-at"));
    if (!exact) viewer.say(t("report.the-event-before"));
    else if (time !== null) viewer.say(t("report.an-event-that-is-not-drawn"));
  } catch (error) {
    if (!isPast(error)) viewer.say(sentence(messageOf(error)));
  }
}
