/** The texts of the drawer while no event is selected. */
import { useStore } from "../store.ts";
import { splitKeys } from "../keys.ts";
import type { Viewer } from "../viewer.ts";
import { Keys } from "./keys.tsx";
import { RecentList } from "./recent_list.tsx";
import { ViewOption } from "generated/border.ts";
import { rich, t } from "../texts.ts";

function useAreaDrag(viewer: Viewer): string {
  const dragPans = (useStore(viewer.settings.options) & ViewOption.DragPans) !== 0;
  return dragPans ? t("common.shift-drag") : t("welcome.drag");
}

/** The place of the details before the first selection. */
export function NoSelection({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const area = useAreaDrag(viewer);
  if (traces.length === 0) return null;
  return (
    <p class="empty">
      {rich("welcome.no-selection", { drag: area, help: <Keys keys={viewer.keys.of("help")} /> })}
    </p>
  );
}

/** About the example that the page opens by itself. */
export function Welcome({ viewer }: { viewer: Viewer }) {
  const area = useAreaDrag(viewer);
  const awaited = useStore(viewer.link.awaited);
  useStore(viewer.keys.commands);
  const FirstKey = ({ name }: { name: string }) => <Keys keys={splitKeys(viewer.keys.of(name))[0] ?? ""} />;
  return (
    <div class="welcome">
      <div>
        <p>
          {rich("welcome.example", { thread: <b>CrRendererMain</b> })}
        </p>
        {awaited !== "" && <p>{t("welcome.the-link-shows", { name: awaited })}</p>}
        <RecentList viewer={viewer} />
      </div>
      <dl class="five-keys">
        <dt>
          <FirstKey name="zoom-in" /> <FirstKey name="zoom-out" />
        </dt>
        <dd>{t("welcome.zoom-at-the-pointer")}</dd>
        <dt>
          <FirstKey name="pan-left" /> <FirstKey name="pan-right" />
        </dt>
        <dd>{t("welcome.pan")}</dd>
        <dt>
          <kbd>{area}</kbd>
        </dt>
        <dd>{t("welcome.statistics-of-an-area")}</dd>
        <dt>
          <FirstKey name="search" />
        </dt>
        <dd>{t("welcome.search")}</dd>
        <dt>
          <FirstKey name="help" />
        </dt>
        <dd>{t("welcome.all-keys")}</dd>
      </dl>
    </div>
  );
}
