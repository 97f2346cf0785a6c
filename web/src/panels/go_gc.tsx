/** The phases of the garbage collector, and the time that they leave to the program. */
import type { GoCycle, GoGc, GoPoint, GoStop } from "../transport/go_protocol.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { formatBytes, formatNs, unbroken } from "./format.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { bytesColumn, countColumn, timeColumn } from "./go_tables.tsx";
import { compareTexts, compareValues } from "./table.tsx";
import { t } from "../texts.ts";

const COUNTS = [
  ["stw", "go-gc.stops-of-the-world"],
  ["background", "go-gc.mark-workers"],
  ["assist", "go-gc.assists"],
  ["sweep", "go-gc.sweeps"],
  ["per-processor", "go-gc.worst-processor"],
] as const;

const NAME_PX = 220;
const WIDTH = 640;
const HEIGHT = 132;
const LEFT = 44;
const BOTTOM = 24;

export function GoMmu({ viewer, trace, curve }: { viewer: Viewer; trace: number; curve: GoPoint[] }) {
  const counts = useStore(viewer.go.counts).split(",");
  const toggle = (name: string) => {
    const next = COUNTS.map(([key]) => key).filter((key) => counts.includes(key) !== (key === name));
    viewer.go.counts.set(next.join(","));
  };
  /** At least one activity must count. */
  const isOnly = (name: string) => counts.includes(name) && counts.every((key) => key === name || key === "per-processor");
  return (
    <div class="go-mmu">
      <div class="go-checks" role="group" aria-label={t("go-gc.activities-that-count-against")}>
        {COUNTS.map(([key, title]) => (
          <label key={key}>
            <input type="checkbox" checked={counts.includes(key)} disabled={key !== "per-processor" && isOnly(key)} onChange={() => toggle(key)} />
            {t(title)}
          </label>
        ))}
      </div>
      {curve.length < 2 ? <p class="empty">{t("go-gc.the-time-is-too")}</p> : <Curve viewer={viewer} trace={trace} curve={curve} />}
    </div>
  );
}

