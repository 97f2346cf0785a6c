/** The selected area, or the whole trace: tables of slices, instants and counters. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { argumentOf, askArea, wholeParts, type Area, type AreaGroup, type AreaKind, type AreaRow, type AreaScope, type AreaStats } from "../areas.ts";
import { isPast, messageOf } from "../transport/transport.ts";
import type { Span } from "../transport/protocol.ts";
import { insideSelected, showFlame } from "../flame_actions.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { CounterTable, InstantTable, traceColumns } from "./area_events.tsx";
import { nsOf } from "./durations.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { fileNameOf, formatCount, formatNumber, nameOf, shareText } from "./format.ts";
import { GroupSelect } from "./group_select.tsx";
import { HistogramChart } from "./histogram_chart.tsx";
import { IconButton } from "./icons.tsx";
import { ErrorText, Switch } from "./parts.tsx";
import { compareTexts, compareValues, type Column } from "./table.tsx";
import type { Lines } from "./table_tools.tsx";

/** The minimum width of the slice's name. */
const NAME_PX = 160;
const OF_TIME = "Total divided by the time of the area. Above 100 % if slices run at the same time or inside each other.";

const TITLES: Record<string, string> = { name: "Name", category: "Category", thread: "Thread", process: "Process" };

const SPANS = [
  ["total", "Total"],
  ["self", "Self"],
  ["average", "Average"],
  ["min", "Min"],
  ["p50", "p50"],
  ["p90", "p90"],
  ["p99", "p99"],
  ["max", "Max"],
  ["deviation", "Deviation"],
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
      title: argumentOf(by) ?? TITLES[by] ?? "",
      kind: "text",
      text: (row) => nameOf(row.name),
      compare: (a, b) => compareTexts(nameOf(a.name), nameOf(b.name)),
      width: { least: NAME_PX },
    },
  ];
  columns.push(...traceColumns<AreaRow>(traceOf));
  columns.push(number("count", "Count", (row) => formatNumber(row.count), (a, b) => a.count - b.count));
  for (const [key, title] of SPANS)
    columns.push({ ...number(key, title, (row) => row[key].text, (a, b) => compareSpans(a[key], b[key], a.trace === b.trace ? "ticks" : "ns")), ns: (row) => nsOf(row[key]) });
  columns.push({ ...number("share", "Share", (row) => shareText(row.share), (a, b) => a.share - b.share), hint: "Self time as a part of all self times" });
  if (rows.some((row) => row.ofTime !== null)) columns.push({ ...number("time", "Of time", (row) => shareText(row.ofTime ?? 0), (a, b) => (a.ofTime ?? 0) - (b.ofTime ?? 0)), hint: OF_TIME });
  if (rows.some((row) => row.cpu !== null))
    columns.push(number("cpu", "CPU", (row) => row.cpu?.text ?? "", (a, b) => compareValues(BigInt(a.cpu?.ns ?? -1), BigInt(b.cpu?.ns ?? -1))));
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
  return area === null ? <p class="empty">Counting…</p> : <AreaTable viewer={viewer} area={area} />;
}

type Place = "trace" | "area";

function placeOf(area: Area): Place {
  return area.parts[0]?.end === "" ? "trace" : "area";
}

const KINDS: [AreaKind, string][] = [
  ["slices", "Slices"],
  ["instants", "Instants"],
  ["counters", "Counters"],
];

