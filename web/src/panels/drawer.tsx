/** The drawer next to the timeline or over it: tabs, and the panel of the selected one. Closed: the tabs only. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { IconButton } from "./icons.tsx";
import { WholeOffers } from "./load_cards.tsx";
import { useTabs, type TabRow } from "./tabs.tsx";
import { t } from "../texts.ts";

const MIN_PX = 120;
const STEP_PX = 24;

export function Drawer({ viewer }: { viewer: Viewer }) {
  const { drawer, settings } = viewer;
  const open = useStore(drawer.isOpen);
  const isWhole = useStore(drawer.isWhole);
  const tab = useStore(drawer.tab);
  const { side, bottomPx, rightPx } = useStore(settings.saved);
  const isVacant = useStore(viewer.loading.traces).length === 0;
  const tabs = useTabs(viewer);
  useStore(viewer.keys.commands); // for the tooltips
  const Panel = tabs.find((row) => row.id === tab)?.panel;
  // The bar has its place from the start: each change of the size of the timeline costs its painter a pause.
  if (isVacant || Panel === undefined) return <div class="drawer closed vacant-drawer"><div class="drawer-bar" /></div>;
  const bar = <TabBar viewer={viewer} tabs={tabs} />;
  if (!open)
    return (
      <aside class="drawer closed" aria-label={t("common.details")}>
        <div class="drawer-bar">
          {bar}
          <IconButton icon="up" label={viewer.keys.tip(t("drawer.open-the-drawer"), "toggle-drawer")} onClick={() => drawer.toggle()} />
        </div>
      </aside>
    );
  const size = side === "bottom" ? bottomPx : rightPx;
  return (
    <aside
      class="drawer"
      aria-label={t("common.details")}
      ref={(element) => element?.style.setProperty("--drawer-size", `${size}px`)}
    >
      <Splitter viewer={viewer} />
      <div class="drawer-bar">
        {bar}
        {!isWhole && (
          <IconButton
            icon={side === "bottom" ? "dock-right" : "dock-bottom"}
            label={side === "bottom" ? t("drawer.move-to-the-right") : t("drawer.move-to-the-bottom")}
            onClick={() => settings.change({ side: side === "bottom" ? "right" : "bottom" })}
          />
        )}
        <IconButton
          icon={isWhole ? "shrink" : "enlarge"}
          label={isWhole ? viewer.keys.tip(t("drawer.show-the-timeline-again"), "timeline") : viewer.keys.tip(t("drawer.fill-the-window"), "enlarge-drawer")}
          onClick={() => drawer.toggleWhole()}
        />
        <IconButton icon="close" label={viewer.keys.tip(t("drawer.close-the-drawer"), "toggle-drawer")} onClick={() => drawer.toggle()} />
      </div>
      <div class="drawer-body" role="tabpanel" id="drawer-panel" aria-labelledby={`tab-${tab}`}>
        <WholeOffers viewer={viewer} />
        <Panel viewer={viewer} />
      </div>
    </aside>
  );
}

/** The part of the bar by which a button scrolls it. */
const SCROLL_SHARE = 0.75;

/**
 * The tabs in a row. If it is wider than its place, it fades at its ends, and buttons there scroll it. Both buttons are
 * there meanwhile: a button that comes or goes would change the place of the row, and cut the tab that was scrolled to.
 */
function TabBar({ viewer, tabs }: { viewer: Viewer; tabs: TabRow[] }) {
  const bar = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState({ left: false, right: false });
  const measure = () => {
    const element = bar.current;
    if (element === null) return;
    const left = element.scrollLeft > 1;
    const right = element.scrollLeft + element.clientWidth < element.scrollWidth - 1;
    setHidden((before) => (before.left === left && before.right === right ? before : { left, right }));
  };
  useEffect(() => {
    const element = bar.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const tab of element.children) observer.observe(tab);
    return () => observer.disconnect();
  }, [tabs.length]);
  const isWider = hidden.left || hidden.right;
  const scroll = (step: number) => bar.current?.scrollBy({ left: step * SCROLL_SHARE * bar.current.clientWidth });
  return (
    <>
      {isWider && <IconButton icon="left" label={t("drawer.tabs-to-the-left")} disabled={!hidden.left} onClick={() => scroll(-1)} />}
      <div
        class={`tabs ${hidden.left ? "more-left" : ""} ${hidden.right ? "more-right" : ""}`}
        role="tablist"
        aria-label={t("drawer.panels-of-the-drawer")}
        ref={bar}
        onScroll={measure}
        onWheel={(event) => event.deltaX === 0 && bar.current?.scrollBy({ left: event.deltaY })}
      >
        {tabs.map((row) => (
          <TabButton key={row.id} viewer={viewer} row={row} tabs={tabs} />
        ))}
      </div>
      {isWider && <IconButton icon="right" label={t("drawer.tabs-to-the-right")} disabled={!hidden.right} onClick={() => scroll(1)} />}
    </>
  );
}

interface TabProps {
  viewer: Viewer;
  row: TabRow;
  tabs: TabRow[];
}

function TabButton({ viewer, row, tabs }: TabProps) {
  const { tab } = viewer.drawer;
  const isOpen = useStore(viewer.drawer.isOpen);
  const isCurrent = row.id === tab.value;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isCurrent) button.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isCurrent]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.indexOf(row);
    const next = { ArrowLeft: at + tabs.length - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const other = tabs[next % tabs.length] as TabRow;
    tab.set(other.id);
    document.getElementById(`tab-${other.id}`)?.focus();
  };
  const note = row.note?.(viewer) ?? "";
  return (
    <button
      ref={button}
      type="button"
      role="tab"
      id={`tab-${row.id}`}
      aria-selected={isCurrent && isOpen}
      aria-controls={isOpen ? "drawer-panel" : undefined}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => viewer.drawer.show(row.id, `tab-${row.id}`)}
      onKeyDown={onKeyDown}
    >
      {note === "" ? t(row.title) : `${t(row.title)} (${note})`}
    </button>
  );
}

/** Changes the size of the drawer by dragging or with the arrow keys; a double click fills the window. */
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
      aria-label={t("drawer.size-of-the-drawer")}
      aria-orientation={isBottom ? "horizontal" : "vertical"}
      aria-valuenow={size}
      aria-valuemin={MIN_PX}
      onDblClick={() => viewer.drawer.toggleWhole()}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
