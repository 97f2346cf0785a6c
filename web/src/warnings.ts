/** The events that the warnings of a reader are about. */
import type { EventAtAnswer } from "./transport/protocol.ts";
import { isPast, messageOf, requestJson } from "./transport/transport.ts";
import { Latest } from "./store.ts";
import { sentence } from "./panels/format.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

/** Goes from a warning to its event. */
export class WarningEvents {
  private latest = new Latest();

  constructor(private viewer: Viewer) {}

  /** True while the event is looked for. */
  get isRunning(): boolean {
    return this.latest.isRunning;
  }

  /**
   * Goes to the event at a byte of the input: selects its slice or instant, or its time on its track if it has neither. If the
   * byte is not that of an event with a known place in the file, it goes to the last one before, and says so.
   */
  goTo(trace: number, byte: number): void {
    const { viewer } = this;
    const load = viewer.loading.ready[trace];
    if (load === undefined) return;
    viewer.dialog.set(null);
    viewer.focusTimeline();
    viewer.say(""); // a notice about another event ends
    void this.latest.run(async (signal) => {
      try {
        const event = await requestJson(load, "event-at", { byte }, signal);
        if (!signal.aborted && viewer.loading.ready[trace] === load) this.show(trace, event);
      } catch (error) {
        if (!isPast(error)) viewer.say(sentence(messageOf(error)));
      }
    });
  }

  private show(trace: number, { place, mark, time, exact }: EventAtAnswer): void {
    const { viewer } = this;
    if (place !== null) viewer.selection.select({ ...place, trace });
    else if (mark !== null) viewer.selection.selectInstant({ ...mark, trace });
    else if (time !== null) {
      viewer.selection.select(null);
      viewer.view.selectInstant({ ...time, trace, row: 0 }, performance.now());
      viewer.schedule();
    } else return viewer.say(t("report.no-event-at"));
    if (!exact) viewer.say(t("report.the-event-before"));
    else if (time !== null) viewer.say(t("report.an-event-that-is-not-drawn"));
  }
}