function AreaTable({ viewer, area }: { viewer: Viewer; area: Area }) {
  const kind = useStore(viewer.areaKind);
  const traces = useStore(viewer.loading.traces);
  const traceOf = area.parts.length > 1 ? (trace: number) => fileNameOf(traces[trace]?.info.file.name ?? "") : null;
  const lead = <Switch label="Table of the area" values={KINDS} value={kind} onChange={(value) => viewer.areaKind.set(value)} />;
  const { stats, events } = area;
  if (area.error === null && kind === "slices" && stats !== null) return <SliceTable viewer={viewer} area={area} stats={stats} lead={lead} traceOf={traceOf} />;
  if (area.error === null && kind !== "slices" && events !== null) {
    const EventTable = kind === "instants" ? InstantTable : CounterTable;
    return <EventTable viewer={viewer} events={events} lead={lead} place={placeOf(area)} traceOf={traceOf} />;
  }
  return (
    <div class="area">
      <div class="area-head">{lead}</div>
      {area.error !== null ? <ErrorText text={area.error} /> : <p class="empty">Counting…</p>}
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
      label="Statistics"
      lead={lead}
      summary={<Summary stats={stats} place={place} />}
      tools={
        <>
          <ScopeSelect viewer={viewer} />
          <GroupSelect viewer={viewer} parts={stats.parts} />
          <IconButton icon="histogram" label="Histogram of durations" pressed={isHistogram} onClick={() => viewer.histogram.toggle()} />
        </>
      }
      above={isHistogram && <HistogramChart viewer={viewer} stats={stats} />}
      empty={emptySentence(stats, place)}
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
        labelOf: (row) => `Callers and callees of ${nameOf(row.name)}`,
        run: (row) => showFlame(viewer, "sandwich", stats.scope.kind === "all" ? place : stats.scope.kind, { trace: row.trace, name: row.name ?? "" }),
      } : undefined}
      hintOf={(row) => `${nameOf(row.name)}\n${isByName ? "Highlights all of this name; double-click goes to the longest" : "Goes to the longest slice"}`}
    />
  );
}

/** Nouns with a plural in -s, which formatCount adds. */
const NOUNS: Record<string, string> = { name: "name", category: "group", thread: "thread", process: "group" };

function nounOf(by: AreaGroup): string {
  return NOUNS[by] ?? "value";
}

function scopeText({ scope }: AreaStats, place: Place): string {
  if (scope.kind === "matches") return `Matches of “${scope.text}”: `;
  if (scope.kind === "slice") return `Inside ${nameOf(scope.name)}: `;
  return place === "trace" ? "Whole trace: " : "";
}

function emptySentence({ by, range, scope }: AreaStats, place: Place): string {
  const argument = argumentOf(by);
  if (range !== null) return "No slice has such a duration.";
  if (argument !== null) return `No counted slice has the argument ${argument}.`;
  return scope.kind === "matches" ? `No slice in this ${place} matches the search.` : `There is no slice in this ${place}.`;
}

/** The choice of the slices that count. */
function ScopeSelect({ viewer }: { viewer: Viewer }) {
  const scope = useStore(viewer.areaScope);
  const { text, error } = useStore(viewer.search.state);
  useStore(viewer.details);
  const inside = insideSelected(viewer) ?? (scope.kind === "slice" ? scope : null);
  const matches = text !== "" && error === null ? ({ kind: "matches", text, inValues: viewer.search.inValues } as const) : scope.kind === "matches" ? scope : null;
  const choices: [string, AreaScope | null][] = [
    ["all slices", { kind: "all" }],
    [matches === null ? "matches of the search" : `matches of ${matches.text}`, matches],
    ["inside the selected slice", inside],
  ];
  const kinds = ["all", "matches", "slice"] as const;
  return (
    <select
      class="area-group area-scope"
      aria-label="Slices that count"
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
  const noun = nounOf(stats.by);
  const argument = argumentOf(stats.by);
  return (
    <>
      {scopeText(stats, place)}
      {formatCount(stats.slices, "slice")}
      {argument !== null && ` with ${argument}`}, {formatCount(stats.names, noun)}, {stats.totals.join(" + ")} of self time
      {stats.names > listed && `; the ${formatCount(listed, noun)} with most time are listed`}
      {stats.perspectives.length > 0 && `, counted by ${stats.perspectives.join(", ").toLowerCase()}`}
      {stats.left_out_tracks > 0 && (
        <span class="muted"> without {formatCount(stats.left_out_tracks, "track")} of samples: select those alone</span>
      )}
    </>
  );
}
