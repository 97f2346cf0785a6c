/** The texts of the drawer while no event is selected. */
import { useStore } from "../store.ts";
import { splitKeys } from "../keys.ts";
import type { Viewer } from "../viewer.ts";
import { Keys } from "./keys.tsx";
import { RecentList } from "./recent_list.tsx";
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
      Click a slice to see everything about it here; {area} over slices for statistics by name. <Keys keys={viewer.keys.of("help")} /> shows all
      keys.
    </p>
  );
}

/** About the example that the page opens by itself. */
export function Welcome({ viewer }: { viewer: Viewer }) {
  const area = useAreaDrag(viewer);
  useStore(viewer.keys.commands);
  const FirstKey = ({ name }: { name: string }) => <Keys keys={splitKeys(viewer.keys.of(name))[0] ?? ""} />;
  return (
    <div class="welcome">
      <div>
        <p>
          Every bar is something a program did, from its begin to its end; what it called in turn stands below it. This
          is Chromium loading a page: look for the long stretch in the <b>CrRendererMain</b> thread. Drop a trace of your
          own anywhere on this page to see that instead; it never leaves this machine.
        </p>
        <RecentList viewer={viewer} />
      </div>
      <dl class="five-keys">
        <dt>
          <FirstKey name="zoom-in" /> <FirstKey name="zoom-out" />
        </dt>
        <dd>zoom at the pointer</dd>
        <dt>
          <FirstKey name="pan-left" /> <FirstKey name="pan-right" />
        </dt>
        <dd>pan</dd>
        <dt>
          <kbd>{area}</kbd>
        </dt>
        <dd>statistics of an area</dd>
        <dt>
          <FirstKey name="search" />
        </dt>
        <dd>search</dd>
        <dt>
          <FirstKey name="help" />
        </dt>
        <dd>all keys</dd>
      </dl>
    </div>
  );
}
