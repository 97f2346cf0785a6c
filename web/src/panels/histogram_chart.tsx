/** The histogram of durations. A brush over the bars chooses a range of durations. */
import { useEffect, useRef } from "preact/hooks";
import { argumentOf, parametersOf, type AreaStats } from "../areas.ts";
import type { HistogramBin } from "../transport/protocol.ts";
import { countInside, positionOf, rangeOf, type DurationRange, type HistogramScale } from "../histogram.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, nameOf } from "./format.ts";
import { ErrorText, Switch } from "./parts.tsx";
import { t, titled, type PlainId } from "../texts.ts";

/** Units of the drawing. */
const BIN = 10;
const HEIGHT = 100;
/** The least height of a bar that has slices. */
const LEAST = 2;
/** The distance at which the pointer takes an edge of the brush. */
const EDGE_PX = 5;
const SCALES: [HistogramScale, PlainId][] = [
  ["log", "histogram.logarithmic"],
  ["linear", "histogram.linear"],
];
const MOST_LABELS = 5;
/** A label farther on the axis, as a part of it, has no room. */
const LAST_LABEL = 0.94;

/** Shows the slices of the highlighted name, or all slices, of one trace of the area. */
export function HistogramChart({ viewer, stats }: { viewer: Viewer; stats: AreaStats }) {
  const { histogram } = viewer;
  const scale = useStore(histogram.scale);
  const answer = useStore(histogram.answer);
  const error = useStore(histogram.error);
  const brush = useStore(histogram.brush);
  const lit = useStore(viewer.highlighted);
  const wanted = lit.label !== 0 ? lit.trace : (brush?.trace ?? 0);
  const part = stats.parts.find(({ trace }) => trace === wanted) ?? stats.parts[0];
  const label = part?.trace === lit.trace ? lit.label : 0;
  useEffect(() => {
    const load = part === undefined ? undefined : viewer.loading.ready[part.trace];
    if (part === undefined || load === undefined) return;
    const having = argumentOf(stats.by) === null ? {} : { by: stats.by };
    const subset = { ...having, ...(label === 0 ? {} : { label: String(label) }) };
    histogram.ask(load, part.trace, { ...parametersOf(part), ...viewer.categories.parameters(part.trace), ...subset });
  }, [viewer, stats, part?.trace, label, scale]);
  if (error !== null) return <ErrorText text={error} />;
  if (answer === null || part === undefined) return <p class="empty">{t("common.counting")}</p>;
  const name = label === 0 ? "" : t("histogram.of-name", { name: nameOf(answer.name) });
  const file = stats.parts.length > 1 ? t("histogram.in-file", { file: fileNameOf(viewer.loading.traces.value[part.trace]?.info.file.name ?? "") }) : "";
  const range = brush?.trace === part.trace ? brush : null;
  const inside = range === null ? 0 : (countInside(answer.bins, range) ?? histogram.inside.value ?? 0);
  const share = ((100 * inside) / Math.max(1, answer.slices)).toFixed(1);
  return (
    <div class="histogram">
      <div class="histogram-head">
        <span>{t("histogram.durations", { name, file, slices: t("count.slice", { count: answer.slices }) })}</span>
        {range === null ? (
          answer.slices > 0 && <span class="muted">{t("histogram.drag-over-bars-to")}</span>
        ) : (
          <button type="button" class="link" title={t("histogram.shows-all-durations-again")} onClick={() => histogram.choose(null)}>
            {`${range.text}: ${t("count.slice", { count: inside })}, ${share} %`} <span aria-hidden="true">✕</span>
          </button>
        )}
        <Switch label={t("histogram.scale-of-the-durations")} values={titled(SCALES)} value={scale} onChange={(value) => histogram.scale.set(value)} />
      </div>
      {answer.bins.length > 0 && (
        <Plot
          bins={answer.bins}
          range={range}
          onBrush={(first, last) => histogram.brush.set(rangeOf(part.trace, first, last))}
          onRest={() => histogram.range.set(histogram.brush.value)}
        />
      )}
    </div>
  );
}

interface PlotProps {
  bins: HistogramBin[];
  range: DurationRange | null;
  /** The brush covers these bins and those between. */
  onBrush: (first: HistogramBin, last: HistogramBin) => void;
  onRest: () => void;
}

/** Indices of bins, from `first` to before `end`. */
interface Covered {
  first: number;
  end: number;
}

/** Returns the brush for a position of the pointer, in bins. */
type Drag = (position: number) => Covered;

/** Returns the bins between two positions, at least one. */
function between(a: number, b: number): Covered {
  const first = Math.floor(Math.min(a, b));
  return { first, end: Math.max(first + 1, Math.ceil(Math.max(a, b))) };
}

