/** SQL over the open traces: an editor, and the result as a table or a chart. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SqlResult } from "../transport/protocol.ts";
import type { SqlEditor, SqlEditorOptions } from "../editor/sql_editor.ts";
import { hasTimes } from "../sql_tracks.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { formatNs, sentence } from "./format.ts";
import { canChart, SqlChart } from "./sql_chart.tsx";
import { columnsOf, SqlTable } from "./sql_table.tsx";
import { sorted, type Sort } from "./table.tsx";
import { TableTools } from "./table_tools.tsx";
import { rich, t, type PlainId } from "../texts.ts";

const EXAMPLES: readonly { title: PlainId; sql: string }[] = [
  {
    title: "sql.self-time-by-name",
    sql: "SELECT name, count(*) AS count, sum(self_ns) AS self_ns\nFROM slice\nGROUP BY name\nORDER BY self_ns DESC\nLIMIT 100",
  },
  {
    title: "sql.the-longest-slices",
    sql: "SELECT trace, id, name, thread, begin_ns, duration_ns\nFROM slice\nORDER BY duration_ns DESC\nLIMIT 100",
  },
  {
    title: "sql.slices-by-duration",
    sql: "SELECT 10 ** floor(log10(duration_ns)) AS from_ns, count(*) AS count\nFROM slice\nWHERE duration_ns > 0\nGROUP BY 1\nORDER BY 1",
  },
  {
    title: "sql.values-of-arguments",
    sql: "SELECT key, value, count(*) AS count\nFROM arg(range := '0s..1s')\nWHERE NOT is_field\nGROUP BY ALL\nORDER BY count DESC\nLIMIT 100",
  },
  { title: "sql.all-tables", sql: "SHOW TABLES" },
];

/** Loads the bundle with CodeMirror. */
async function loadEditor(host: HTMLElement, options: SqlEditorOptions): Promise<SqlEditor> {
  const url = new URL("./sql-editor.js", document.baseURI).href;
  const { createSqlEditor } = (await import(url)) as typeof import("../editor/sql_editor.ts");
  return createSqlEditor(host, options);
}

export function SqlPanel({ viewer }: { viewer: Viewer }) {
  const { sql } = viewer;
  const { schema, result, problem, isRunning } = useStore(sql.state);
  const traces = useStore(viewer.loading.traces).length;
  useEffect(() => void sql.open(), [sql, traces]);
  if (schema === null) return problem === null ? <p class="empty">…</p> : <Problem text={problem} />;
  if (schema.missing !== null) return <p key="missing" class="empty" id="sql-editor" tabIndex={-1}>{sentence(schema.missing)}</p>;
  return (
    <div class="sql">
      <Editor viewer={viewer} />
      <div class="sql-result" aria-busy={isRunning}>
        {problem !== null && <Problem text={problem} />}
        {problem === null && result === null && <Examples viewer={viewer} />}
        {problem === null && result !== null && <Result viewer={viewer} result={result} />}
      </div>
    </div>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p class="error" role="alert">
      {sentence(text)}
    </p>
  );
}

function Editor({ viewer }: { viewer: Viewer }) {
  const { sql } = viewer;
  const { text, schema, isRunning, result, resultOf } = useStore(sql.state);
  const kept = useStore(sql.history);
  const [problem, setProblem] = useState<string | null>(null);
  const [editor, setEditor] = useState<SqlEditor | null>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = document.createElement("div");
    let made: SqlEditor | null = null;
    let isOver = false;
    loadEditor(host, {
      text: sql.state.value.text,
      tables: schema?.tables ?? [],
      onChange: (text) => sql.setText(text),
      onRun: () => sql.run(),
      onCancel: () => (sql.isRunning ? sql.cancel() : viewer.focusTimeline()),
      onHistory: (step) => sql.step(step),
    }).then(
      (editor) => {
        if (isOver) return editor.close();
        made = editor;
        host.id = "sql-editor";
        box.current?.append(host); // the editor can get the focus now
        setEditor(editor);
      },
      () => setProblem(t("sql.the-editor-could-not")),
    );
    return () => {
      isOver = true;
      made?.close();
      host.remove();
    };
  }, [sql, schema]);
  useEffect(() => editor?.setText(sql.state.value.text), [editor, text]); // the latest text: effects are delayed during typing
  useEffect(() => editor?.markLine(result !== null && resultOf === text ? result.line : null), [editor, result]);
  return (
    <div class="sql-input">
      <div class="sql-editor" ref={box}>
        {problem !== null && <Problem text={problem} />}
      </div>
      <div class="sql-bar">
        {isRunning ? (
          <button type="button" id="sql-cancel" onClick={() => sql.cancel()}>
            {t("common.cancel")}
          </button>
        ) : (
          <button type="button" id="sql-run" disabled={text.trim() === ""} title="Ctrl+Enter" onClick={() => sql.run()}>
            {t("sql.run")}
          </button>
        )}
        {kept.length > 0 && (
          <select
            id="sql-history"
            aria-label={t("sql.earlier-statements")}
            title={t("sql.earlier-statements-alt-and")}
            value=""
            onChange={(event) => {
              const chosen = kept[Number(event.currentTarget.value)];
              if (chosen !== undefined) sql.setText(chosen);
              event.currentTarget.value = "";
              editor?.focus();
            }}
          >
            <option value="">{t("sql.earlier")}</option>
            {kept.map((text, i) => ({ text, i })).reverse().map(({ text, i }) => (
              <option key={i} value={i}>
                {text.replace(/\s+/g, " ").slice(0, 90)}
              </option>
            ))}
          </select>
        )}
      </div>
    </div>
  );
}

