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
import { fileNameOf, formatCount, formatNs, formatNumber, nameOf } from "./format.ts";
import { FlameCanvas, FlamePath } from "./flame_canvas.tsx";
import { compareTexts, compareValues, sorted, Table, type Column, type Sort } from "./table.tsx";
import { ErrorText, Switch } from "./parts.tsx";
import { TableTools } from "./table_tools.tsx";

const NAME_PX = 220;
/** The width of a flame graph before its layout. */
const NO_WIDTH = 1200;
/** The limit on the names of a path in a row, innermost first. */
const PATH_FRAMES = 12;

const MEASURES: [CompareMeasure, string][] = [
  ["self", "Self"],
  ["total", "Total"],
  ["count", "Count"],
  ["average", "Average"],
  ["self_average", "Self per call"],
  ["p50", "p50"],
  ["p99", "p99"],
];

const VERDICTS: [CompareVerdict, string][] = [
  ["slower", "A call takes longer in B, and the difference is larger than chance makes it"],
  ["faster", "A call is shorter in B, and the difference is larger than chance makes it"],
  ["noise", "Such a difference also appears between two recordings of the same code"],
  ["few", "Fewer than 8 calls in a trace: too few samples for a verdict"],
  ["new", "Only in B"],
  ["gone", "Only in A"],
];
const TEST = "Mann-Whitney U test of the self times of calls, in batches of consecutive calls; p-values adjusted by Benjamini and Hochberg, rate 5 %";

