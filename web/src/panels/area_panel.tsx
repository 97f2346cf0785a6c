/** The selected area, or the whole trace: tables of slices, instants and counters. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { argumentOf, askArea, wholeParts, type Area, type AreaEvents, type AreaGroup, type AreaKind, type AreaRow, type AreaScope, type AreaStats } from "../areas.ts";
import { isPast, messageOf } from "../transport/transport.ts";
import type { Span } from "../transport/protocol.ts";
import { insideSelected, showFlame } from "../flame_actions.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { CounterTable, InstantTable, traceColumns } from "./area_events.tsx";
import { nsOf } from "./aligned.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { exactShare, exactTimeShare, fileNameOf, formatNumber, nameOf, shareText, timeShareTexts } from "./format.ts";
import { GroupSelect } from "./group_select.tsx";
import { HistogramChart } from "./histogram_chart.tsx";
import { IconButton } from "./icons.tsx";
import { ErrorText, Switch } from "./parts.tsx";
import { compareTexts, compareValues, type Column } from "./table.tsx";
import type { Lines } from "./table_tools.tsx";
import { t, titled, type PlainId } from "../texts.ts";

/** The minimum width of the slice's name. */
const NAME_PX = 128;
const OF_TIME = "area.total-divided-by-the";

const TITLES: Record<string, PlainId> = { name: "common.name", category: "common.category", thread: "common.thread", process: "common.process" };

const SPANS = [
  ["total", "common.total"],
  ["self", "common.self"],
  ["average", "common.average"],
  ["min", "common.min"],
  ["p50", "common.p50"],
  ["p90", "common.p90"],
  ["p99", "common.p99"],
  ["max", "common.max"],
  ["deviation", "area.deviation"],
] as const;

/** Compares durations of several traces in ns, because their clocks may have different ticks. */
function compareSpans(a: Span, b: Span, unit: "ticks" | "ns"): number {
  return compareValues(BigInt(a[unit]), BigInt(b[unit]));
}

/** Returns the columns of the table: CPU time only if a slice has it, the trace only if there are several. */
function columnsOf({ rows, by }: AreaStats, traceOf: SliceTableProps["traceOf"]): Column<AreaRow>[] {
  const number = (key: string, title: string, text: Column<AreaRow>["text"], compare: Column<AreaRow>["compare"]): Column<AreaRow> => ({
    key,
    title,
    kind: "number",
    text,
    compare,
  });
  const columns: Column<AreaRow>[] = [
    {
      key: "name",
      title: argumentOf(by) ?? t(TITLES[by] ?? "common.name"),
      kind: "text",
      text: (row) => nameOf(row.name),
      compare: (a, b) => compareTexts(nameOf(a.name), nameOf(b.name)),
      width: { least: NAME_PX },
    },
  ];
  columns.push(...traceColumns<AreaRow>(traceOf));
  columns.push(number("count", t("common.count"), (row) => formatNumber(row.count), (a, b) => a.count - b.count));
  for (const [key, title] of SPANS)
    columns.push({ ...number(key, t(title), (row) => row[key].text, (a, b) => compareSpans(a[key], b[key], a.trace === b.trace ? "ticks" : "ns")), amount: (row) => nsOf(row[key]) });
  columns.push({ ...number("share", t("common.share"), (row) => shareText(row.share), (a, b) => a.share - b.share), exact: (row) => exactShare(row.share), hint: t("area.self-time-as-a") });
  const timeShareText = timeShareTexts(rows.map((row) => row.ofTime ?? 0));
  if (rows.some((row) => row.ofTime !== null)) columns.push({ ...number("time", t("area.of-time"), (row) => timeShareText(row.ofTime ?? 0), (a, b) => (a.ofTime ?? 0) - (b.ofTime ?? 0)), exact: (row) => exactTimeShare(row.ofTime ?? 0), hint: t(OF_TIME) });
  if (rows.some((row) => row.cpu !== null))
    columns.push({ ...number("cpu", t("area.cpu"), (row) => row.cpu?.text ?? "", (a, b) => compareValues(BigInt(a.cpu?.ns ?? -1), BigInt(b.cpu?.ns ?? -1))), amount: (row) => (row.cpu === null ? null : nsOf(row.cpu)) });
  return columns;
}

/** Returns the table with exact values. */
function linesOf(rows: readonly AreaRow[], by: AreaGroup, traceOf: SliceTableProps["traceOf"]): Lines {
  const own = traceOf === null ? [] : ["trace"];
  const head = [...own, by, "count", ...SPANS.map(([key]) => `${key}_ns`), "share", "time_share", "cpu_ns"];
  const lines = rows.map((row) => [
    ...(traceOf === null ? [] : [traceOf(row.trace)]),
    row.name === "" ? null : row.name,
    row.count,
    ...SPANS.map(([key]) => row[key].ns),
    row.share,
    row.ofTime,
    row.cpu?.ns ?? null,
  ]);
  return [head, ...lines];
}

