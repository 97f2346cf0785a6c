/**
 * A comparison of two open traces: a table of names or call paths with the values of both, their changes, and a
 * verdict.
 */
import { useEffect, useState } from "preact/hooks";
import type { Parameters } from "../transport/transport.ts";
import type { CompareAnswer, CompareMeasure, CompareRow, CompareSide, CompareVerdict } from "../transport/protocol.ts";
import type { AreaPart } from "../areas.ts";
import type { CompareChoice, CompareNumbers, CompareScope } from "../compare.ts";
import type { OpenTrace } from "../loading.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { exactPercent, fileNameOf, formatNumber, nameOf, percentText } from "./format.ts";
import { CompareThread } from "./compare_thread.tsx";
import { FlameCanvas, FlamePath } from "./flame_canvas.tsx";
import { compareTexts, compareValues, sorted, Table, type Column, type Sort } from "./table.tsx";
import { ErrorText, Switch } from "./parts.tsx";
import { TableTools } from "./table_tools.tsx";
import { rich, t, titled, type PlainId } from "../texts.ts";

const NAME_PX = 220;
/** The width of a flame graph before its layout. */
const NO_WIDTH = 1200;
/** The limit on the names of a path in a row, innermost first. */
const PATH_FRAMES = 12;

const MEASURES: [CompareMeasure, PlainId][] = [
  ["self", "common.self"],
  ["total", "common.total"],
  ["count", "common.count"],
  ["average", "common.average"],
  ["self_average", "compare.self-per-call"],
  ["p50", "common.p50"],
  ["p99", "common.p99"],
];

const VERDICTS: [CompareVerdict, PlainId][] = [
  ["slower", "compare.a-call-takes-longer"],
  ["faster", "compare.a-call-is-shorter"],
  ["noise", "compare.such-a-difference-also"],
  ["few", "compare.fewer-than-8-calls"],
  ["new", "compare.only-in-b"],
  ["gone", "compare.only-in-a"],
];
const TEST = "compare.mann-whitney-u-test";

