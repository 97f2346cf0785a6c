/** The drawer beside the timeline: details of what is selected, statistics of the selected area. */
import type { ComponentChildren } from "preact";
import { useStore } from "../store.ts";
import type { Tab, Viewer } from "../viewer.ts";
import { AreaPanel } from "./area_panel.tsx";
import { CategoryPanel } from "./category_panel.tsx";
import { DetailsPanel } from "./details_panel.tsx";
import { FramesPanel } from "./frames_panel.tsx";
import { GoPanel } from "./go_panel.tsx";
import { IconButton } from "./icons.tsx";
import { SearchPanel } from "./search_panel.tsx";
import { TracePanel } from "./trace_panel.tsx";
import { formatNumber } from "./format.ts";

/** From left to right. */
const TABS: Tab[] = ["details", "search", "area", "categories", "frames", "go", "trace"];
const MIN_PX = 120;
const STEP_PX = 24;

export function Drawer({ viewer }: { viewer: Viewer }) {
  const open = useStore(viewer.drawerOpen);
  const tab = useStore(viewer.tab);
  const area = useStore(viewer.area);
  const { side, bottomPx, rightPx } = useStore(viewer.settings.saved);
  const traces = useStore(viewer.loading.traces);
  const isVacant = traces.length === 0;
  const { text, matches } = useStore(viewer.search.state);
  const isAway: Partial<Record<Tab, boolean>> = {
    search: text === "" && tab !== "search",
    frames: viewer.frameTrace(traces) < 0,
    go: viewer.goTrace(traces) < 0,
  };
  const tabs = TABS.filter((name) => isAway[name] !== true);
  const hiddenCount = useStore(viewer.categories.hidden).reduce((sum, set) => sum + set.size, 0);
  if (!open || isVacant) return null;
  const size = side === "bottom" ? bottomPx : rightPx;
  return (
    <aside
      class="drawer"
      aria-label="Details"
      ref={(element) => element?.style.setProperty("--drawer-size", `${size}px`)}
    >
      <Splitter viewer={viewer} />
      <div class="drawer-bar">
        <div class="tabs" role="tablist" aria-label="What the drawer shows">
          <TabButton viewer={viewer} name="details" current={tab} tabs={tabs}>
            Details
          </TabButton>
          {tabs.includes("search") && (
            <TabButton viewer={viewer} name="search" current={tab} tabs={tabs}>
              Matches{matches.length > 0 ? ` (${formatNumber(matches.length)})` : ""}
            </TabButton>
          )}
          <TabButton viewer={viewer} name="area" current={tab} tabs={tabs}>
            Area{area?.stats ? ` (${formatNumber(area.stats.names)})` : ""}
          </TabButton>
          <TabButton viewer={viewer} name="categories" current={tab} tabs={tabs}>
            Categories{hiddenCount > 0 ? ` (${formatNumber(hiddenCount)} hidden)` : ""}
          </TabButton>
          {tabs.includes("frames") && (
            <TabButton viewer={viewer} name="frames" current={tab} tabs={tabs}>
              Frames
            </TabButton>
          )}
          {tabs.includes("go") && (
            <TabButton viewer={viewer} name="go" current={tab} tabs={tabs}>
              Go
            </TabButton>
          )}
          <TabButton viewer={viewer} name="trace" current={tab} tabs={tabs}>
            Trace
          </TabButton>
        </div>
        <IconButton
          icon={side === "bottom" ? "dock-right" : "dock-bottom"}
          label={side === "bottom" ? "Move to the right" : "Move to the bottom"}
          onClick={() => viewer.settings.change({ side: side === "bottom" ? "right" : "bottom" })}
        />
        <IconButton icon="close" label="Close the drawer (Q)" onClick={() => viewer.drawerOpen.set(false)} />
      </div>
      <div class="drawer-body" role="tabpanel" id="drawer-panel" aria-labelledby={`tab-${tab}`}>
        <TabPanel viewer={viewer} tab={tab} />
      </div>
    </aside>
  );
}

function TabPanel({ viewer, tab }: { viewer: Viewer; tab: Tab }) {
  switch (tab) {
    case "details":
      return <DetailsPanel viewer={viewer} />;
    case "search":
      return <SearchPanel viewer={viewer} />;
    case "area":
      return <AreaPanel viewer={viewer} />;
    case "categories":
      return <CategoryPanel viewer={viewer} />;
    case "frames":
      return <FramesPanel viewer={viewer} />;
    case "go":
      return <GoPanel viewer={viewer} />;
    case "trace":
      return <TracePanel viewer={viewer} />;
  }
}

interface TabProps {
  viewer: Viewer;
  name: Tab;
  current: Tab;
  tabs: Tab[];
  children: ComponentChildren;
}

function TabButton({ viewer, name, current, tabs, children }: TabProps) {
  const isCurrent = name === current;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const step = event.key === "ArrowLeft" ? tabs.length - 1 : 1;
    const other = tabs[(tabs.indexOf(name) + step) % tabs.length] as Tab;
    viewer.tab.set(other);
    document.getElementById(`tab-${other}`)?.focus();
  };
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      aria-selected={isCurrent}
      aria-controls="drawer-panel"
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => viewer.tab.set(name)}
      onKeyDown={onKeyDown}
    >
      {children}
    </button>
  );
}

/** Drags, or moves by the arrow keys. */
function Splitter({ viewer }: { viewer: Viewer }) {
  const { side, bottomPx, rightPx } = useStore(viewer.settings.saved);
  const isBottom = side === "bottom";
  const size = isBottom ? bottomPx : rightPx;
  const resize = (wanted: number) => {
    const most = (isBottom ? innerHeight : innerWidth) - 2 * MIN_PX;
    const px = Math.round(Math.max(MIN_PX, Math.min(most, wanted)));
    viewer.settings.change(isBottom ? { bottomPx: px } : { rightPx: px });
  };
  const onPointerMove = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    if (bar.hasPointerCapture(event.pointerId)) resize(isBottom ? innerHeight - event.clientY : innerWidth - event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const grows = isBottom ? "ArrowUp" : "ArrowLeft";
    const shrinks = isBottom ? "ArrowDown" : "ArrowRight";
    if (event.key !== grows && event.key !== shrinks) return;
    event.preventDefault();
    resize(size + (event.key === grows ? STEP_PX : -STEP_PX));
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-label="Size of the drawer"
      aria-orientation={isBottom ? "horizontal" : "vertical"}
      aria-valuenow={size}
      aria-valuemin={MIN_PX}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
