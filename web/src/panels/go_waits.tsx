/** The stacks in which goroutines waited, as a flame graph. */
import { useEffect } from "preact/hooks";
import { saveSvg, copyFolded } from "../flame_actions.ts";
import { ROOT } from "../flame.ts";
import type { GoProfile, GoRange } from "../go.ts";
import { useStore } from "../store.ts";
import { saveProfile } from "../saving.ts";
import type { Viewer } from "../viewer.ts";
import { FlameCanvas, FlamePath } from "./flame_canvas.tsx";
import { formatNs } from "./format.ts";
import { IconButton } from "./icons.tsx";
import { ErrorText } from "./parts.tsx";
import { t } from "../texts.ts";

interface GoWaitsProps {
  viewer: Viewer;
  what: GoProfile;
  trace: number;
  range: GoRange | null;
}

const NO_WIDTH = 1200;

export function GoWaits({ viewer, what, trace, range }: GoWaitsProps) {
  const graph = viewer.flames.waits;
  const front = useStore(graph.front);
  const shown = useStore(graph.shown);
  const error = useStore(graph.error);
  useEffect(() => graph.front.set(ROOT), [graph, what]);
  const load = viewer.loading.ready[trace];
  useEffect(() => {
    const width = document.querySelector(".flame")?.clientWidth ?? NO_WIDTH;
    if (load !== undefined) graph.ask(load, { source: what, ...range }, width);
  }, [load, graph, what, range?.begin, range?.end, front]);
  if (error !== null) return <ErrorText text={error} />;
  if (shown === null) return <p class="empty">{t("common.counting")}</p>;
  const { all, rows } = shown.answer;
  if (rows <= 1) return <p class="empty">{t("go-waits.nothing-waited-like-this")}</p>;
  return (
    <>
      <p class="go-sum">
        {t("go-waits.sum", { time: formatNs(Number(all.total)), waits: t(what === "syscall" ? "count.syscall" : "count.wait", { count: all.count }) })}
        <button type="button" class="link" title={t("go-waits.a-file-for-go")} onClick={() => void saveProfile(viewer, what)}>
          {t("go-waits.save-for-pprof")}
        </button>
        <button type="button" class="link" title={t("go-waits.a-picture-that-needs")} onClick={() => void saveSvg(viewer, graph, trace, what)}>
          {t("common.save-as-svg")}
        </button>
        <IconButton icon="copy" label={t("common.copy-as-folded-lines")} onClick={() => void copyFolded(viewer, graph)} />
      </p>
      <FlamePath graph={graph} />
      <FlameCanvas viewer={viewer} graph={graph} label={t("go-waits.flame-graph-of-waits")} direction="down" skip={0} onChoose={() => undefined} />
    </>
  );
}
