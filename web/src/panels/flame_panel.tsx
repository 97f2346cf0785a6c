/** Flame graphs: left-heavy, bottom-up, and the sandwich of callers and callees of one name. */
import { useEffect } from "preact/hooks";
import type { Parameters } from "../transport/transport.ts";
import type { FlameChoice, FlameFrame, FlameGraph, FlameScope, FlameTree, FlameView, FlameWeight } from "../flame.ts";
import { chooseFrame, copyFolded, saveSvg, scopeChoice, scopeParameters, selectedSlice, showFlame } from "../flame_actions.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { Chip } from "./chips.tsx";
import { FlameCanvas, FlamePath } from "./flame_canvas.tsx";
import { fileNameOf, nameOf } from "./format.ts";
import { IconButton } from "./icons.tsx";
import { ErrorText, Switch } from "./parts.tsx";
import { t, titled, type PlainId } from "../texts.ts";

const VIEWS: [FlameView, PlainId][] = [
  ["left-heavy", "common.left-heavy"],
  ["bottom-up", "common.bottom-up"],
  ["sandwich", "flame.sandwich"],
];
const WEIGHTS: [FlameWeight, PlainId][] = [
  ["total", "common.total-time"],
  ["self", "common.self-time"],
  ["count", "common.count"],
  ["cpu", "common.cpu-time"],
];
const NO_WIDTH = 1200;

/** Returns the parameters of the request `flame` for the choice: the time, the tracks and the tree. */
function parametersOf(viewer: Viewer, choice: FlameChoice): Parameters {
  const { by, isCollapsed, hidden, find, source, trace } = choice;
  const slice = selectedSlice(viewer, trace);
  return {
    ...viewer.categories.parameters(trace),
    ...scopeParameters(viewer, choice.scope, trace),
    by,
    source,
    ...(isCollapsed ? { recursion: "collapsed" } : {}),
    ...(hidden.length === 0 ? {} : { without: hidden.map(({ label }) => label).join(",") }),
    ...(find === "" ? {} : { find }),
    ...(slice === null ? {} : { slice }),
  };
}

export function FlamePanel({ viewer }: { viewer: Viewer }) {
  const choice = useStore(viewer.flames.choice);
  useStore(viewer.area);
  useStore(viewer.details);
  useStore(viewer.categories.hidden);
  useStore(viewer.loading.traces);
  const { main, callers, callees } = viewer.flames;
  const isSandwich = choice.view === "sandwich";
  const graph = isSandwich && choice.name !== null ? callees : main;
  const parameters = parametersOf(viewer, choice);
  return (
    <div class="flame-panel">
      <FlameBar viewer={viewer} choice={choice} graph={graph} />
      {isSandwich && choice.name === null && <p class="empty">{t("flame.choose-a-frame-or")}</p>}
      {(!isSandwich || choice.name === null) && (
        <FlamePart
          viewer={viewer}
          graph={main}
          choice={choice}
          parameters={isSandwich ? { ...parameters, by: "self" } : parameters}
          tree={choice.view === "left-heavy" ? "calls" : "inverted"}
        />
      )}
      {isSandwich && choice.name !== null && (
        <>
          <p class="flame-name">
            <strong>{nameOf(choice.name)}</strong> <span class="muted">{t("flame.callers-above-callees-below")}</span>
          </p>
          <FlamePart viewer={viewer} graph={callers} choice={choice} parameters={parameters} tree="callers" />
          <FlamePart viewer={viewer} graph={callees} choice={choice} parameters={parameters} tree="callees" />
        </>
      )}
    </div>
  );
}

interface FlamePartProps {
  viewer: Viewer;
  graph: FlameGraph;
  choice: FlameChoice;
  parameters: Parameters;
  tree: FlameTree;
}

const LABELS: { [tree in FlameTree]: PlainId } = {
  calls: "flame.flame-graph-left-heavy",
  inverted: "flame.flame-graph-bottom-up",
  callers: "flame.callers",
  callees: "flame.callees",
};

function FlamePart({ viewer, graph, choice, parameters, tree }: FlamePartProps) {
  const front = useStore(graph.front);
  const shown = useStore(graph.shown);
  const error = useStore(graph.error);
  const share = useStore(graph.share);
  const isOfName = tree === "callers" || tree === "callees";
  const all = { ...parameters, tree, ...(isOfName ? { name: choice.name ?? "" } : {}) };
  const load = viewer.loading.ready[choice.trace];
  const key = JSON.stringify([all, front]);
  useEffect(() => {
    const width = document.querySelector(".flame")?.clientWidth ?? NO_WIDTH;
    if (load !== undefined) graph.ask(load, all, width);
  }, [load, graph, key]);
  useEffect(() => () => graph.leave(), [graph]);
  if (error !== null) return <ErrorText text={error} />;
  const counting = share === null ? t("common.counting") : t("flame.counting", { percent: Math.floor(100 * share) });
  if (shown === null)
    return (
      <p class="empty" role="status">
        {counting}
      </p>
    );
  if (shown.answer.rows <= (tree === "callers" ? 2 : 1)) return <p class="empty">{emptySentence(choice, tree)}</p>;
  const onChoose = (frame: FlameFrame) => chooseFrame(viewer, graph, frame);
  // A sandwich does not draw the frame "all", and draws the name itself only once.
  const skip = front === "0" ? { calls: 0, inverted: 0, callers: 2, callees: 1 }[tree] : 0;
  return (
    <>
      <FlamePath graph={graph} />
      <FlameCanvas
        viewer={viewer}
        graph={graph}
        label={t(LABELS[tree])}
        direction={tree === "callers" ? "up" : "down"}
        skip={skip}
        onChoose={onChoose}
        onHide={(frame) => viewer.flames.hide(frame)}
        onCallers={(frame) => showFlame(viewer, "sandwich", choice.scope, { trace: choice.trace, name: frame.name ?? "" })}
      />
    </>
  );
}

