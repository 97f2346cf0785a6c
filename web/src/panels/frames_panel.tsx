/** Statistics of the frames of a graphics capture: a chart and a table with links to the frames. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { FRAME_SCALES, frameScale, usualScale, type FrameScale } from "../frames.ts";
import type { FrameFacts } from "../transport/protocol.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { formatNumber } from "./format.ts";
import { bytesColumn, countColumn } from "./go_tables.tsx";
import { ErrorText, Switch } from "./parts.tsx";
import type { Column } from "./table.tsx";
import type { Lines } from "./table_tools.tsx";
import { t, titled } from "../texts.ts";

export function FramesPanel({ viewer }: { viewer: Viewer }) {
  const { families, frames, share, error } = useStore(viewer.frameCount.table);
  const trace = viewer.frameTrace(useStore(viewer.loading.traces));
  useEffect(() => {
    const load = viewer.loading.ready[trace];
    if (load !== undefined) viewer.frameCount.ask(load);
    return () => viewer.frameCount.stop(); // the count pauses while the panel is closed
  }, [viewer, trace]);
  const go = (frame: number) =>
    void viewer.selection.goToCall({ frame: String(frame) }, trace, (place) => viewer.selectBeside({ place, mark: null })).then((problem) => {
      if (problem !== null) viewer.say(problem);
    });
  const columns = useMemo(() => columnsOf(families, frames), [families, frames]);
  const [chosen, setChosen] = useState<FrameScale | null>(null);
  const bars = barsOf(frames);
  const values = bars.map((frame) => frame.calls);
  const kind = chosen ?? usualScale(values);
  const scale = frameScale(kind, values);
  if (error !== null) return <ErrorText text={error} />;
  return (
    <div class="go frames" id="frames-table" tabIndex={-1}>
      <FilteredTable
        viewer={viewer}
        label={t("common.frames")}
        lead={null}
        summary={
          <>
            {t("count.frame", { count: frames.length })}{" "}
            {share < 1 && (
              <>
                <progress value={share} max={1} aria-label={t("frames.calls-counted")} /> {t("frames.counting")}
              </>
            )}
            {scale.cut > 0 && `· ${t("frames.cut-off", { count: scale.cut })}`}
          </>
        }
        tools={frames.length > 1 && <Switch label={t("frames.scale")} values={titled(FRAME_SCALES)} value={kind} onChange={setChosen} />}
        above={frames.length > 1 && <Chart bars={bars} scale={scale} onGo={go} />}
        empty={share < 1 ? "" : t("frames.the-capture-has-no")}
        rows={frames}
        columns={columns}
        order={{ key: "frame", order: "ascending" }}
        keyOf={({ frame }) => String(frame)}
        textOf={({ frame }) => String(frame)}
        linesOf={(rows) => linesOf(rows, usedFamilies(families, frames))}
        file="frames.csv"
        onRow={({ frame }) => go(frame)}
        hintOf={({ frame }) => t("frames.goes-to-frame", { frame })}
      />
    </div>
  );
}

/** Returns the families that have calls, with their places in the frames. */
function usedFamilies(families: string[], frames: FrameFacts[]): { name: string; i: number }[] {
  return families.map((name, i) => ({ name, i })).filter(({ i }) => frames.some((frame) => (frame.families[i] ?? 0) > 0));
}

function columnsOf(families: string[], frames: FrameFacts[]): Column<FrameFacts>[] {
  return [
    {
      key: "frame",
      title: t("frames.frame"),
      kind: "text",
      text: (row) => String(row.frame),
      cell: (row) => (
        <>
          {row.frame}
          {!row.ended && <span class="muted"> {t("frames.not-ended")}</span>}
        </>
      ),
      compare: (a, b) => a.frame - b.frame,
      width: { least: FRAME_PX },
    },
    countColumn("first_call", t("frames.first-call"), (row) => row.first_call),
    countColumn("calls", t("frames.calls"), (row) => row.calls),
    ...usedFamilies(families, frames).map(({ name, i }) => countColumn<FrameFacts>(name, name.charAt(0).toUpperCase() + name.slice(1), (row) => row.families[i] ?? 0)),
    countColumn("redundant_state_calls", t("frames.redundant-state"), (row) => row.redundant_state_calls),
    bytesColumn("upload_bytes", t("frames.uploads"), (row) => row.upload_bytes),
  ];
}

