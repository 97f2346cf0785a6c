/**
 * The selected area, or the whole trace: statistics by name as a table that can be sorted, filtered, copied and saved.
 */
import { useEffect, useState } from "preact/hooks";
import { askStats, wholeParts, type Area, type AreaGroup, type AreaRow, type AreaStats } from "../areas.ts";
import { isPast, messageOf } from "../carrier/carrier.ts";
import type { Span } from "../carrier/protocol.ts";
import { csvOf } from "../csv.ts";
import { useStore } from "../store.ts";
import { showFlame } from "../flame_actions.ts";
import { saveBytes } from "../saving.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatCount, formatNumber, nameOf } from "./format.ts";
import { HistogramChart } from "./histogram_chart.tsx";
import { IconButton } from "./icons.tsx";
import { compareTexts, compareValues, sorted, Table, type Column, type Sort } from "./table.tsx";
import { ErrorText } from "./parts.tsx";

/** Widths of text columns: the trace's name, and the minimum for the slice's name. */
const TRACE_PX = 160;
const NAME_PX = 180;

const GROUPS: [AreaGroup, string][] = [
  ["name", "Name"],
  ["category", "Category"],
  ["thread", "Thread"],
  ["process", "Process"],
];

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

function shareText(share: number): string {
  return `${(100 * share).toFixed(share < 0.0995 ? 2 : 1)} %`;
}

/** Returns the columns of the table: CPU time only if a slice has it, the trace only if there are several. */
function columnsOf({ rows, by }: AreaStats, traceOf: ((row: AreaRow) => string) | null): Column<AreaRow>[] {
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
      title: GROUPS.find(([group]) => group === by)?.[1] ?? "",
      kind: "text",
      text: (row) => nameOf(row.name),
      compare: (a, b) => compareTexts(nameOf(a.name), nameOf(b.name)),
      width: { least: NAME_PX },
    },
  ];
  if (traceOf !== null)
    columns.push({ key: "trace", title: "Trace", kind: "text", class: "trace", text: traceOf, compare: (a, b) => a.trace - b.trace, width: { px: TRACE_PX } });
  columns.push(number("count", "Count", (row) => formatNumber(row.count), (a, b) => a.count - b.count));
  for (const [key, title] of SPANS)
    columns.push(number(key, title, (row) => row[key].text, (a, b) => compareSpans(a[key], b[key], a.trace === b.trace ? "ticks" : "ns")));
  columns.push(number("share", "Share", (row) => shareText(row.share), (a, b) => a.share - b.share));
  if (rows.some((row) => row.cpu !== null))
    columns.push(number("cpu", "CPU", (row) => row.cpu?.text ?? "", (a, b) => compareValues(BigInt(a.cpu?.ns ?? -1), BigInt(b.cpu?.ns ?? -1))));
  return columns;
}

/** Returns the table with exact values. */
function linesOf(rows: readonly AreaRow[], by: AreaGroup, traceOf: ((row: AreaRow) => string) | null): (string | number | null)[][] {
  const own = traceOf === null ? [] : ["trace"];
  const head = [...own, by, "count", ...SPANS.map(([key]) => `${key}_ns`), "share", "cpu_ns"];
  const lines = rows.map((row) => [
    ...(traceOf === null ? [] : [traceOf(row)]),
    row.name === "" ? null : row.name,
    row.count,
    ...SPANS.map(([key]) => row[key].ns),
    row.share,
    row.cpu?.ns ?? null,
  ]);
  return [head, ...lines];
}

export function AreaPanel({ viewer }: { viewer: Viewer }) {
  const area = useStore(viewer.area);
  return area === null ? <WholeTable viewer={viewer} /> : <AreaTable viewer={viewer} area={area} />;
}