function emptySentence(choice: FlameChoice, tree: FlameTree): string {
  if (tree === "callers") return t("flame.nothing-calls-it-it");
  if (choice.view === "sandwich") return t("flame.no-slice-of-this");
  if (choice.by === "cpu") return t("flame.no-cpu-time-is");
  if (choice.scope === "matches") return t("flame.no-slice-with-a");
  return choice.scope === "area" ? t("flame.there-is-no-slice") : t("flame.there-are-no-slices");
}

interface FlameBarProps {
  viewer: Viewer;
  choice: FlameChoice;
  graph: FlameGraph;
}

function FlameBar({ viewer, choice, graph }: FlameBarProps) {
  const { flames } = viewer;
  const traces = useStore(viewer.loading.traces);
  const shown = useStore(graph.shown);
  const share = useStore(graph.share);
  const search = useStore(viewer.search.state);
  const counts = traces[choice.trace]?.info.counts ?? {};
  const area = viewer.area.value;
  const hasThread = scopeParameters(viewer, "thread", choice.trace)["tracks"] !== undefined;
  const hasBoth = (counts["samples"] ?? 0) > 0 && (counts["slices"] ?? 0) > 0;
  const scopes: [FlameScope, string, boolean][] = [
    ["trace", t("common.whole-trace"), true],
    ["area", t("common.selected-area"), area !== null],
    ["thread", t("flame.thread-of-the-selected"), hasThread],
    ["slice", t("flame.inside-the-selected-slice"), selectedSlice(viewer, choice.trace) !== null],
    ["matches", choice.search === "" ? t("flame.matches-of-the-search") : t("flame.matches-of", { search: choice.search }), choice.search !== "" || search.text !== ""],
  ];
  const found = shown?.answer.found ?? null;
  const unhide = (label: number) => {
    flames.unhide(label);
    document.querySelector<HTMLElement>(".flame")?.focus(); // the chip no longer exists
  };
  return (
    <div class="flame-bar">
      <Switch label={t("common.view")} values={titled(VIEWS)} value={choice.view} onChange={(view) => showFlame(viewer, view, choice.scope)} />
      {traces.length > 1 && (
        <select aria-label={t("common.trace")} value={choice.trace} onChange={(event) => flames.choose({ trace: Number(event.currentTarget.value) })}>
          {traces.map((trace, i) => (
            <option key={i} value={i}>
              {fileNameOf(trace.info.file.name)}
            </option>
          ))}
        </select>
      )}
      <select id="flame-scope" aria-label={t("common.of")} value={choice.scope} onChange={(event) => flames.choose(scopeChoice(viewer, event.currentTarget.value as FlameScope))}>
        {scopes.map(([scope, title, isThere]) => (
          <option key={scope} value={scope} disabled={!isThere}>
            {title}
          </option>
        ))}
      </select>
      {hasBoth && (
        <select
          aria-label={t("flame.source")}
          value={choice.source}
          onChange={(event) => flames.choose({ source: event.currentTarget.value as FlameChoice["source"] })}
        >
          <option value="slices">{t("common.slices")}</option>
          <option value="samples">{t("flame.samples")}</option>
        </select>
      )}
      <select id="flame-by" aria-label={t("common.width")} value={choice.by} onChange={(event) => flames.choose({ by: event.currentTarget.value as FlameWeight })}>
        {titled(WEIGHTS).filter(([by]) => by !== "cpu" || shown?.answer.has_cpu === true || choice.by === "cpu").map(([by, title]) => (
          <option key={by} value={by}>
            {title}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="toggle"
        id="flame-recursion"
        aria-pressed={choice.isCollapsed}
        title={t("flame.direct-recursion-as-one")}
        onClick={() => flames.choose({ isCollapsed: !choice.isCollapsed })}
      >
        {t("flame.collapse-recursion")}
      </button>
      {choice.hidden.map(({ name, label }) => (
        <Chip key={label} title={t("chips.hidden")} text={nameOf(name)} undo={t("chips.show-again")} onUndo={() => unhide(label)} />
      ))}
      <input
        type="search"
        id="flame-find"
        placeholder={t("flame.find-frames")}
        aria-label={t("flame.find-frames-by-name")}
        value={choice.find}
        onInput={(event) => flames.choose({ find: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") flames.choose({ find: "" });
        }}
      />
      <output class="muted">
        {found !== null && `${t("count.frame", { count: found.frames })}, ${(100 * found.share).toFixed(1)} %`}
      </output>
      {shown !== null && share !== null && <span class="muted">{t("flame.still-counting", { percent: Math.floor(100 * share) })}</span>}
      {shown?.answer.perspective != null && <span class="muted">{t("flame.by-perspective", { perspective: shown.answer.perspective.toLowerCase() })}</span>}
      {(shown?.answer.left_out_tracks ?? 0) > 0 && (
        <span class="muted">{t("flame.left-out", { count: shown?.answer.left_out_tracks ?? 0 })}</span>
      )}
      <span class="flame-tools">
        <IconButton icon="copy" label={t("common.copy-as-folded-lines")} onClick={() => void copyFolded(viewer, graph)} />
        <button type="button" class="link" title={t("flame.a-picture-that-needs")} onClick={() => void saveSvg(viewer, graph, choice.trace, choice.view)}>
          {t("common.save-as-svg")}
        </button>
      </span>
    </div>
  );
}