/** Returns the drag that begins at a position: of an edge of the brush, of the whole brush, or of a new one. */
function dragFrom(brush: Covered | null, start: number, reach: number): Drag {
  const create: Drag = (position) => between(Math.floor(start) + (position < start ? 1 : 0), position);
  if (brush === null) return create;
  const { first, end } = brush;
  if (Math.abs(start - end) <= reach) return (position) => between(first, Math.max(first + 1, Math.round(position)));
  if (Math.abs(start - first) <= reach) return (position) => between(Math.min(end - 1, Math.round(position)), end);
  if (start < first || start > end) return create;
  return (position) => ({ first: first + Math.round(position - start), end: end + Math.round(position - start) });
}

function Plot({ bins, range, onBrush, onRest }: PlotProps) {
  const drag = useRef<Drag | null>(null);
  const brush = range === null ? null : { first: positionOf(bins, range.least), end: positionOf(bins, range.below) };
  const whole = brush === null ? null : between(brush.first, brush.end);
  const positionAt = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    return { position: Math.max(0, Math.min(bins.length - 1e-6, ((event.clientX - left) / width) * bins.length)), reach: (EDGE_PX / width) * bins.length };
  };
  /** Covers as many bins, shifted into the chart. */
  const cover = ({ first, end }: Covered) => {
    const size = Math.min(bins.length, end - first);
    const from = Math.max(0, Math.min(bins.length - size, first));
    const [one, other] = [bins[from], bins[from + size - 1]];
    if (one !== undefined && other !== undefined) onBrush(one, other);
  };
  const rest = () => {
    if (drag.current !== null) onRest();
    drag.current = null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (whole === null) cover(step > 0 ? { first: 0, end: 1 } : { first: bins.length - 1, end: bins.length });
    else if (event.shiftKey) cover({ first: whole.first, end: Math.max(whole.first + 1, Math.min(bins.length, whole.end + step)) });
    else cover({ first: whole.first + step, end: whole.end + step });
    onRest();
  };
  return (
    <div
      class="histogram-plot"
      role="group"
      tabIndex={0}
      aria-label={t("histogram.bins-the-arrow-keys", { number: bins.length })}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const { position, reach } = positionAt(event);
        drag.current = dragFrom(whole, position, reach);
        cover(drag.current(position));
      }}
      onPointerMove={(event) => {
        if (drag.current !== null) cover(drag.current(positionAt(event).position));
      }}
      onPointerUp={rest}
      onPointerCancel={rest}
    >
      <span class="histogram-most" aria-hidden="true">
        {t("count.slice", { count: mostOf(bins) })}
      </span>
      <Bars bins={bins} brush={brush} />
      <Labels bins={bins} />
    </div>
  );
}

/** Returns the count of the highest bar. */
function mostOf(bins: HistogramBin[]): number {
  return bins.reduce((most, { count }) => Math.max(most, count), 1);
}

function Bars({ bins, brush }: { bins: HistogramBin[]; brush: Covered | null }) {
  const most = mostOf(bins);
  const gap = Math.min(1, bins.length / 40); // few bars are wide: the gap between them stays narrow
  return (
    <svg class="histogram-bars" viewBox={`0 0 ${bins.length * BIN} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {brush !== null && <rect class="histogram-brush" x={brush.first * BIN} y={0} width={(brush.end - brush.first) * BIN} height={HEIGHT} />}
      {bins.map(({ least, below, count, total }, i) => {
        const height = count === 0 ? 0 : Math.max(LEAST, (count / most) * HEIGHT);
        const isInside = brush === null || (brush.first <= i && i + 1 <= brush.end);
        return (
          <g key={least.ticks} class={isInside ? "lit" : ""}>
            <title>{`${least.text} – ${below.text}: ${t("count.slice", { count })}, ${total.text}`}</title>
            <rect class="histogram-back" x={i * BIN} y={0} width={BIN} height={HEIGHT} />
            <rect x={i * BIN + gap / 2} y={HEIGHT - height} width={BIN - gap} height={height} />
          </g>
        );
      })}
    </svg>
  );
}

/** Returns the bins whose first duration is written below: powers of ten where there are some, else at equal distances. */
function labelled(bins: HistogramBin[]): number[] {
  const all = bins.map((_, i) => i).filter((i) => i <= LAST_LABEL * bins.length);
  const powers = all.filter((i) => /^10*$/.test(bins[i]?.least.ns ?? ""));
  const wanted = powers.length > 2 ? powers : all;
  const step = Math.ceil(wanted.length / MOST_LABELS);
  return wanted.filter((_, i) => i % step === 0);
}

function Labels({ bins }: { bins: HistogramBin[] }) {
  return (
    <div class="histogram-labels" aria-hidden="true">
      {labelled(bins).map((i) => (
        <span key={i} ref={(element) => element?.style.setProperty("left", `${(100 * i) / bins.length}%`)}>
          {bins[i]?.least.text}
        </span>
      ))}
    </div>
  );
}
