/** Tables of Go traces: by function, by goroutine, by type of task and region. */
import { MOST_ROWS, TIMES } from "../go.ts";
import type { GoFunction, GoGoroutine, GoType } from "../transport/go_protocol.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { formatNs, formatNumber } from "./format.ts";
import { compareTexts, type Column } from "./table.tsx";
import type { Lines } from "./table_tools.tsx";
import { t, titled } from "../texts.ts";

const NAME_PX = 128;
/** "–" in a cell without an amount. */
const NONE = "–";

export function functionName(name: string | null): string {
  return name === null || name === "" ? t("common.not-known") : name;
}

/** A column of durations with one unit. */
export function timeColumn<Row>(key: string, title: string, ns: (row: Row) => string): Column<Row> {
  const isNull = (row: Row) => ns(row) === "0";
  return { key, title, kind: "number", text: () => NONE, amount: (row) => (isNull(row) ? null : BigInt(ns(row))), isNull, compare: (a, b) => Number(BigInt(ns(a)) - BigInt(ns(b))) };
}

/** A column of sizes with one unit. */
export function bytesColumn<Row>(key: string, title: string, bytes: (row: Row) => number): Column<Row> {
  const isNull = (row: Row) => bytes(row) === 0;
  return { key, title, kind: "number", text: () => NONE, amount: (row) => (isNull(row) ? null : bytes(row)), quantity: "bytes", isNull, compare: (a, b) => bytes(a) - bytes(b) };
}

export function countColumn<Row>(key: string, title: string, count: (row: Row) => number): Column<Row> {
  return { key, title, kind: "number", text: (row) => formatNumber(count(row)), compare: (a, b) => count(a) - count(b) };
}

/** Returns a text about the rows beyond the limit. */
function summaryOf(rows: readonly unknown[]): string {
  const count = t("count.row", { count: rows.length });
  return rows.length < MOST_ROWS ? count : t("go-tables.only-the-with-the", { rows: count });
}

const TIME_KEYS = [["total_ns", "common.total"], ...TIMES] as const;
type TimeKey = (typeof TIME_KEYS)[number][0];

function timeColumns<Row extends { [key in TimeKey]: string }>(): Column<Row>[] {
  return titled(TIME_KEYS).map(([key, title]) => timeColumn(key, title, (row) => row[key]));
}

/** Returns the lines of a copy: names and counts, then the exact times. */
function linesOf<Row extends { [key in TimeKey]: string }>(rows: readonly Row[], head: string[], names: (row: Row) => Lines[number]): Lines {
  const keys = TIME_KEYS.map(([key]) => key);
  return [[...head, ...keys], ...rows.map((row) => [...names(row), ...keys.map((key) => row[key])])];
}

export function GoFunctions({ viewer, rows }: { viewer: Viewer; rows: GoFunction[] }) {
  const shown = useStore(viewer.rows).filter;
  const toggle = (name: string) => {
    const pattern = shown === name ? "" : name;
    if (pattern !== "") viewer.perspectives.lookFrom("Goroutines");
    viewer.filterTracks(pattern);
  };
  const nameOf = (row: GoFunction) => functionName(row.function);
  return (
    <FilteredTable
      viewer={viewer}
      label={t("go-tables.time-by-function")}
      lead={null}
      summary={summaryOf(rows)}
      empty={t("go-tables.there-is-no-goroutine")}
      rows={rows}
      columns={[
        { key: "function", title: t("go-tables.function"), kind: "text", text: nameOf, compare: (a, b) => compareTexts(nameOf(a), nameOf(b)), width: { least: NAME_PX } },
        countColumn<GoFunction>("count", t("common.count"), (row) => row.count),
        ...timeColumns<GoFunction>(),
      ]}
      order={{ key: "execution_ns", order: "descending" }}
      keyOf={nameOf}
      textOf={nameOf}
      linesOf={(of) => linesOf(of, ["function", "count"], (row) => [row.function, row.count])}
      file="functions.csv"
      onRow={(row) => toggle(row.function ?? "")}
      isLit={(row) => shown !== "" && shown === row.function}
      hintOf={(row) => t("go-tables.shows-only-its-goroutines", { function: nameOf(row) })}
    />
  );
}

interface GoroutinesProps {
  viewer: Viewer;
  trace: number;
  rows: GoGoroutine[];
  end: string;
}