/** Without an area: the table of all names, requested when it is opened. */
function WholeTable({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const hidden = useStore(viewer.categories.hidden);
  const group = useStore(viewer.areaGroup);
  const range = useStore(viewer.histogram.range);
  const [area, setArea] = useState<Area | null>(null);
  useEffect(() => {
    const job = new AbortController();
    const parts = wholeParts(traces.length);
    const whole = (stats: AreaStats | null, error: string | null) => setArea({ trace: 0, begin: "", end: "", tracks: [], parts, stats, error });
    askStats(viewer.loading.ready, parts, group, (trace) => viewer.categories.parameters(trace), range, job.signal).then(
      (stats) => whole(stats, null),
      (error: unknown) => {
        if (!isPast(error)) whole(null, messageOf(error));
      },
    );
    return () => job.abort();
  }, [viewer, traces, hidden, group, range]);
  return area === null ? <p class="empty">Counting…</p> : <AreaTable viewer={viewer} area={area} />;
}

function isWhole(area: Area): boolean {
  return area.parts[0]?.end === "";
}

function AreaTable({ viewer, area }: { viewer: Viewer; area: Area }) {
  if (area.error !== null) return <ErrorText text={area.error} />;
  if (area.stats === null) return <p class="empty">Counting…</p>;
  if (area.stats.rows.length === 0 && area.stats.range === null) return <p class="empty">There is no slice in this {isWhole(area) ? "trace" : "area"}.</p>;
  return <Statistics viewer={viewer} area={area} stats={area.stats} />;
}

function Statistics({ viewer, area, stats }: { viewer: Viewer; area: Area; stats: AreaStats }) {
  const [sort, setSort] = useState<Sort>({ key: "total", order: "descending" });
  const [filter, setFilter] = useState("");
  const lit = useStore(viewer.highlighted);
  const traces = useStore(viewer.loading.traces);
  const traceOf = area.parts.length > 1 ? (row: AreaRow) => fileNameOf(traces[row.trace]?.info.file.name ?? "") : null;
  const isByName = stats.by === "name";
  const columns = columnsOf(stats, traceOf);
  const wanted = filter.toLowerCase();
  const rows = wanted === "" ? stats.rows : stats.rows.filter((row) => nameOf(row.name).toLowerCase().includes(wanted));
  const isHistogram = useStore(viewer.histogram.isShown);
  const lines = () => linesOf(sorted(rows, columns, sort), stats.by, traceOf);
  return (
    <div class="area">
      <div class="area-head">
        <Summary stats={stats} isWhole={isWhole(area)} />
        <span class="area-tools">
          <select
            class="area-group"
            aria-label="A row for each"
            value={stats.by}
            onChange={(event) => viewer.areaGroup.set(event.currentTarget.value as AreaGroup)}
          >
            {GROUPS.map(([group, title]) => (
              <option key={group} value={group}>
                by {title.toLowerCase()}
              </option>
            ))}
          </select>
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            class="area-filter"
            placeholder="Filter rows"
            aria-label="Show only rows that contain this"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          <IconButton icon="histogram" label="Histogram of durations" pressed={isHistogram} onClick={() => viewer.histogram.toggle()} />
          <IconButton icon="copy" label="Copy the table" onClick={() => viewer.copy(lines().map((line) => line.join("\t")).join("\n"), "the table")} />
          <IconButton icon="save" label="Save the table as CSV" onClick={() => saveBytes(viewer, csvOf(lines()), "statistics.csv")} />
        </span>
      </div>
      {isHistogram && <HistogramChart viewer={viewer} area={area} />}
      {rows.length === 0 ? (
        <p class="empty">{stats.rows.length === 0 ? "No slice has such a duration." : "No row contains this text."}</p>
      ) : (
        <Table
          label="Statistics"
          rows={rows}
          columns={columns}
          keyOf={(row) => `${row.trace}.${isByName ? row.label : row.longest.slice}`}
          sort={sort}
          onSort={setSort}
          onRow={(row) => (isByName ? viewer.toggleHighlight(row.trace, row.label) : viewer.selection.select({ ...row.longest, trace: row.trace }))}
          onRowTwice={(row) => viewer.selection.select({ ...row.longest, trace: row.trace })}
          isLit={(row) => isByName && lit.trace === row.trace && lit.label === row.label}
          action={isByName ? {
            icon: "sandwich",
            labelOf: (row) => `Callers and callees of ${nameOf(row.name)}`,
            run: (row) => showFlame(viewer, "sandwich", isWhole(area) ? "trace" : "area", { trace: row.trace, name: row.name ?? "" }),
          } : undefined}
          hintOf={(row) => `${nameOf(row.name)}\n${isByName ? "Highlights all of this name; double-click goes to the longest" : "Goes to the longest slice"}`}
        />
      )}
    </div>
  );
}

/** Nouns with a plural in -s, which formatCount adds. */
const NOUNS: Record<AreaGroup, string> = { name: "name", category: "group", thread: "thread", process: "group" };

function Summary({ stats, isWhole: whole }: { stats: AreaStats; isWhole: boolean }) {
  const listed = stats.rows.length;
  return (
    <span>
      {whole && "Whole trace: "}
      {formatCount(stats.slices, "slice")}, {formatCount(stats.names, NOUNS[stats.by])}, {stats.totals.join(" + ")} of self time
      {stats.names > listed && `; the ${formatCount(listed, NOUNS[stats.by])} with most time are listed`}
      {stats.perspectives.length > 0 && `, counted by ${stats.perspectives.join(", ").toLowerCase()}`}
      {stats.left_out_tracks > 0 && (
        <span class="muted"> without {formatCount(stats.left_out_tracks, "track")} of samples: select those alone</span>
      )}
    </span>
  );
}
