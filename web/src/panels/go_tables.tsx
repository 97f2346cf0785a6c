/** Tables of Go traces: by function, by goroutine, by type of task and region. Each can be sorted by any column. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { MOST_ROWS, TIMES } from "../go.ts";
import type { GoFunction, GoGoroutine, GoType } from "../transport/go_protocol.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { formatNs, formatNumber } from "./format.ts";
import { Ns } from "./parts.tsx";
import { t, titled } from "../texts.ts";

/** `varve go` prints the rows beyond this limit. */
const MOST = 500;

export interface Column<Row> {
  title: string;
  /** The sort key; the first click sorts numbers in descending order. */
  key: (row: Row) => number | string;
  cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  rows: Row[];
  columns: Column<Row>[];
  /** The index of the column that is sorted initially. */
  first: number;
  id: (row: Row) => string | number;
  label: string;
  /** A text about the rows beyond the limit. */
  more?: string;
}

/** The first column contains names, the others numbers. */
export function SortTable<Row>({ rows, columns, first, id, label, more = t("go-tables.varve-go-prints-all") }: TableProps<Row>) {
  const [by, setBy] = useState({ column: first, flipped: false });
  const column = columns[by.column] ?? columns[0];
  const order = (a: Row, b: Row): number => {
    const [left, right] = [column?.key(a) ?? 0, column?.key(b) ?? 0];
    if (typeof left === "number" && typeof right === "number") return right - left;
    return String(left).localeCompare(String(right), "en", { numeric: true });
  };
  const sorted = [...rows].sort((a, b) => (by.flipped ? -order(a, b) : order(a, b)));
  const isDown = (i: number) => (typeof column?.key(rows[0] as Row) === "number") !== (by.flipped && i === by.column);
  return (
    <div class="table-box">
      <table class="stats go-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title }, i) => (
              <th
                key={title}
                scope="col"
                class={i === 0 ? "name" : "number"}
                aria-sort={i !== by.column ? "none" : isDown(i) ? "descending" : "ascending"}
              >
                <button type="button" onClick={() => setBy({ column: i, flipped: i === by.column && !by.flipped })}>
                  {title}
                  <span class="sort-mark" aria-hidden="true">
                    {i !== by.column ? "" : isDown(i) ? "▼" : "▲"}
                  </span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, MOST).map((row) => (
            <tr key={id(row)}>
              {columns.map(({ title, cell }, i) => (
                <td key={title} class={i === 0 ? "name" : "number"}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MOST && (
        <p class="empty">
          {sorted.length < MOST_ROWS ? t("count.more-row", { count: sorted.length - MOST }) : t("go-tables.only-the-with-the", { rows: t("count.row", { count: MOST_ROWS }) })}: {more}
        </p>
      )}
    </div>
  );
}

export function functionName(name: string | null): string {
  return name === null || name === "" ? t("common.not-known") : name;
}

function ns(text: string): ComponentChildren {
  return text === "0" ? <span class="muted">-</span> : <Ns ns={text} />;
}

type TimeKey = (typeof TIMES)[number][0] | "total_ns";

function timeColumns<Row extends { [key in TimeKey]: string }>(): Column<Row>[] {
  const all: [TimeKey, string][] = [["total_ns", t("common.total")], ...titled(TIMES)];
  return all.map(([key, title]) => ({ title, key: (row) => Number(row[key]), cell: (row) => ns(row[key]) }));
}

export function GoFunctions({ viewer, rows }: { viewer: Viewer; rows: GoFunction[] }) {
  const shown = useStore(viewer.rows).filter;
  if (rows.length === 0) return <p class="empty">{t("go-tables.there-is-no-goroutine")}</p>;
  const toggle = (name: string) => {
    const pattern = shown === name ? "" : name;
    if (pattern !== "") viewer.perspectives.lookFrom("Goroutines");
    viewer.filterTracks(pattern);
  };
  const columns: Column<GoFunction>[] = [
    {
      title: t("go-tables.function"),
      key: (row) => functionName(row.function),
      cell: (row) => (
        <button
          type="button"
          aria-pressed={shown !== "" && shown === row.function}
          title={t("go-tables.shows-only-its-goroutines", { function: functionName(row.function) })}
          onClick={() => toggle(row.function ?? "")}
        >
          {functionName(row.function)}
        </button>
      ),
    },
    { title: t("common.count"), key: (row) => row.count, cell: (row) => formatNumber(row.count) },
    ...timeColumns<GoFunction>(),
  ];
  return <SortTable label={t("go-tables.time-by-function")} rows={rows} columns={columns} first={3} id={(row) => functionName(row.function)} />;
}

interface GoroutinesProps {
  viewer: Viewer;
  trace: number;
  rows: GoGoroutine[];
  end: string;
}

export function GoGoroutines({ viewer, trace, rows, end }: GoroutinesProps) {
  if (rows.length === 0) return <p class="empty">{t("go-tables.there-is-no-goroutine")}</p>;
  const columns: Column<GoGoroutine>[] = [
    {
      title: t("go-tables.goroutine"),
      key: (row) => row.goroutine,
      cell: (row) => (
        <button
          type="button"
          title={t("go-tables.g-shows-the-time", { goroutine: row.goroutine, function: functionName(row.function) })}
          onClick={() => viewer.showRange(trace, row.created_ns, row.ended_ns ?? end)}
          onDblClick={() => viewer.perspectives.lookFrom("Processors", () => viewer.selection.selectNamed(trace, `G${row.goroutine} ${row.function ?? ""}`))}
        >
          G{row.goroutine} <span class="muted">{functionName(row.function)}</span>
        </button>
      ),
    },
    ...timeColumns<GoGoroutine>(),
  ];
  return <SortTable label={t("go-tables.time-by-goroutine")} rows={rows} columns={columns} first={2} id={(row) => `${row.goroutine} ${row.created_ns}`} />;
}

export function GoTypes({ rows, what }: { rows: GoType[]; what: "task" | "region" }) {
  if (rows.length === 0) return <p class="empty">{t(what === "task" ? "go-tables.no-tasks" : "go-tables.no-regions")}</p>;
  const keys = [
    ["min_ns", t("common.min")],
    ["p50_ns", t("go-tables.median")],
    ["p90_ns", "90 %"],
    ["p99_ns", "99 %"],
    ["max_ns", t("common.max")],
    ["total_ns", t("common.total")],
  ] as const;
  const columns: Column<GoType>[] = [
    { title: t("common.type"), key: (row) => row.name, cell: (row) => <span title={row.name}>{row.name === "" ? t("common.no-name") : row.name}</span> },
    { title: t("common.count"), key: (row) => row.count, cell: (row) => formatNumber(row.count) },
    { title: t("go-tables.unended"), key: (row) => row.open, cell: (row) => formatNumber(row.open) },
    ...keys.map(([key, title]) => ({ title, key: (row: GoType) => Number(row[key]), cell: (row: GoType) => ns(row[key]) })),
    { title: t("go-tables.durations"), key: (row) => row.count, cell: (row) => <Histogram row={row} /> },
  ];
  return <SortTable label={t(what === "task" ? "go.user-tasks" : "go.user-regions")} rows={rows} columns={columns} first={8} id={(row) => row.name} />;
}

const BAR_PX = 6;
const BARS_PX = 18;

/** A histogram with a bar for each power of two from the shortest to the longest duration. */
function Histogram({ row }: { row: GoType }) {
  const bucket = (from: string) => Math.max(0, Math.round(Math.log2(Math.max(1, Number(from)))));
  const first = bucket(row.histogram[0]?.from_ns ?? "1");
  const most = Math.max(...row.histogram.map((bar) => bar.count), 1);
  const width = (bucket(row.histogram.at(-1)?.from_ns ?? "1") - first + 1) * BAR_PX;
  const words = row.histogram.map((bar) => t("go-tables.bar", { from: formatNs(Number(bar.from_ns)), to: formatNs(Number(bar.to_ns)), number: bar.count }));
  if (row.count === 0) return <span class="muted">-</span>;
  return (
    <svg class="go-histogram" width={width} height={BARS_PX} role="img" aria-label={words.join(", ")}>
      <title>{words.join("\n")}</title>
      {row.histogram.map((bar) => {
        const height = Math.max(2, (bar.count / most) * BARS_PX);
        return <rect key={bar.from_ns} x={(bucket(bar.from_ns) - first) * BAR_PX} y={BARS_PX - height} width={BAR_PX - 1} height={height} />;
      })}
    </svg>
  );
}