/** The utilisation in the worst window of each length; the edges of the plot are existing windows. */
function Curve({ viewer, trace, curve }: { viewer: Viewer; trace: number; curve: GoPoint[] }) {
  const log = (point: GoPoint) => Math.log10(Number(point.window_ns));
  const first = log(curve[0] as GoPoint);
  const last = log(curve.at(-1) as GoPoint);
  const x = (value: number) => LEFT + ((value - first) / (last - first)) * (WIDTH - LEFT - 12);
  const y = (share: number) => 8 + (1 - share) * (HEIGHT - BOTTOM - 8);
  const line = curve.map((point) => `${x(log(point)).toFixed(1)},${y(point.share).toFixed(1)}`).join(" ");
  const decades = Array.from({ length: Math.floor(last) - Math.ceil(first) + 1 }, (_, i) => Math.ceil(first) + i);
  const go = (point: GoPoint) => {
    if (point.worst_ns === null) return;
    viewer.showRange(trace, point.worst_ns, String(BigInt(point.worst_ns) + BigInt(point.window_ns)));
  };
  return (
    <>
      <svg class="go-curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t("go-gc.minimum-mutator-utilisation-by")}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <g key={share}>
            <line x1={LEFT} x2={WIDTH - 12} y1={y(share)} y2={y(share)} />
            <text x={LEFT - 6} y={y(share) + 4} text-anchor="end">
              {share * 100} %
            </text>
          </g>
        ))}
        {decades.map((decade) => (
          <g key={decade}>
            <line x1={x(decade)} x2={x(decade)} y1={y(1)} y2={y(0)} />
            <text x={x(decade)} y={HEIGHT - 6} text-anchor="middle">
              {formatNs(10 ** decade)}
            </text>
          </g>
        ))}
        <polyline points={line} />
        {curve.map((point) => (
          <circle key={point.window_ns} cx={x(log(point))} cy={y(point.share)} r="3.5" onClick={() => go(point)}>
            <title>{t("go-gc.click-to-go-to", { window: formatNs(Number(point.window_ns)), percent: (100 * point.share).toFixed(2) })}</title>
          </circle>
        ))}
      </svg>
      <label class="go-window">
        {t("go-gc.worst-window")}
        <select id="go-window" onChange={(event) => go(curve[Number(event.currentTarget.value)] as GoPoint)}>
          {curve.map((point, i) => (
            <option key={point.window_ns} value={i}>
              {`${formatNs(Number(point.window_ns))}: ${(100 * point.share).toFixed(2)} %`}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** Returns "11 times, 34.5 ms". */
function timesText(count: number, ns: string): string {
  return t("go-gc.times", { count, time: unbroken(formatNs(Number(ns))) });
}

export function GoGcReport({ viewer, trace, gc }: { viewer: Viewer; trace: number; gc: GoGc }) {
  const facts: [string, string][] = [
    [t("go-gc.mark-phases"), timesText(gc.finished_cycles, gc.mark_ns)],
    [t("go-gc.stops-of-the-world"), timesText(gc.stw_count, gc.stw_ns)],
    [t("go-gc.mark-assists"), timesText(gc.assist_count, gc.assist_ns)],
    [t("go-gc.sweeps"), timesText(gc.sweep_count, gc.sweep_ns)],
    [
      t("go-gc.mark-workers"),
      t("go-gc.dedicated-fractional-idle", { dedicated: formatNs(Number(gc.dedicated_worker_ns)), fractional: formatNs(Number(gc.fractional_worker_ns)), idle: formatNs(Number(gc.idle_worker_ns)) }),
    ],
    [t("go-gc.heap"), t("go-gc.to-goal-up-to", { least: formatBytes(gc.heap_min_bytes), most: formatBytes(gc.heap_max_bytes), goal: formatBytes(gc.goal_max_bytes) })],
  ];
  return (
    <div class="go-gc">
      <dl class="facts-list">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      {gc.stops.length > 0 && <Stops viewer={viewer} trace={trace} rows={gc.stops} />}
      {gc.cycles.length > 0 && <Cycles viewer={viewer} trace={trace} rows={gc.cycles} />}
    </div>
  );
}

interface GcTableProps<Row> {
  viewer: Viewer;
  trace: number;
  rows: Row[];
}

function Stops({ viewer, trace, rows }: GcTableProps<GoStop>) {
  const nameOf = (row: GoStop) => row.reason ?? t("common.not-known");
  return (
    <FilteredTable
      viewer={viewer}
      label={t("go-gc.stops-of-the-world")}
      lead={null}
      summary={t("count.row", { count: rows.length })}
      empty=""
      rows={rows}
      columns={[
        { key: "reason", title: t("go-gc.stop-of-the-world"), kind: "text", text: nameOf, compare: (a, b) => compareTexts(nameOf(a), nameOf(b)), width: { least: NAME_PX } },
        countColumn<GoStop>("count", t("common.count"), (row) => row.count),
        timeColumn<GoStop>("total_ns", t("common.total"), (row) => row.total_ns),
        timeColumn<GoStop>("max_ns", t("go-gc.longest"), (row) => row.max_ns),
      ]}
      order={{ key: "total_ns", order: "descending" }}
      keyOf={nameOf}
      textOf={nameOf}
      linesOf={(of) => [["reason", "count", "total_ns", "max_ns"], ...of.map((row) => [row.reason, row.count, row.total_ns, row.max_ns])]}
      file="stops.csv"
      onRow={(row) => viewer.showRange(trace, row.longest_ns, String(BigInt(row.longest_ns) + BigInt(row.max_ns)))}
      hintOf={() => t("go-gc.goes-to-the-longest")}
    />
  );
}

/** The begin of a phase: before its end if it began before the trace. */
function beginOf(row: GoCycle): bigint {
  return row.begin_ns === null ? BigInt(row.end_ns ?? 0) - BigInt(row.ns) : BigInt(row.begin_ns);
}

const CYCLE_TIMES = ["ns", "stw_ns", "assist_ns"] as const;
const CYCLE_BYTES = ["heap_begin_bytes", "heap_end_bytes", "goal_begin_bytes"] as const;

function Cycles({ viewer, trace, rows }: GcTableProps<GoCycle>) {
  const times = [t("common.duration"), t("go-gc.stopped"), t("go-gc.assists")];
  const sizes = [t("go-gc.heap-before"), t("go-gc.heap-after"), t("go-gc.goal")];
  const textOf = (row: GoCycle) => t("go-gc.at", { time: formatNs(Number(beginOf(row))) });
  return (
    <FilteredTable
      viewer={viewer}
      label={t("go-gc.mark-phases")}
      lead={null}
      summary={t("count.row", { count: rows.length })}
      empty=""
      rows={rows}
      columns={[
        { key: "begin", title: t("go-gc.mark-phase"), kind: "number", text: textOf, amount: beginOf, quantity: "time", compare: (a, b) => compareValues(beginOf(a), beginOf(b)) },
        ...CYCLE_TIMES.map((key, i) => timeColumn<GoCycle>(key, times[i] ?? "", (row) => row[key])),
        ...CYCLE_BYTES.map((key, i) => bytesColumn<GoCycle>(key, sizes[i] ?? "", (row) => row[key])),
      ]}
      order={{ key: "begin", order: "ascending" }}
      keyOf={(row) => String(beginOf(row))}
      textOf={textOf}
      linesOf={(of) => [["begin_ns", ...CYCLE_TIMES, ...CYCLE_BYTES], ...of.map((row) => [String(beginOf(row)), ...CYCLE_TIMES.map((key) => row[key]), ...CYCLE_BYTES.map((key) => row[key])])]}
      file="cycles.csv"
      onRow={(row) => viewer.showRange(trace, String(beginOf(row)), String(beginOf(row) + BigInt(row.ns)))}
      hintOf={() => t("go-gc.goes-there")}
    />
  );
}