export function ComparePanel({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  if (traces.length < 2)
    return (
      <p class="empty">
        A comparison needs two traces, and one is open. Drop a second file onto the window while holding Shift, or start with both: <code>varve open before.json after.json</code>.
      </p>
    );
  return <CompareTwo viewer={viewer} traces={traces} />;
}

/** Returns the part of the selected area in a trace. */
function selectedPart(viewer: Viewer, trace: number): AreaPart | undefined {
  return viewer.area.value?.parts.find((of) => of.trace === trace);
}

/** Returns the parameters that choose the slices of A or B; null: the area has no track of it. */
function parametersOf(viewer: Viewer, choice: CompareChoice, side: "a" | "b"): Parameters | null {
  const hidden = viewer.categories.parameters(choice[side]);
  if (choice.scope === "trace") return hidden;
  const part = side === "a" && choice.keptA !== null ? choice.keptA : selectedPart(viewer, choice[side]);
  return part === undefined ? null : { ...hidden, begin: part.begin, end: part.end, tracks: part.tracks.join(",") };
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
        <p class="empty">The selected area has no track of {a === null ? "A" : "B"}: drag over tracks of both traces, or compare whole traces.</p>
      ) : error !== null ? (
        <ErrorText text={error} />
      ) : shown === null ? (
        <p class="empty">Counting…</p>
      ) : (
        <>
          {isSelf && <p class="empty">A and B are the same trace: choose another one.</p>}
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
  const isNoise = (row: CompareRow) => row.verdict === "noise" || row.verdict === "few";
  return answer.rows.filter((row) => !(choice.isChanged && isNoise(row)) && (wanted === "" || rowName(row).toLowerCase().includes(wanted)));
}

// ---- columns ----

const DIGITS = 4;

function valueText(value: number, measure: CompareMeasure, unit: CompareAnswer["unit"]): string {
  if (measure === "count") return formatNumber(value);
  return unit === "ns" ? formatNs(Number(value.toPrecision(DIGITS))) : formatNumber(Math.round(value));
}

function changeText(value: number, measure: CompareMeasure, unit: CompareAnswer["unit"]): string {
  const sign = value > 0 ? "+" : value < 0 ? "−" : "";
  return `${sign}${valueText(Math.abs(value), measure, unit)}`;
}

function percentText(value: number | null): string {
  if (value === null) return "–";
  const digits = Math.abs(value) < 9999.5 ? Math.abs(value).toFixed(1) : formatNumber(Math.round(Math.abs(value)));
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${digits} %`;
}

function sideColumn(side: "a" | "b", measure: CompareMeasure, title: string, unit: CompareAnswer["unit"]): Column<CompareRow> {
  const value = (row: CompareRow) => row[side]?.[measure] ?? null;
  return {
    key: `${measure}_${side}`,
    title: `${title} ${side.toUpperCase()}`,
    kind: "number",
    text: (row) => {
      const number = value(row);
      return number === null ? "–" : valueText(number, measure, unit);
    },
    compare: (left, right) => (value(left) ?? 0) - (value(right) ?? 0),
    isNull: (row) => value(row) === null,
  };
}

function changeColumn(measure: CompareMeasure, unit: CompareAnswer["unit"]): Column<CompareRow> {
  return {
    key: `${measure}_change`,
    title: "Change",
    kind: "number",
    text: (row) => changeText(row.change[measure], measure, unit),
    compare: (left, right) => left.change[measure] - right.change[measure],
  };
}

function percentColumn(measure: CompareMeasure, title: string): Column<CompareRow> {
  const value = (row: CompareRow) => row.percent[measure];
  return {
    key: `${measure}_percent`,
    title,
    kind: "number",
    text: (row) => percentText(value(row)),
    compare: (left, right) => (value(left) ?? 0) - (value(right) ?? 0),
    isNull: (row) => value(row) === null,
  };
}

function measureColumns(measure: CompareMeasure, unit: CompareAnswer["unit"]): Column<CompareRow>[] {
  const title = MEASURES.find(([key]) => key === measure)?.[1] ?? "";
  return [sideColumn("a", measure, title, unit), sideColumn("b", measure, title, unit), changeColumn(measure, unit), percentColumn(measure, `${title} %`)];
}

function numberColumns(numbers: CompareNumbers, unit: CompareAnswer["unit"]): Column<CompareRow>[] {
  if (numbers === "all") return MEASURES.flatMap(([measure]) => measureColumns(measure, unit));
  if (numbers !== "overview") return measureColumns(numbers, unit);
  return [
    ...measureColumns("self", unit),
    sideColumn("a", "count", "Count", unit),
    sideColumn("b", "count", "Count", unit),
    percentColumn("self_average", "Per call %"),
    percentColumn("p50", "p50 %"),
    percentColumn("p99", "p99 %"),
  ];
}

/** Returns a text such as "p = 0.0021": the probability of such a difference by chance. */
function verdictHint(row: CompareRow): string {
  const why = VERDICTS.find(([verdict]) => verdict === row.verdict)?.[1] ?? "";
  if (row.p === null || row.q === null) return why;
  return `${why}\np = ${row.p.toPrecision(2)}, adjusted ${row.q.toPrecision(2)}\n${TEST}`;
}

function columnsOf(answer: CompareAnswer, numbers: CompareNumbers): Column<CompareRow>[] {
  return [
    {
      key: "name",
      title: answer.by === "path" ? "Call path, innermost first" : "Name",
      kind: "text",
      text: rowTitle,
      compare: (left, right) => compareTexts(rowName(left), rowName(right)),
      width: { least: NAME_PX },
    },
    {
      key: "verdict",
      title: "Verdict",
      kind: "text",
      class: "verdict",
      width: { px: 92 },
      text: (row) => row.verdict,
      compare: (left, right) => compareValues(VERDICTS.findIndex(([key]) => key === left.verdict), VERDICTS.findIndex(([key]) => key === right.verdict)),
      cell: (row) => (
        <span class={`verdict-${row.verdict}`} title={verdictHint(row)}>
          {row.verdict}
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
        <Summary answer={answer} />
        <span class="area-tools">
          <TableTools viewer={viewer} lines={lines} file="comparison.csv" />
        </span>
      </div>
      {answer.rows.length === 0 ? (
        <p class="empty">There is no slice in either trace.</p>
      ) : rows.length === 0 ? (
        <p class="empty">{choice.filter === "" ? "No name has changed by more than noise." : "No row contains this text."}</p>
      ) : (
        <Table
          label="Comparison"
          rows={rows}
          columns={columns}
          keyOf={rowName}
          sort={sort}
          onSort={setSort}
          onRow={highlight}
          onRowTwice={goTo}
          isLit={isLit}
          action={{ icon: "fit", labelOf: (row) => `Go to the longest ${rowTitle(row)} in ${row.b === null ? "A" : "B"}`, run: goTo }}
          hintOf={(row) => `${rowName(row)}\nHighlights its slices in both traces; double-click goes to the longest`}
        />
      )}
    </>
  );
}

function Summary({ answer }: { answer: CompareAnswer }) {
  const all = Object.values(answer.verdicts).reduce((sum, count) => sum + count, 0);
  const counts = VERDICTS.filter(([verdict]) => answer.verdicts[verdict] > 0);
  const perspectives = [...new Set([answer.a.perspective ?? [], answer.b.perspective ?? []].flat())];
  return (
    <span>
      {counts.map(([verdict, why], i) => (
        <span key={verdict}>
          {i > 0 && ", "}
          <span class={`verdict-${verdict}`} title={why}>
            {formatNumber(answer.verdicts[verdict])} {verdict}
          </span>
        </span>
      ))}
      {counts.length > 0 && " · "}A {formatCount(answer.a.slices, "slice")}, B {formatCount(answer.b.slices, "slice")}
      {all > answer.rows.length && `; the ${formatCount(answer.rows.length, "row")} with the largest change are listed`}
      {perspectives.length > 0 && `, counted by ${perspectives.join(", ").toLowerCase()}`}
      {" · "}
      <span title={TEST}>Mann-Whitney U test, 5 %</span>
    </span>
  );
}

// ---- the flame graph ----

const WEIGHTS: [CompareChoice["weight"], string][] = [
  ["total", "Total time"],
  ["self", "Self time"],
  ["count", "Count"],
];

function CompareFlame({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const { graph } = viewer.comparison;
  const shown = useStore(graph.shown);
  const error = useStore(graph.error);
  useStore(graph.front);
  if (error !== null) return <ErrorText text={error} />;
  if (shown === null) return <p class="empty">Counting…</p>;
  if (shown.answer.rows <= 1) return <p class="empty">There are no slices of threads in B.</p>;
  return (
    <>
      <p class="flame-name">
        <span class="muted">Frames of B:</span> <span class="verdict-slower">red for more</span>, <span class="verdict-faster">blue for less</span>{" "}
        <span class="muted">{choice.weight === "count" ? "calls" : choice.tree === "inverted" ? "time" : "self time"} than in A</span>
      </p>
      <FlamePath graph={graph} />
      <FlameCanvas
        viewer={viewer}
        graph={graph}
        label="Changes"
        direction="down"
        skip={0}
        onChoose={(frame) => viewer.highlight(choice.b, frame.label)}
      />
    </>
  );
}

const TREES = [
  ["calls", "Left-heavy"],
  ["inverted", "Bottom-up"],
] as const;
const VIEWS = [
  ["table", "Table"],
  ["flame", "Flame graph"],
] as const;
const GROUPS = [
  ["name", "Names"],
  ["path", "Call paths"],
] as const;

/** The options of the flame graph. */
function FlameChoices({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const { comparison } = viewer;
  return (
    <>
      <Switch label="Tree" values={TREES} value={choice.tree} onChange={(tree) => comparison.choose({ tree })} />
      <select aria-label="Width" value={choice.weight} onChange={(event) => comparison.choose({ weight: event.currentTarget.value as CompareChoice["weight"] })}>
        {WEIGHTS.map(([weight, title]) => (
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
      <button type="button" class="toggle" title="Swap A and B" onClick={() => comparison.swap()}>
        ⇄ Swap
      </button>
      <TraceChoice side="b" traces={traces} value={choice.b} onChange={(b) => comparison.chooseSides({ b })} />
      <Switch label="View" values={VIEWS} value={choice.view} onChange={(view) => comparison.choose({ view })} />
      <select aria-label="Of" value={choice.scope} onChange={(event) => comparison.choose({ scope: event.currentTarget.value as CompareScope })}>
        <option value="trace">Whole traces</option>
        <option value="area" disabled={!hasArea && choice.scope !== "area"}>
          Selected area
        </option>
      </select>
      {choice.scope === "area" && <KeepArea viewer={viewer} choice={choice} />}
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
      title="Keeps the selected area for A; select another one for B"
      onClick={() => viewer.comparison.choose({ keptA: isKept ? null : (part ?? null) })}
    >
      Keep area of A
    </button>
  );
}

/** The options of the table. */
function TableChoices({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const { comparison } = viewer;
  return (
    <>
      <Switch label="A row for each" values={GROUPS} value={choice.by} onChange={(by) => comparison.choose({ by })} />
      <select
        id="compare-numbers"
        aria-label="Numbers"
        value={choice.numbers}
        onChange={(event) => comparison.choose({ numbers: event.currentTarget.value as CompareNumbers })}
      >
        <option value="overview">Overview</option>
        {MEASURES.map(([measure, title]) => (
          <option key={measure} value={measure}>
            {title}
          </option>
        ))}
        <option value="all">All numbers</option>
      </select>
      <button type="button" class="toggle" aria-pressed={choice.isChanged} title="Leaves out noise and names with too few calls" onClick={() => comparison.choose({ isChanged: !choice.isChanged })}>
        Changed only
      </button>
      <input
        type="search"
        id="compare-filter"
        placeholder="Filter rows"
        aria-label="Show only rows that contain this"
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
      <span class="muted">Align A and B</span>
      <button type="button" class="toggle" title="As they were recorded, where the clocks say it; else by their starts" onClick={() => alignment.byClocks()}>
        by clock
      </button>
      <button type="button" class="toggle" onClick={() => alignment.byStart()}>
        by start
      </button>
      <button type="button" class="toggle" aria-pressed={picked !== null} title="Click an event in each trace" onClick={() => alignment.pick()}>
        by an event of each
      </button>
      <button
        type="button"
        class="toggle"
        disabled={name === null}
        title={name === null ? "Choose a row of the table first" : `The first ${nameOf(name)} of each trace`}
        onClick={() => void alignment.byName(choice.a, choice.b, name ?? "")}
      >
        {name === null ? "by the first of a name" : `by the first ${nameOf(name)}`}
      </button>
      <AlignDistance viewer={viewer} choice={choice} />
      <output class="muted">{picked !== null && `Click an event of ${missing.join(", then one of ")} in the timeline.`}</output>
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
        B begins{" "}
        <input
          id="align-distance"
          type="text"
          size={8}
          value={text}
          placeholder="1.5 ms"
          title="The time from the begin of A to the begin of B, for example 1.5 ms or -20 us. Enter aligns them"
          aria-invalid={isWrong}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setWrong(false);
          }}
        />{" "}
        after A
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