export function ComparePanel({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  if (traces.length < 2)
    return (
      <div class="empty">
        <p>{rich("compare.needs-two", { command: <code>varve open before.json after.json</code> })}</p>
        <button type="button" class="button" onClick={() => viewer.chooseFiles("add")}>
          {t("compare.open-a-second-trace")}
        </button>
      </div>
    );
  return <CompareTwo viewer={viewer} traces={traces} />;
}

/** Returns the part of the selected area in a trace. */
function selectedPart(viewer: Viewer, trace: number): AreaPart | undefined {
  return viewer.area.value?.parts.find((of) => of.trace === trace);
}

/** Returns the parameters that choose the slices of A or B; null: the area has no track of it. */
function parametersOf(viewer: Viewer, choice: CompareChoice, side: "a" | "b"): Parameters | null {
  const always = { ...viewer.categories.parameters(choice[side]), ...(choice.thread === "" ? {} : { thread: choice.thread }) };
  if (choice.scope === "trace") return always;
  const part = side === "a" && choice.keptA !== null ? choice.keptA : selectedPart(viewer, choice[side]);
  return part === undefined ? null : { ...always, begin: part.begin, end: part.end, tracks: part.tracks.join(",") };
}

function CompareTwo({ viewer, traces }: { viewer: Viewer; traces: readonly OpenTrace[] }) {
  const { comparison } = viewer;
  const choice = useStore(comparison.choice);
  const shown = useStore(comparison.shown);
  const error = useStore(comparison.error);
  useStore(viewer.area);
  useStore(viewer.categories.hidden);
  const [a, b] = [parametersOf(viewer, choice, "a"), parametersOf(viewer, choice, "b")];
  const [loadA, loadB] = [traces[choice.a]?.load, traces[choice.b]?.load];
  useEffect(() => {
    if (a === null || b === null || loadA === undefined || loadB === undefined) return;
    const [inA, inB] = [{ load: loadA, parameters: a }, { load: loadB, parameters: b }];
    comparison.ask(inA, inB);
    if (choice.view === "flame") comparison.askGraph(inA, inB, document.querySelector(".flame")?.clientWidth ?? NO_WIDTH);
  });
  const isSelf = choice.a === choice.b && choice.keptA === null;
  return (
    <div class="area compare">
      <CompareBar viewer={viewer} traces={traces} choice={choice} />
      <AlignBar viewer={viewer} choice={choice} answer={shown} />
      {a === null || b === null ? (
        <p class="empty">{t("compare.no-track", { side: a === null ? "A" : "B" })}</p>
      ) : error !== null ? (
        <ErrorText text={error} />
      ) : shown === null ? (
        <p class="empty">{t("common.counting")}</p>
      ) : (
        <>
          {isSelf && <p class="empty">{t("compare.a-and-b-are")}</p>}
          {choice.view === "table" ? <CompareTable viewer={viewer} choice={choice} answer={shown} /> : <CompareFlame viewer={viewer} choice={choice} />}
        </>
      )}
    </div>
  );
}

// ---- rows ----

function rowName(row: CompareRow): string {
  return row.name ?? row.path ?? "";
}

/** Returns the names of a path, innermost first. */
function framesOf(path: string): string[] {
  return path.split(";").reverse();
}

function rowTitle(row: CompareRow): string {
  if (row.path === undefined) return nameOf(row.name ?? "");
  return framesOf(row.path).slice(0, PATH_FRAMES).join(" ← ");
}

/** Returns the chosen rows. */
function rowsOf(answer: CompareAnswer, choice: CompareChoice): CompareRow[] {
  const wanted = choice.filter.toLowerCase();
  const isShown = ({ verdict }: CompareRow) => (choice.verdict === null ? !choice.isChanged || (verdict !== "noise" && verdict !== "few") : verdict === choice.verdict);
  return answer.rows.filter((row) => isShown(row) && (wanted === "" || rowName(row).toLowerCase().includes(wanted)));
}

// ---- columns ----

/** "–" in a cell without a value. */
const NONE = "–";

/** Returns the sign of a change, or "". */
function signOf(value: number): string {
  return value > 0 ? "+" : value < 0 ? "−" : "";
}

/** Returns a count, or ticks of traces without time. */
function countText(value: number): string {
  return formatNumber(Math.round(Math.abs(value)));
}

/** Returns the member of a column that gives its values one unit; counts and ticks have none. */
function amountsOf(measure: CompareMeasure, unit: CompareAnswer["unit"], value: (row: CompareRow) => number | null): Pick<Column<CompareRow>, "amount"> {
  return measure !== "count" && unit === "ns" ? { amount: value } : {};
}

function sideColumn(side: "a" | "b", measure: CompareMeasure, title: string, unit: CompareAnswer["unit"]): Column<CompareRow> {
  const value = (row: CompareRow) => row[side]?.[measure] ?? null;
  return {
    key: `${measure}_${side}`,
    title: `${title} ${side.toUpperCase()}`,
    kind: "number",
    ...amountsOf(measure, unit, value),
    text: (row) => {
      const number = value(row);
      return number === null ? NONE : countText(number);
    },
    compare: (left, right) => (value(left) ?? 0) - (value(right) ?? 0),
    isNull: (row) => value(row) === null,
  };
}

function changeColumn(measure: CompareMeasure, unit: CompareAnswer["unit"]): Column<CompareRow> {
  const value = (row: CompareRow) => row.change[measure];
  return {
    key: `${measure}_change`,
    title: t("compare.change"),
    kind: "number",
    ...amountsOf(measure, unit, value),
    sign: "change",
    text: (row) => `${signOf(value(row))}${countText(value(row))}`,
    compare: (left, right) => value(left) - value(right),
  };
}

function percentColumn(measure: CompareMeasure, title: string): Column<CompareRow> {
  const value = (row: CompareRow) => row.percent[measure];
  const textBy = (format: (size: number) => string) => (row: CompareRow) => {
    const percent = value(row);
    return percent === null ? NONE : `${signOf(percent)}${format(Math.abs(percent))}`;
  };
  return {
    key: `${measure}_percent`,
    title,
    kind: "number",
    text: textBy((size) => percentText(size, 1)),
    exact: textBy(exactPercent),
    compare: (left, right) => (value(left) ?? 0) - (value(right) ?? 0),
    isNull: (row) => value(row) === null,
  };
}

function measureColumns(measure: CompareMeasure, unit: CompareAnswer["unit"]): Column<CompareRow>[] {
  const title = t(MEASURES.find(([key]) => key === measure)?.[1] ?? "common.self");
  return [sideColumn("a", measure, title, unit), sideColumn("b", measure, title, unit), changeColumn(measure, unit), percentColumn(measure, `${title} %`)];
}

function numberColumns(numbers: CompareNumbers, unit: CompareAnswer["unit"]): Column<CompareRow>[] {
  if (numbers === "all") return MEASURES.flatMap(([measure]) => measureColumns(measure, unit));
  if (numbers !== "overview") return measureColumns(numbers, unit);
  return [
    ...measureColumns("self", unit),
    sideColumn("a", "count", t("common.count"), unit),
    sideColumn("b", "count", t("common.count"), unit),
    percentColumn("self_average", t("compare.per-call")),
    percentColumn("p50", `${t("common.p50")} %`),
    percentColumn("p99", `${t("common.p99")} %`),
  ];
}

/** Returns a text such as "p = 0.0021": the probability of such a difference by chance. */
function verdictHint(row: CompareRow): string {
  const why = t(VERDICTS.find(([verdict]) => verdict === row.verdict)?.[1] ?? "compare.such-a-difference-also");
  if (row.p === null || row.q === null) return why;
  return t("compare.p-adjusted", { why, p: row.p.toPrecision(2), q: row.q.toPrecision(2), test: t(TEST) });
}

function columnsOf(answer: CompareAnswer, numbers: CompareNumbers): Column<CompareRow>[] {
  return [
    {
      key: "name",
      title: answer.by === "path" ? t("compare.call-path-innermost-first") : t("common.name"),
      kind: "text",
      text: rowTitle,
      compare: (left, right) => compareTexts(rowName(left), rowName(right)),
      width: { least: NAME_PX },
    },
    {
      key: "verdict",
      title: t("compare.verdict"),
      kind: "text",
      class: "verdict",
      width: { px: 92 },
      text: (row) => t(`verdict.${row.verdict}`),
      compare: (left, right) => compareValues(VERDICTS.findIndex(([key]) => key === left.verdict), VERDICTS.findIndex(([key]) => key === right.verdict)),
      cell: (row) => (
        <span class={`verdict-${row.verdict}`} title={verdictHint(row)}>
          {t(`verdict.${row.verdict}`)}
        </span>
      ),
    },
    ...numberColumns(numbers, answer.unit),
  ];
}

/** Returns the table with exact values: the columns of `varve diff --csv`. */
function linesOf(rows: readonly CompareRow[], { by, unit }: CompareAnswer): (string | number | null)[][] {
  const unitOf = (measure: CompareMeasure) => (measure === "count" ? "" : `_${unit}`);
  const head = MEASURES.flatMap(([key]) => [`${key}_a${unitOf(key)}`, `${key}_b${unitOf(key)}`, `${key}_change${unitOf(key)}`, `${key}_percent`]);
  const lines = rows.map((row) => [
    rowName(row),
    row.verdict,
    row.p,
    row.q,
    ...MEASURES.flatMap(([key]) => [row.a?.[key] ?? null, row.b?.[key] ?? null, row.change[key], row.percent[key]]),
  ]);
  return [[by, "verdict", "p", "q", ...head], ...lines];
}

// ---- the table ----

/** Returns the trace and the values of a row: those of B, or those of A if the row is absent from B. */
function mainSide(row: CompareRow, { a, b }: CompareChoice): { trace: number; side: CompareSide } | null {
  if (row.b !== null) return { trace: b, side: row.b };
  return row.a === null ? null : { trace: a, side: row.a };
}

function CompareTable({ viewer, choice, answer }: { viewer: Viewer; choice: CompareChoice; answer: CompareAnswer }) {
  const [sort, setSort] = useState<Sort | null>(null);
  const lit = useStore(viewer.highlighted);
  const columns = columnsOf(answer, choice.numbers);
  const rows = rowsOf(answer, choice);
  const isLit = (row: CompareRow) => {
    const main = mainSide(row, choice);
    return main !== null && lit.trace === main.trace && lit.label === main.side.label;
  };
  const highlight = (row: CompareRow) => {
    const main = mainSide(row, choice);
    if (main === null) return;
    const other = row.b !== null && row.a !== null ? { trace: choice.a, label: row.a.label } : null;
    if (isLit(row)) viewer.highlight(main.trace, 0);
    else viewer.highlight(main.trace, main.side.label, other);
  };
  const goTo = (row: CompareRow) => {
    const main = mainSide(row, choice);
    if (main !== null) viewer.selection.selectId(main.trace, String(main.side.longest));
  };
  const lines = () => linesOf(sorted(rows, columns, sort), answer);
  return (
    <>
      <div class="area-head">
        <Summary answer={answer} shown={choice.verdict} onShow={(verdict) => viewer.comparison.choose({ verdict })} />
        <span class="area-tools">
          <TableTools viewer={viewer} lines={lines} file="comparison.csv" />
        </span>
      </div>
      {answer.rows.length === 0 ? (
        <p class="empty">{t("compare.there-is-no-slice")}</p>
      ) : rows.length === 0 ? (
        <p class="empty">{choice.filter === "" ? t("compare.no-name-has-changed") : t("common.no-row-contains-this")}</p>
      ) : (
        <Table
          label={t("compare.comparison")}
          rows={rows}
          columns={columns}
          keyOf={rowName}
          sort={sort}
          onSort={setSort}
          onRow={highlight}
          onRowTwice={goTo}
          isLit={isLit}
          action={{ icon: "fit", labelOf: (row) => t("compare.go-to-the-longest", { name: rowTitle(row), side: row.b === null ? "A" : "B" }), run: goTo }}
          hintOf={(row) => t("compare.highlights-its-slices-in", { name: rowName(row) })}
        />
      )}
    </>
  );
}

interface SummaryProps {
  answer: CompareAnswer;
  /** The verdict of all shown rows; null = any. */
  shown: CompareVerdict | null;
  onShow: (verdict: CompareVerdict | null) => void;
}

/** The number of rows of each verdict, each a button that shows these rows only. */
function Summary({ answer, shown, onShow }: SummaryProps) {
  const all = Object.values(answer.verdicts).reduce((sum, count) => sum + count, 0);
  const isEqual = answer.equal && all > 0;
  const counts = isEqual ? [] : VERDICTS.filter(([verdict]) => answer.verdicts[verdict] > 0);
  const perspectives = [...new Set([answer.a.perspective ?? [], answer.b.perspective ?? []].flat())];
  return (
    <span>
      {isEqual && <b>{t(answer.by === "path" ? "compare.equal-paths" : "compare.equal-names")}</b>}
      {counts.map(([verdict, why], i) => (
        <span key={verdict}>
          {i > 0 && ", "}
          <button type="button" class={`link verdict-${verdict}`} aria-pressed={shown === verdict} title={t("compare.only-these-rows", { why: t(why) })} onClick={() => onShow(shown === verdict ? null : verdict)}>
            {formatNumber(answer.verdicts[verdict])} {t(`verdict.${verdict}`)}
          </button>
        </span>
      ))}
      {all > 0 && " · "}A {t("count.slice", { count: answer.a.slices })}, B {t("count.slice", { count: answer.b.slices })}
      {all > answer.rows.length && t("compare.the-with-the-largest", { rows: t("count.row", { count: answer.rows.length }) })}
      {perspectives.length > 0 && t("common.counted-by", { perspectives: perspectives.join(", ").toLowerCase() })}
      {" · "}
      <span title={t(TEST)}>{t("compare.mann-whitney-u-test-2")}</span>
    </span>
  );
}

// ---- the flame graph ----

const WEIGHTS: [CompareChoice["weight"], PlainId][] = [
  ["total", "common.total-time"],
  ["self", "common.self-time"],
  ["count", "common.count"],
];

function CompareFlame({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const { graph } = viewer.comparison;
  const shown = useStore(graph.shown);
  const error = useStore(graph.error);
  useStore(graph.front);
  if (error !== null) return <ErrorText text={error} />;
  if (shown === null) return <p class="empty">{t("common.counting")}</p>;
  if (shown.answer.rows <= 1) return <p class="empty">{t("compare.there-are-no-slices")}</p>;
  return (
    <>
      <p class="flame-name muted">
        {rich(choice.weight === "count" ? "compare.frames-by-calls" : choice.tree === "inverted" ? "compare.frames-by-time" : "compare.frames-by-self-time", {
          more: <span class="verdict-slower">{t("compare.red-for-more")}</span>,
          less: <span class="verdict-faster">{t("compare.blue-for-less")}</span>,
        })}
      </p>
      <FlamePath graph={graph} />
      <FlameCanvas
        viewer={viewer}
        graph={graph}
        label={t("compare.changes")}
        direction="down"
        skip={0}
        onChoose={(frame) => viewer.highlight(choice.b, frame.label)}
      />
    </>
  );
}

const TREES = [
  ["calls", "common.left-heavy"],
  ["inverted", "common.bottom-up"],
] as const;
const VIEWS = [
  ["table", "common.table"],
  ["flame", "common.flame-graph"],
] as const;
const GROUPS = [
  ["name", "compare.names"],
  ["path", "compare.call-paths"],
] as const;

/** The options of the flame graph. */
function FlameChoices({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const { comparison } = viewer;
  return (
    <>
      <Switch label={t("compare.tree")} values={titled(TREES)} value={choice.tree} onChange={(tree) => comparison.choose({ tree })} />
      <select aria-label={t("common.width")} value={choice.weight} onChange={(event) => comparison.choose({ weight: event.currentTarget.value as CompareChoice["weight"] })}>
        {titled(WEIGHTS).map(([weight, title]) => (
          <option key={weight} value={weight}>
            {title}
          </option>
        ))}
      </select>
    </>
  );
}

// ---- the bar ----

interface CompareBarProps {
  viewer: Viewer;
  traces: readonly OpenTrace[];
  choice: CompareChoice;
}

function CompareBar({ viewer, traces, choice }: CompareBarProps) {
  const { comparison } = viewer;
  const hasArea = viewer.area.value !== null;
  return (
    <div class="flame-bar compare-bar">
      <TraceChoice side="a" traces={traces} value={choice.a} onChange={(a) => comparison.chooseSides({ a })} />
      <button type="button" class="toggle" title={t("compare.swap-a-and-b")} onClick={() => comparison.swap()}>
        {t("compare.swap")}
      </button>
      <TraceChoice side="b" traces={traces} value={choice.b} onChange={(b) => comparison.chooseSides({ b })} />
      <Switch label={t("common.view")} values={titled(VIEWS)} value={choice.view} onChange={(view) => comparison.choose({ view })} />
      <select aria-label={t("common.of")} value={choice.scope} onChange={(event) => comparison.choose({ scope: event.currentTarget.value as CompareScope })}>
        <option value="trace">{t("compare.whole-traces")}</option>
        <option value="area" disabled={!hasArea && choice.scope !== "area"}>
          {t("common.selected-area")}
        </option>
      </select>
      {choice.scope === "area" && <KeepArea viewer={viewer} choice={choice} />}
      <CompareThread viewer={viewer} choice={choice} />
      {choice.view === "table" ? <TableChoices viewer={viewer} choice={choice} /> : <FlameChoices viewer={viewer} choice={choice} />}
    </div>
  );
}

/** Keeps the selected area for A, so that the next one is that of B alone. */
function KeepArea({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const part = selectedPart(viewer, choice.a);
  const isKept = choice.keptA !== null;
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isKept}
      disabled={!isKept && part === undefined}
      title={t("compare.keeps-the-selected-area")}
      onClick={() => viewer.comparison.choose({ keptA: isKept ? null : (part ?? null) })}
    >
      {t("compare.keep-area-of-a")}
    </button>
  );
}

/** The options of the table. */
function TableChoices({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const { comparison } = viewer;
  return (
    <>
      <Switch label={t("common.a-row-for-each")} values={titled(GROUPS)} value={choice.by} onChange={(by) => comparison.choose({ by })} />
      <select
        id="compare-numbers"
        aria-label={t("compare.numbers")}
        value={choice.numbers}
        onChange={(event) => comparison.choose({ numbers: event.currentTarget.value as CompareNumbers })}
      >
        <option value="overview">{t("common.overview")}</option>
        {titled(MEASURES).map(([measure, title]) => (
          <option key={measure} value={measure}>
            {title}
          </option>
        ))}
        <option value="all">{t("compare.all-numbers")}</option>
      </select>
      <button type="button" class="toggle" aria-pressed={choice.isChanged} title={t("compare.leaves-out-noise-and")} onClick={() => comparison.choose({ isChanged: !choice.isChanged })}>
        {t("compare.changed-only")}
      </button>
      <input
        type="search"
        id="compare-filter"
        placeholder={t("common.filter-rows")}
        aria-label={t("common.show-only-rows-that")}
        value={choice.filter}
        onInput={(event) => comparison.choose({ filter: event.currentTarget.value })}
      />
    </>
  );
}

interface TraceChoiceProps {
  side: "a" | "b";
  traces: readonly OpenTrace[];
  value: number;
  onChange: (trace: number) => void;
}

/** The commands that align the traces on the time axis. */
function AlignBar({ viewer, choice, answer }: { viewer: Viewer; choice: CompareChoice; answer: CompareAnswer | null }) {
  const { alignment } = viewer;
  const picked = useStore(alignment.picked);
  const lit = useStore(viewer.highlighted);
  const row = answer?.by === "name" ? answer.rows.find((of) => lit.label !== 0 && mainSide(of, choice)?.trace === lit.trace && mainSide(of, choice)?.side.label === lit.label) : undefined;
  const name = row !== undefined && row.a !== null && row.b !== null ? (row.name ?? "") : null;
  const missing = [choice.a, choice.b].filter((trace) => picked?.has(trace) === false).map((trace) => (trace === choice.a ? "A" : "B"));
  return (
    <div class="flame-bar align-bar">
      <span class="muted">{t("compare.align-a-and-b")}</span>
      <button type="button" class="toggle" title={t("compare.as-they-were-recorded")} onClick={() => alignment.byClocks()}>
        {t("compare.by-clock")}
      </button>
      <button type="button" class="toggle" onClick={() => alignment.byStart()}>
        {t("compare.by-start")}
      </button>
      <button type="button" class="toggle" aria-pressed={picked !== null} title={t("compare.click-an-event-in")} onClick={() => alignment.pick()}>
        {t("compare.by-an-event-of")}
      </button>
      <button
        type="button"
        class="toggle"
        disabled={name === null}
        title={name === null ? t("compare.choose-a-row-of") : t("compare.the-first-of-each", { name: nameOf(name) })}
        onClick={() => void alignment.byName(choice.a, choice.b, name ?? "")}
      >
        {name === null ? t("compare.by-the-first-of") : t("compare.by-the-first", { name: nameOf(name) })}
      </button>
      <AlignDistance viewer={viewer} choice={choice} />
      <output class="muted">{picked !== null && missing[0] !== undefined && (missing[1] === undefined ? t("compare.click-an-event", { side: missing[0] }) : t("compare.click-two-events", { first: missing[0], second: missing[1] }))}</output>
    </div>
  );
}

/** A field for the distance of the begins. */
function AlignDistance({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      class="align-distance"
      onSubmit={(event) => {
        event.preventDefault();
        setWrong(!viewer.alignment.byDistance(choice.a, choice.b, text));
      }}
    >
      <label>
        {t("compare.b-begins")}{" "}
        <input
          id="align-distance"
          type="text"
          size={8}
          value={text}
          placeholder="1.5 ms"
          title={t("compare.the-time-from-the")}
          aria-invalid={isWrong}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setWrong(false);
          }}
        />{" "}
        {t("compare.after-a")}
      </label>
    </form>
  );
}

function TraceChoice({ side, traces, value, onChange }: TraceChoiceProps) {
  return (
    <label class="compare-side">
      {side.toUpperCase()}
      <select id={`compare-${side}`} value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {traces.map((trace, i) => (
          <option key={i} value={i}>
            {i + 1}. {fileNameOf(trace.info.file.name)}
          </option>
        ))}
      </select>
    </label>
  );
}
