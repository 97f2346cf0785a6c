/** The tabs of the drawer, one row of the table for each. A command of the key table opens a tab: view/commands.c. */
import type { ComponentType } from "preact";
import type { Tab } from "../drawer.ts";
import { useStores, type Changing } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { AreaPanel } from "./area_panel.tsx";
import { CategoryPanel } from "./category_panel.tsx";
import { ComparePanel } from "./compare_panel.tsx";
import { DetailsPanel } from "./details_panel.tsx";
import { FlamePanel } from "./flame_panel.tsx";
import { formatNumber } from "./format.ts";
import { FramesPanel } from "./frames_panel.tsx";
import { GoPanel } from "./go_panel.tsx";
import { MarksPanel } from "./marks_panel.tsx";
import { OverviewPanel } from "./overview_panel.tsx";
import { SearchPanel } from "./search_panel.tsx";
import { SqlPanel } from "./sql_panel.tsx";
import { t, type PlainId } from "../texts.ts";

export interface TabRow {
  readonly id: Tab;
  readonly title: PlainId;
  readonly panel: ComponentType<{ viewer: Viewer }>;
  /** The command that opens the tab, and the id of the element that gets the focus then. */
  readonly command?: string;
  readonly focus?: string;
  /** The tab stays open when an event is selected in the timeline. */
  readonly isView?: boolean;
  /** A text after the title, "" = none. */
  readonly note?: (viewer: Viewer) => string;
  /** The reason why the tab is absent, as a sentence; null = the tab is present. */
  readonly missing?: (viewer: Viewer) => string | null;
  /** The stores that `note` and `missing` read. */
  readonly stores?: (viewer: Viewer) => Changing[];
}

const count = (number: number) => (number > 0 ? formatNumber(number) : "");

/** From left to right. */
export const TABS: readonly TabRow[] = [
  { id: "overview", title: "common.overview", panel: OverviewPanel, command: "trace-info", focus: "tab-overview" },
  { id: "details", title: "common.details", panel: DetailsPanel },
  {
    id: "search",
    title: "common.matches",
    panel: SearchPanel,
    command: "matches",
    note: ({ search }) => count(search.state.value.matches.length),
    missing: ({ search }) => (search.state.value.text === "" ? t("tabs.search-for-something-first") : null),
    stores: ({ search }) => [search.state],
  },
  {
    id: "area",
    title: "tabs.area",
    panel: AreaPanel,
    command: "names",
    focus: "tab-area",
    note: ({ area }) => count(area.value?.stats?.names ?? 0),
    stores: ({ area }) => [area],
  },
  {
    id: "marks",
    title: "tabs.marks",
    panel: MarksPanel,
    command: "marks",
    focus: "tab-marks",
    note: ({ notes }) => count(notes.list.value.notes.length),
    stores: ({ notes }) => [notes.list],
  },
  { id: "flame", title: "common.flame-graph", panel: FlamePanel, isView: true },
  {
    id: "categories",
    title: "common.categories",
    panel: CategoryPanel,
    command: "categories",
    focus: "category-filter",
    note: ({ categories }) => {
      const hidden = count(categories.hidden.value.reduce((sum, set) => sum + set.size, 0));
      return hidden === "" ? "" : t("tabs.hidden", { number: hidden });
    },
    stores: ({ categories }) => [categories.hidden],
  },
  {
    id: "frames",
    title: "common.frames",
    panel: FramesPanel,
    command: "frames",
    focus: "frames-table",
    missing: (viewer) => (viewer.frameTrace(viewer.loading.traces.value) < 0 ? t("tabs.no-capture-of-calls") : null),
    stores: ({ loading }) => [loading.traces],
  },
  {
    id: "go",
    title: "common.go",
    panel: GoPanel,
    command: "go",
    focus: "go-what",
    missing: (viewer) => (viewer.goTrace(viewer.loading.traces.value) < 0 ? t("tabs.no-go-trace-is") : null),
    stores: ({ loading }) => [loading.traces],
  },
  { id: "sql", title: "tabs.sql", panel: SqlPanel, command: "sql", focus: "sql-editor", isView: true },
  { id: "compare", title: "tabs.compare", panel: ComparePanel, command: "compare", focus: "tab-compare", isView: true },
];

export const VIEW_TABS: readonly Tab[] = TABS.filter((row) => row.isView === true).map((row) => row.id);

/** Returns the present tab with an id, null = absent. */
export function findTab(viewer: Viewer, id: string): Tab | null {
  const row = TABS.find((tab) => tab.id === id);
  return row === undefined || (row.missing?.(viewer) ?? null) !== null ? null : row.id;
}

/** Returns the present tabs, including the shown one. */
export function useTabs(viewer: Viewer): TabRow[] {
  useStores([viewer.drawer.tab, ...TABS.flatMap((row) => row.stores?.(viewer) ?? [])]);
  return TABS.filter((row) => row.id === viewer.drawer.tab.value || (row.missing?.(viewer) ?? null) === null);
}

/** Opens the tab of a command, or shows the reason for its absence. False for a command without a tab. */
export function openTab(viewer: Viewer, command: string): boolean {
  const row = TABS.find((tab) => tab.command === command);
  if (row === undefined) return false;
  const missing = row.missing?.(viewer) ?? null;
  if (missing === null) viewer.drawer.show(row.id, row.focus);
  else viewer.say(missing);
  return true;
}
