/** The texts of the drawer while no event is selected. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { ViewOption } from "generated/border.ts";

function useAreaDrag(viewer: Viewer): string {
  const dragPans = (useStore(viewer.settings.options) & ViewOption.DragPans) !== 0;
  return dragPans ? "Shift+drag" : "drag";
}

/** The place of the details before the first selection. */
export function NoSelection({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const area = useAreaDrag(viewer);
  if (traces.length === 0) return null;
  return (
    <p class="empty">
      Click a slice to see everything about it here; {area} over slices for statistics by name. <kbd>?</kbd> shows all
      keys.
    </p>
  );
}

/** About the example that the page opens by itself. */
export function Welcome({ viewer }: { viewer: Viewer }) {
  const area = useAreaDrag(viewer);
  return (
    <div class="welcome">
      <div>
        <p>
          Every bar is something a program did, from its begin to its end; what it called in turn stands below it. This
          is Chromium loading a page: look for the long stretch in the <b>CrRendererMain</b> thread. Drop a trace of your
          own anywhere on this page to see that instead; it never leaves this machine.
        </p>
      </div>
      <dl class="five-keys">
        <dt>
          <kbd>W</kbd> <kbd>S</kbd>
        </dt>
        <dd>zoom at the pointer</dd>
        <dt>
          <kbd>A</kbd> <kbd>D</kbd>
        </dt>
        <dd>pan</dd>
        <dt>
          <kbd>{area}</kbd>
        </dt>
        <dd>statistics of an area</dd>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>search</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>all keys</dd>
      </dl>
    </div>
  );
}
