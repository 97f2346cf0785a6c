/** The traces on one screen: the facts about each, and its busiest tracks and names as ways into the timeline. */
import { useEffect, useState } from "preact/hooks";
import { isAbort, isPast, messageOf, requestJson } from "../transport/transport.ts";
import type { Span, StatsRow } from "../transport/protocol.ts";
import type { OpenTrace } from "../loading.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { tableText } from "../table_text.ts";
import { timeUnit } from "../time_unit.ts";
import { nsOf, shownSpans } from "./aligned.ts";
import { formatNumber, sliceCount } from "./format.ts";
import { IconButton } from "./icons.tsx";
import { ErrorText } from "./parts.tsx";
import type { Lines } from "./table_tools.tsx";
import { TraceInfo } from "./trace_info.tsx";
import { Welcome } from "./welcome.tsx";
import { t } from "../texts.ts";

/** The rows of each list. */
const TOP = 6;
/** A slice is longer than usual if it is this many times the median of its name, which has at least this many slices. */
const UNUSUAL = { times: 10, slices: 10 };
/** More slices than this are counted only when the user asks for it. */
const COUNTED_AT_ONCE = 20_000_000;

export function OverviewPanel({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const isExample = useStore(viewer.isExample);
  return (
    <div class="trace-info">
      <h2 class="unseen">{t("common.overview")}</h2>
      {isExample && traces.length > 0 && <Welcome viewer={viewer} />}
      {traces.map((trace, i) => (
        <section key={trace.load.number}>
          <TraceInfo viewer={viewer} trace={trace} index={i}>
            <Lists viewer={viewer} trace={trace} index={i} />
          </TraceInfo>
        </section>
      ))}
    </div>
  );
}

interface Counts {
  tracks: StatsRow[];
  names: StatsRow[];
}

async function count(trace: OpenTrace, signal: AbortSignal): Promise<Counts> {
  const [tracks, names] = await Promise.all([
    requestJson(trace.load, "stats", { by: "thread" }, signal),
    requestJson(trace.load, "stats", {}, signal),
  ]);
  return { tracks: tracks.rows, names: names.rows };
}

const median = (row: StatsRow) => Math.max(1, Number(row.p50.ticks));

/** Returns the names whose longest slice is far longer than usual, those with the longest one first. */
function unusual(rows: StatsRow[]): StatsRow[] {
  return rows.filter((row) => row.count >= UNUSUAL.slices && Number(row.max.ticks) >= UNUSUAL.times * median(row));
}

function Lists({ viewer, trace, index }: { viewer: Viewer; trace: OpenTrace; index: number }) {
  const slices = sliceCount([trace.info]);
  const [isWanted, setWanted] = useState(slices <= COUNTED_AT_ONCE);
  const [counts, setCounts] = useState<Counts | string | null>(null);
  const { load } = trace;
  useEffect(() => {
    if (!isWanted || slices === 0) return;
    const controller = new AbortController();
    count(trace, controller.signal)
      .then(setCounts)
      .catch((error: unknown) => !isAbort(error) && !isPast(error) && setCounts(messageOf(error)));
    return () => controller.abort();
  }, [load, load.grows, isWanted, slices > 0]); // a growing trace is counted at its first slices, and when it is complete
  if (slices === 0) return null;
  if (!isWanted)
    return (
      <p>
        <button type="button" onClick={() => setWanted(true)}>
          {t("overview.count-slices", { number: slices })}
        </button>
      </p>
    );
  if (counts === null) return <p class="muted">{t("common.counting")}</p>;
  if (typeof counts === "string") return <ErrorText text={counts} />;
  const most = (rows: StatsRow[], of: (row: StatsRow) => number) => [...rows].sort((a, b) => of(b) - of(a)).slice(0, TOP);
  const self = (row: StatsRow) => Number(row.self.ticks);
  const goTo = (row: StatsRow) => viewer.selection.select({ ...row.longest, trace: index });
  const light = (row: StatsRow) => viewer.toggleHighlight(index, row.label);
  const point = (row: StatsRow | null) => viewer.pointName(row === null ? null : { trace: index, label: row.label });
  return (
    <div class="top-lists">
      <TopList viewer={viewer} title={t("overview.busiest-tracks")} rows={most(counts.tracks, self)} span={(row) => row.self} hint={t("overview.select-the-longest-slice")} onRow={goTo} />
      <TopList viewer={viewer} title={t("overview.names-by-self-time")} rows={most(counts.names, self)} span={(row) => row.self} hint={t("overview.highlight-the-slices-of")} onRow={light} onPoint={point} />
      <TopList viewer={viewer} title={t("overview.most-frequent-names")} rows={most(counts.names, (row) => row.count)} times={(row) => row.count} hint={t("overview.highlight-the-slices-of")} onRow={light} onPoint={point} />
      <TopList viewer={viewer} title={t("overview.longest-slices")} rows={most(counts.names, (row) => Number(row.max.ticks))} span={(row) => row.max} hint={t("overview.select-the-slice")} onRow={goTo} onPoint={point} />
      <TopList viewer={viewer} title={t("overview.where-to-look")} rows={most(unusual(counts.names), (row) => Number(row.max.ticks))} span={(row) => row.max} times={(row) => Math.round(Number(row.max.ticks) / median(row))} timesTitle={t("overview.times-median")} timesHint={(times) => t("overview.times-the-median", { times })} hint={t("overview.far-longer-than-usual")} onRow={goTo} onPoint={point} />
    </div>
  );
}

interface TopListProps {
  viewer: Viewer;
  title: string;
  rows: StatsRow[];
  /** A length of each row: durations have one unit, in the head. */
  span?: (row: StatsRow) => Span;
  /** A count, or a ratio. */
  times?: (row: StatsRow) => number;
  /** The head of the ratios. */
  timesTitle?: string;
  timesHint?: (times: number) => string;
  hint: string;
  onRow: (row: StatsRow) => void;
  /** Called for the row under the pointer or with the focus; null: it has left the list. */
  onPoint?: (row: StatsRow | null) => void;
}

/** Returns a list as it is copied: names, exact lengths, and counts or ratios. */
function linesOf(rows: StatsRow[], span: TopListProps["span"], times: TopListProps["times"]): Lines {
  const lengths = span === undefined ? null : rows.map(span);
  const areTimes = lengths?.every((length) => nsOf(length) !== null) === true;
  const head = ["name", ...(lengths === null ? [] : [areTimes ? "ns" : "length"]), ...(times === undefined ? [] : [lengths === null ? "count" : "times_median"])];
  const lengthOf = (i: number) => lengths?.slice(i, i + 1).map(({ ns, text }) => (areTimes ? ns : text)) ?? [];
  return [head, ...rows.map((row, i) => [row.name, ...lengthOf(i), ...(times === undefined ? [] : [times(row)])])];
}

function TopList({ viewer, title, rows, span, times, timesTitle, timesHint, hint, onRow, onPoint }: TopListProps) {
  useStore(timeUnit);
  if (rows.length === 0) return null;
  const spans = span === undefined ? null : shownSpans(rows.map(span), ({ text }) => text);
  const copy = () => viewer.copy(tableText(linesOf(rows, span, times), viewer.settings.saved.value.tableFormat, [false, true, true]), t("table-tools.the-table"));
  return (
    <div>
      <header>
        <h4>
          {title}
          <IconButton icon="copy" label={t("table-tools.copy-table")} onClick={copy} />
        </h4>
        {spans !== null && <span class={times === undefined ? "unit" : "unit before-times"}>{spans.unit}</span>}
        {timesTitle !== undefined && <span class="unit of-times">{timesTitle}</span>}
      </header>
      <ol onPointerLeave={() => onPoint?.(null)} onFocusOut={() => onPoint?.(null)}>
        {rows.map((row, i) => (
          <li key={i} onPointerEnter={() => onPoint?.(row)} onFocusIn={() => onPoint?.(row)}>
            <button type="button" class="link" title={`${row.name ?? ""}\n${hint}`} onClick={() => onRow(row)}>
              {row.name ?? t("common.no-name")}
            </button>
            {spans !== null && (
              <span class="number" title={spans.exact[i]}>
                {spans.texts[i]}
              </span>
            )}
            {times !== undefined && (
              <span class="number times" title={timesHint?.(times(row))}>
                {formatNumber(times(row))}×
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