export function GoGoroutines({ viewer, trace, rows, end }: GoroutinesProps) {
  const nameOf = (row: GoGoroutine) => `G${row.goroutine} ${functionName(row.function)}`;
  return (
    <FilteredTable
      viewer={viewer}
      label={t("go-tables.time-by-goroutine")}
      lead={null}
      summary={summaryOf(rows)}
      empty={t("go-tables.there-is-no-goroutine")}
      rows={rows}
      columns={[
        {
          key: "goroutine",
          title: t("go-tables.goroutine"),
          kind: "text",
          text: nameOf,
          cell: (row) => (
            <>
              G{row.goroutine} <span class="muted">{functionName(row.function)}</span>
            </>
          ),
          compare: (a, b) => a.goroutine - b.goroutine,
          width: { least: NAME_PX },
        },
        ...timeColumns<GoGoroutine>(),
      ]}
      order={{ key: "execution_ns", order: "descending" }}
      keyOf={(row) => `${row.goroutine} ${row.created_ns}`}
      textOf={nameOf}
      linesOf={(of) => linesOf(of, ["goroutine", "function"], (row) => [row.goroutine, row.function])}
      file="goroutines.csv"
      onRow={(row) => viewer.showRange(trace, row.created_ns, row.ended_ns ?? end)}
      onRowTwice={(row) => viewer.perspectives.lookFrom("Processors", () => viewer.selection.selectNamed(trace, `G${row.goroutine} ${row.function ?? ""}`))}
      hintOf={(row) => t("go-tables.g-shows-the-time", { goroutine: row.goroutine, function: functionName(row.function) })}
    />
  );
}

const TYPE_KEYS = ["min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns", "total_ns"] as const;

export function GoTypes({ viewer, rows, what }: { viewer: Viewer; rows: GoType[]; what: "task" | "region" }) {
  const nameOf = (row: GoType) => (row.name === "" ? t("common.no-name") : row.name);
  const titles = [t("common.min"), t("go-tables.median"), "90 %", "99 %", t("common.max"), t("common.total")];
  return (
    <FilteredTable
      viewer={viewer}
      label={t(what === "task" ? "go.user-tasks" : "go.user-regions")}
      lead={null}
      summary={summaryOf(rows)}
      empty={t(what === "task" ? "go-tables.no-tasks" : "go-tables.no-regions")}
      rows={rows}
      columns={[
        { key: "type", title: t("common.type"), kind: "text", class: "name plain", text: nameOf, compare: (a, b) => compareTexts(a.name, b.name), width: { least: NAME_PX } },
        countColumn<GoType>("count", t("common.count"), (row) => row.count),
        countColumn<GoType>("open", t("go-tables.unended"), (row) => row.open),
        ...TYPE_KEYS.map((key, i) => timeColumn<GoType>(key, titles[i] ?? "", (row) => row[key])),
        {
          key: "durations",
          title: t("go-tables.durations"),
          kind: "number",
          text: () => "",
          cell: (row) => <Histogram row={row} />,
          compare: (a, b) => a.count - b.count,
          width: { px: rows.reduce((most, row) => Math.max(most, histogramPx(row)), HISTOGRAM_LEAST_PX) },
        },
      ]}
      order={{ key: "total_ns", order: "descending" }}
      keyOf={(row) => row.name}
      textOf={nameOf}
      linesOf={(of) => [["name", "count", "open", ...TYPE_KEYS], ...of.map((row) => [row.name, row.count, row.open, ...TYPE_KEYS.map((key) => row[key])])]}
      file={what === "task" ? "tasks.csv" : "regions.csv"}
    />
  );
}

const BAR_PX = 6;
const BARS_PX = 18;
const HISTOGRAM_LEAST_PX = 104;
/** The padding of a cell of numbers. */
const HISTOGRAM_PAD_PX = 24;

function bucketOf(from: string): number {
  return Math.max(0, Math.round(Math.log2(Math.max(1, Number(from)))));
}

function barsOf(row: GoType): number {
  return bucketOf(row.histogram.at(-1)?.from_ns ?? "1") - bucketOf(row.histogram[0]?.from_ns ?? "1") + 1;
}

function histogramPx(row: GoType): number {
  return barsOf(row) * BAR_PX + HISTOGRAM_PAD_PX;
}

/** A histogram with a bar for each power of two from the shortest to the longest duration. */
function Histogram({ row }: { row: GoType }) {
  const first = bucketOf(row.histogram[0]?.from_ns ?? "1");
  const most = Math.max(...row.histogram.map((bar) => bar.count), 1);
  const words = row.histogram.map((bar) => t("go-tables.bar", { from: formatNs(Number(bar.from_ns)), to: formatNs(Number(bar.to_ns)), number: bar.count }));
  if (row.count === 0) return <span class="muted">{NONE}</span>;
  return (
    <svg class="go-histogram" width={barsOf(row) * BAR_PX} height={BARS_PX} role="img" aria-label={words.join(", ")}>
      <title>{words.join("\n")}</title>
      {row.histogram.map((bar) => {
        const height = Math.max(2, (bar.count / most) * BARS_PX);
        return <rect key={bar.from_ns} x={(bucketOf(bar.from_ns) - first) * BAR_PX} y={BARS_PX - height} width={BAR_PX - 1} height={height} />;
      })}
    </svg>
  );
}
