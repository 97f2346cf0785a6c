/** Shows captures on their other axis: of events, or of calls of equal widths. */
import { ViewFilePart } from "generated/border.ts";
import { axisNamed, convertAxis, type CaptureAxis } from "./timeline/axis.ts";
import { messageOf, type Load } from "./transport/transport.ts";
import { sentence } from "./panels/format.ts";
import { Latest } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

type Page = Pick<Viewer, "view" | "loading" | "views" | "say" | "focusTimeline" | "frameTrace">;

export class CaptureAxes {
  private converting = new Latest();

  constructor(private page: Page) {}

  get isRunning(): boolean {
    return this.converting.isRunning;
  }

  /** The axis of the first capture, null = none is open. */
  get shown(): CaptureAxis | null {
    const trace = this.page.frameTrace(this.page.loading.traces.value);
    return trace < 0 ? null : axisNamed(this.page.view.axis(trace));
  }

  /** Shows the other axis. */
  toggle(): void {
    const { shown } = this;
    if (shown === null) return this.page.say(t("capture-axis.no-capture"));
    void this.show(shown === "calls" ? "events" : "calls");
  }

  /** Loads the captures with this axis, and applies the present view: the same calls, rows, selection and marks. */
  async show(axis: CaptureAxis): Promise<void> {
    const { loading, view, views } = this.page;
    const loadOf = (_: unknown, trace: number): Load | null => (axisNamed(view.axis(trace)) === null ? null : (loading.ready[trace] ?? null));
    await this.converting.run(async (signal) => {
      try {
        const text = await convertAxis(views.text(ViewFilePart.State | ViewFilePart.Marks), axis, loadOf);
        if (signal.aborted) return;
        views.applyLater(text, t("common.the-view"));
        views.applyPending();
      } catch (error) {
        this.page.say(sentence(messageOf(error)));
      }
    });
    this.page.focusTimeline();
  }
}