function Examples({ viewer }: { viewer: Viewer }) {
  const { sql } = viewer;
  return (
    <div class="sql-examples">
      <p class="muted">
        {rich("sql.tables", {
          names: <span lang="en">{sql.state.value.schema?.tables.map(({ table }) => table).join(", ")}</span>,
          keys: <><kbd>Ctrl</kbd>+<kbd>Enter</kbd></>,
        })}
      </p>
      <ul>
        {EXAMPLES.map(({ title, sql: text }) => (
          <li key={title}>
            <button
              type="button"
              class="link"
              onClick={() => {
                sql.setText(text);
                sql.run();
              }}
            >
              {t(title)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Result({ viewer, result }: { viewer: Viewer; result: SqlResult }) {
  const { ms, resultOf } = useStore(viewer.sql.state);
  const [sort, setSort] = useState<Sort | null>(null);
  const [isChart, setChart] = useState(false);
  useEffect(() => setSort(null), [result]);
  const columns = useMemo(() => columnsOf(result), [result]);
  const isMarked = useStore(viewer.sqlMarks.marked) === result;
  const hasTargets = useMemo(() => result.rows.some((row) => viewer.sql.target(result, row) !== null), [viewer, result]);
  const canBeTrack = useMemo(() => hasTimes(viewer, result), [viewer, result]);
  if (result.state === "cancelled") return <p class="empty">{t("sql.cancelled")}</p>;
  if (result.state === "failed")
    return (
      <pre class="error" role="alert" id="sql-error">
        {result.error}
      </pre>
    );
  const rowsInOrder = () => sorted(result.rows, columns, sort);
  const lines = () => [columns.map(({ title }) => title), ...rowsInOrder()];
  const hasChart = canChart(result);
  return (
    <>
      <div class="sql-head">
        <span id="sql-count">{t(result.more ? "sql.first-rows" : "count.row", { count: result.rows.length })}</span>
        <span class="muted">{formatNs(ms * 1e6)}</span>
        {hasChart && (
          <button type="button" class="link" id="sql-chart" aria-pressed={isChart} onClick={() => setChart(!isChart)}>
            {isChart ? t("common.table") : t("sql.chart")}
          </button>
        )}
        {hasTargets && (
          <button
            type="button"
            class="link"
            id="sql-mark"
            title={t("sql.marks-the-slices-and")}
            onClick={() => (isMarked ? viewer.sqlMarks.clear() : viewer.sqlMarks.mark(result))}
          >
            {isMarked ? t("sql.remove-the-marks") : t("sql.mark-all-rows")}
          </button>
        )}
        {canBeTrack && (
          <button type="button" class="link" id="sql-track" title={t("sql.adds-a-track-of")} onClick={() => viewer.sqlTracks.add(result, resultOf)}>
            {t("sql.show-as-track")}
          </button>
        )}
        {result.columns.length > 0 && (
          <TableTools viewer={viewer} what="rows" lines={lines} numeric={columns.map(({ kind }) => kind === "number")} file="query.csv" />
        )}
      </div>
      {isChart && hasChart ? (
        <SqlChart result={result} rows={rowsInOrder()} />
      ) : (
        <SqlTable viewer={viewer} result={result} columns={columns} sort={sort} onSort={setSort} />
      )}
    </>
  );
}