export function AreaPanel({ viewer }: { viewer: Viewer }) {
  const area = useStore(viewer.area);
  return area === null ? <WholeTable viewer={viewer} /> : <AreaTable viewer={viewer} area={area} />;
}

/** Without an area: the table of the whole traces, requested when it is opened. */
function WholeTable({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const hidden = useStore(viewer.categories.hidden);
  const kind = useStore(viewer.areaKind);
  const group = useStore(viewer.areaGroup);
  const scope = useStore(viewer.areaScope);
  const range = useStore(viewer.histogram.range);
  const [area, setArea] = useState<Area | null>(null);
  useEffect(() => {
    const job = new AbortController();
    const parts = wholeParts(traces.length);
    const whole = { trace: 0, begin: "", end: "", tracks: [], parts };
    askArea(viewer, parts, job.signal).then(
      (tables) => setArea({ ...whole, ...tables, error: null }),
      (error: unknown) => {
        if (!isPast(error)) setArea({ ...whole, stats: null, events: null, error: messageOf(error) });
      },
    );
    return () => job.abort();
  }, [viewer, traces, hidden, kind, group, scope, range]);
  return area === null ? <p class="empty">{t("common.counting")}</p> : <AreaTable viewer={viewer} area={area} />;
}

type Place = "trace" | "area";

function placeOf(area: Area): Place {
  return area.parts[0]?.end === "" ? "trace" : "area";
}

const KINDS: [AreaKind, PlainId][] = [
  ["slices", "common.slices"],
  ["instants", "common.instants"],
  ["counters", "common.counters"],
];

function AreaTable({ viewer, area }: { viewer: Viewer; area: Area }) {
  const kind = useStore(viewer.areaKind);
  const traces = useStore(viewer.loading.traces);
  const traceOf = area.parts.length > 1 ? (trace: number) => fileNameOf(traces[trace]?.info.file.name ?? "") : null;
  const lead = <Switch label={t("area.table-of-the-area")} values={titled(KINDS)} value={kind} onChange={(value) => viewer.areaKind.set(value)} />;
  const { stats, events } = area;
  if (area.error === null && kind === "slices" && stats !== null) return <SliceTable viewer={viewer} area={area} stats={stats} lead={lead} traceOf={traceOf} />;
  if (area.error === null && kind !== "slices" && events !== null) {
    const EventTable = kind === "instants" ? InstantTable : CounterTable;
    return <EventTable viewer={viewer} events={events} lead={lead} place={placeOf(area)} traceOf={traceOf} />;
  }
  return (
    <div class="area">
      <div class="area-head">{lead}</div>
      {area.error !== null ? <ErrorText text={area.error} /> : <p class="empty">{t("common.counting")}</p>}
    </div>
  );
}

interface SliceTableProps {
  viewer: Viewer;
  area: Area;
  stats: AreaStats;
  lead: ComponentChildren;
  /** The name of a trace; null: there is only one. */
  traceOf: ((trace: number) => string) | null;
}

function SliceTable({ viewer, area, stats, lead, traceOf }: SliceTableProps) {
  const lit = useStore(viewer.highlighted);
  const isHistogram = useStore(viewer.histogram.isShown);
  const isByName = stats.by === "name";
  const place = placeOf(area);
  return (
    <FilteredTable
      viewer={viewer}
      label={t("area.statistics")}
      lead={lead}
      summary={<Summary stats={stats} place={place} />}
      tools={
        <>
          <ScopeSelect viewer={viewer} />
          <GroupSelect viewer={viewer} parts={stats.parts} />
          <IconButton icon="histogram" label={t("area.histogram-of-durations")} pressed={isHistogram} onClick={() => viewer.histogram.toggle()} />
        </>
      }
      above={isHistogram && <HistogramChart viewer={viewer} stats={stats} />}
      empty={
        <>
          {emptySentence(stats, place)} <OtherTables viewer={viewer} events={area.events} />
        </>
      }
      rows={stats.rows}
      columns={columnsOf(stats, traceOf)}
      order={{ key: "total", order: "descending" }}
      keyOf={(row) => `${row.trace}.${isByName ? row.label : row.longest.slice}`}
      textOf={(row) => nameOf(row.name)}
      linesOf={(rows) => linesOf(rows, stats.by, traceOf)}
      file="statistics.csv"
      onRow={(row) => (isByName ? viewer.toggleHighlight(row.trace, row.label) : viewer.selection.select({ ...row.longest, trace: row.trace }))}
      onRowTwice={(row) => viewer.selection.select({ ...row.longest, trace: row.trace })}
      onPoint={isByName ? (row) => viewer.pointName(row) : undefined}
      isLit={(row) => isByName && lit.trace === row.trace && lit.label === row.label}
      action={isByName ? {
        icon: "sandwich",
        labelOf: (row) => t("area.callers-and-callees-of", { name: nameOf(row.name) }),
        run: (row) => showFlame(viewer, "sandwich", stats.scope.kind === "all" ? place : stats.scope.kind, { trace: row.trace, name: row.name ?? "" }),
      } : undefined}
      hintOf={(row) => `${nameOf(row.name)}\n${isByName ? t("area.highlights-all-of-this") : t("area.goes-to-the-longest")}`}
    />
  );
}

const COUNTS: Record<string, "count.name" | "count.group" | "count.thread"> = { name: "count.name", category: "count.group", thread: "count.thread", process: "count.group" };

function countText(by: AreaGroup, count: number): string {
  return t(COUNTS[by] ?? "count.value", { count });
}

function scopeText({ scope }: AreaStats, place: Place): string {
  if (scope.kind === "matches") return t("area.matches-of", { text: scope.text });
  if (scope.kind === "slice") return t("area.inside", { name: nameOf(scope.name) });
  return place === "trace" ? t("area.whole-trace") : "";
}

const EMPTY = {
  trace: ["area.no-slice-in-trace", "area.no-match-in-trace"],
  area: ["area.no-slice-in-area", "area.no-match-in-area"],
} as const;

function emptySentence({ by, range, scope }: AreaStats, place: Place): string {
  const argument = argumentOf(by);
  if (range !== null) return t("area.no-slice-has-such");
  if (argument !== null) return t("area.no-counted-slice-has", { argument });
  return t(EMPTY[place][scope.kind === "matches" ? 1 : 0]);
}

/** Links to the tables that have rows if there are no slices. */
function OtherTables({ viewer, events }: { viewer: Viewer; events: AreaEvents | null }) {
  const others: [AreaKind, string, number][] = [
    ["instants", t("count.instant", { count: events?.instants ?? 0 }), events?.instants ?? 0],
    ["counters", t("area-events.series", { count: events?.counters ?? 0 }), events?.counters ?? 0],
  ];
  return (
    <span class="other-tables">
      {others.map(([kind, text, count]) =>
        count === 0 ? null : (
          <button key={kind} type="button" class="link" onClick={() => viewer.areaKind.set(kind)}>
            {text}
          </button>
        ),
      )}
    </span>
  );
}

/** The choice of the slices that count. */
function ScopeSelect({ viewer }: { viewer: Viewer }) {
  const scope = useStore(viewer.areaScope);
  const { text, error } = useStore(viewer.search.state);
  useStore(viewer.details);
  const inside = insideSelected(viewer) ?? (scope.kind === "slice" ? scope : null);
  const matches = text !== "" && error === null ? ({ kind: "matches", text, inValues: viewer.search.inValues } as const) : scope.kind === "matches" ? scope : null;
  const choices: [string, AreaScope | null][] = [
    [t("area.all-slices"), { kind: "all" }],
    [matches === null ? t("area.matches-of-the-search") : t("area.matches-of-2", { text: matches.text }), matches],
    [t("area.inside-the-selected-slice"), inside],
  ];
  const kinds = ["all", "matches", "slice"] as const;
  return (
    <select
      class="area-group area-scope"
      aria-label={t("area.slices-that-count")}
      value={scope.kind}
      onChange={(event) => {
        const chosen = choices[event.currentTarget.selectedIndex]?.[1];
        if (chosen !== null && chosen !== undefined) viewer.areaScope.set(chosen);
      }}
    >
      {choices.map(([title, choice], i) => (
        <option key={kinds[i]} value={kinds[i]} disabled={choice === null}>
          {title}
        </option>
      ))}
    </select>
  );
}

function Summary({ stats, place }: { stats: AreaStats; place: Place }) {
  const listed = stats.rows.length;
  const argument = argumentOf(stats.by);
  const slices = t("count.slice", { count: stats.slices });
  const sums = { slices: argument === null ? slices : t("area.with-argument", { slices, argument }), rows: countText(stats.by, stats.names), times: stats.totals.map((total) => total.text).join(" + ") };
  return (
    <>
      {scopeText(stats, place)}
      {t("area.sums", sums)}
      {stats.names > listed && t("area.the-with-most-time", { listed: countText(stats.by, listed) })}
      {stats.perspectives.length > 0 && t("common.counted-by", { perspectives: stats.perspectives.join(", ").toLowerCase() })}
      {stats.left_out_tracks > 0 && (
        <span class="muted"> {t("area.left-out", { count: stats.left_out_tracks })}</span>
      )}
    </>
  );
}