function linesOf(rows: readonly FrameFacts[], used: { name: string; i: number }[]): Lines {
  const head = ["frame", "first_call", "calls", ...used.map(({ name }) => name), "redundant_state_calls", "upload_bytes"];
  return [head, ...rows.map((row) => [row.frame, row.first_call, row.calls, ...used.map(({ i }) => row.families[i] ?? 0), row.redundant_state_calls, row.upload_bytes])];
}

/** The minimum width of a frame's number. */
const FRAME_PX = 128;
const HEIGHT = 64;
const LEFT = 56;
const TOP = 6;
const MOST_BARS = 400;
/** The height of the numbers of frames below the bars, and their distance. */
const NUMBERS = 16;
const NUMBER_PX = 72;

/** Returns the frames of the bars. If several share a bar, it has the height of their maximum. */
function barsOf(frames: FrameFacts[]): FrameFacts[] {
  const perBar = Math.ceil(frames.length / MOST_BARS);
  return Array.from({ length: Math.ceil(frames.length / perBar || 0) }, (_, i) =>
    frames.slice(i * perBar, (i + 1) * perBar).reduce((most, frame) => (frame.calls > most.calls ? frame : most)),
  );
}

/** Calls per frame. */
function Chart({ bars, scale, onGo }: { bars: FrameFacts[]; scale: ReturnType<typeof frameScale>; onGo: (frame: number) => void }) {
  const chart = useRef<SVGSVGElement>(null);
  const [full, setFull] = useState(900);
  useEffect(() => {
    const element = chart.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setFull(Math.max(2 * LEFT, Math.round(entry?.contentRect.width ?? 0))));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const width = (full - LEFT) / bars.length;
  const step = Math.max(1, Math.ceil(NUMBER_PX / width));
  const y = (calls: number) => TOP + (1 - scale.share(calls)) * (HEIGHT - TOP - 1);
  return (
      <svg class="frame-chart" ref={chart} viewBox={`0 0 ${full} ${HEIGHT + NUMBERS}`} role="img" aria-label={t("frames.calls-per-frame-at", { most: scale.most })}>
        <text x={LEFT - 6} y={TOP + 8} text-anchor="end">
          {formatNumber(scale.top)}
        </text>
        <text x={LEFT - 6} y={HEIGHT - 2} text-anchor="end">
          0
        </text>
        <text x={LEFT - 6} y={HEIGHT / 2 + 4} text-anchor="end">
          {t("frames.calls-2")}
        </text>
        <text x={LEFT - 6} y={HEIGHT + NUMBERS - 3} text-anchor="end">
          {t("frames.frame").toLowerCase()}
        </text>
        {bars.map(({ frame }, i) =>
          i % step === 0 && full - LEFT - i * width > NUMBER_PX / 2 ? (
            <text key={frame} x={LEFT + i * width} y={HEIGHT + NUMBERS - 3}>
              {formatNumber(frame)}
            </text>
          ) : null,
        )}
        <line x1={LEFT} x2={full} y1={y(scale.top)} y2={y(scale.top)} />
        <line x1={LEFT} x2={full} y1={y(0)} y2={y(0)} />
        {bars.map((frame, i) => (
          <g key={frame.frame} onClick={() => onGo(frame.frame)}>
            <title>{t("frames.frame-click-to-go", { frame: frame.frame, calls: t("count.call", { count: frame.calls }) })}</title>
            <rect class="reach" x={LEFT + i * width} y={0} width={width} height={HEIGHT} />
            <rect class={frame.calls > scale.top ? "cut" : ""} x={LEFT + i * width} y={y(frame.calls)} width={Math.max(1, width - (width > 3 ? 1 : 0))} height={Math.max(1, y(0) - y(frame.calls))} />
          </g>
        ))}
      </svg>
  );
}
