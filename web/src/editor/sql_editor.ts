/**
 * The editor of the SQL panel: CodeMirror, in a bundle of its own that the page loads when the panel opens.
 *
 * The editor is in a shadow root. There CodeMirror puts its rules into a style sheet of the root, which the content
 * security policy of the page allows; in the document it would add a style element, which the policy forbids.
 */
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent } from "@codemirror/commands";
import { keywordCompletionSource, sql, SQLDialect } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { SqlTable } from "../transport/protocol.ts";

export interface SqlEditorOptions {
  text: string;
  /** The tables for completion. */
  tables: readonly SqlTable[];
  onChange: (text: string) => void;
  onRun: () => void;
  onCancel: () => void;
  /** Shows the statement before (-1) or after (1) the current one in the history. */
  onHistory: (step: -1 | 1) => void;
}

export interface SqlEditor {
  /** Replaces the text, unless the text is the same. */
  setText: (text: string) => void;
  /** Marks the line of an error, from 1; null removes the mark. */
  markLine: (line: number | null) => void;
  focus: () => void;
  close: () => void;
}

const setErrorLine = StateEffect.define<number | null>();
const errorMark = Decoration.line({ class: "cm-error-line" });

/** The marked line stays until the text changes. */
const errorLine = StateField.define<DecorationSet>({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    let next = transaction.docChanged ? RangeSet.empty : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(setErrorLine)) continue;
      const line = effect.value;
      const { doc } = transaction.state;
      next = line === null || line > doc.lines ? RangeSet.empty : RangeSet.of([errorMark.range(doc.line(line).from)]);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--canvas)", fontSize: "12px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace", lineHeight: "18px" },
  ".cm-content": { caretColor: "var(--text)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--canvas)", color: "var(--muted)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 45%, transparent)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--lit)" },
  ".cm-error-line": { boxShadow: "inset 3px 0 var(--error)", backgroundColor: "color-mix(in srgb, var(--error) 14%, transparent)" },
  ".cm-placeholder": { color: "var(--muted)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--lit)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--strong-rule)", borderRadius: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "inherit", maxHeight: "180px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail": { color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  ".cm-completionInfo": { padding: "4px 8px", maxWidth: "280px" },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--link)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--live)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warning)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
]);

/** Words of DuckDB's SQL that are common in queries; completion writes them in upper case. */
const dialect = SQLDialect.define({
  keywords:
    "all and anti any as asc asof between by case cast copy create cross describe desc distinct drop else end escape except exclude exists " +
    "explain false filter first following from full glob group grouping having ilike in inner intersect is join last lateral left like " +
    "limit macro map materialized natural not null nulls offset on or order outer over partition pivot positional preceding qualify range " +
    "recursive replace right rollup row rows sample select semi set show similar struct summarize table tables temp temporary then to " +
    "true unbounded union unnest unpivot using values view when where window with within",
  types: "bigint boolean date double float hugeint integer interval json smallint time timestamp tinyint ubigint uinteger varchar",
  builtin: "avg count max median min quantile_cont stddev sum",
  doubleDollarQuotedStrings: true,
});

const keywords = keywordCompletionSource(dialect, true);

/** Returns the tables whose names are in the text; all of them if it names no table yet. */
function tablesIn(text: string, tables: readonly SqlTable[]): readonly SqlTable[] {
  const words = new Set(text.toLowerCase().match(/[a-z_]+/g));
  const named = tables.filter(({ table }) => words.has(table));
  return named.length > 0 ? named : tables;
}

/**
 * Completes columns of the tables in the text, table names and keywords; between the parentheses of a table also its
 * parameters.
 */
function complete(context: CompletionContext, tables: readonly SqlTable[]): CompletionResult | null {
  const word = context.matchBefore(/[\w$]*/);
  if (word === null || (word.from === word.to && !context.explicit && context.matchBefore(/\w\./) === null)) return null;
  const text = context.state.doc.toString();
  const isMember = text.slice(0, word.from).endsWith(".");
  const call = /\b(\w+)\s*\(([^()]*)$/.exec(text.slice(0, word.from));
  const parameters = tables.find(({ table }) => table === call?.[1]?.toLowerCase())?.parameters ?? [];
  const columns = new Map<string, { label: string; type: string; detail: string; info: string; boost: number }>();
  for (const { table, columns: all } of tablesIn(text, tables))
    for (const { name, type, unit, help } of all)
      if (!columns.has(name)) columns.set(name, { label: name, type: "property", detail: ` ${unit || type.toLowerCase()}`, info: `${table}: ${help}`, boost: 1 });
  const options = [
    ...parameters.map((name) => ({ label: `${name} :=`, type: "variable", apply: `${name} := `, boost: 3 })),
    ...columns.values(),
    ...(isMember ? [] : tables.map(({ table, help }) => ({ label: table, type: "class", detail: " table", info: help, boost: 2 }))),
  ];
  const more = isMember ? null : (keywords(context) as CompletionResult | null);
  return { from: word.from, options: [...options, ...(more?.options ?? [])], validFor: /^[\w$]*$/ };
}

/**
 * Replaces the selected text by typed text. Without this handler, Chromium replaces a selection of several words by a
 * span with a style attribute, which the content security policy refuses with a console message. Brackets and quotes
 * are left to closeBrackets, which encloses the selection in them.
 */
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing || view.state.selection.main.empty || /^[()[\]{}'"]$/.test(data)) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** Builds the editor in `host`, an empty element. */
export function createSqlEditor(host: HTMLElement, options: SqlEditorOptions): SqlEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const run = (action: () => void) => () => {
    action();
    return true;
  };
  const bindings = [
    {
      key: "Mod-Enter",
      run: (view: EditorView) => {
        closeCompletion(view);
        options.onRun();
        return true;
      },
    },
    { key: "Escape", run: run(options.onCancel) },
    { key: "Alt-ArrowUp", run: run(() => options.onHistory(-1)) },
    { key: "Alt-ArrowDown", run: run(() => options.onHistory(1)) },
  ];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        autocompletion({ override: [(context) => complete(context, options.tables)], icons: false }),
        sql({ dialect }),
        syntaxHighlighting(colours),
        placeholder("SELECT … FROM slice"),
        errorLine,
        replacing,
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "SQL", "aria-multiline": "true", autocapitalize: "off" }),
        // The completion keys have priority: Escape first closes the list and only then cancels a statement.
        Prec.high(keymap.of(completionKeymap)),
        keymap.of([{ key: "Tab", run: acceptCompletion }, { key: "Enter", run: insertNewlineAndIndent }]),
        keymap.of([...bindings, ...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  host.tabIndex = -1;
  host.addEventListener("focus", (event) => {
    if (event.composedPath()[0] === host) view.focus(); // not if the text itself gets the focus
  });
  return {
    setText(text) {
      const { doc } = view.state;
      if (doc.toString() === text) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, selection: { anchor: text.length } });
    },
    markLine: (line) => view.dispatch({ effects: setErrorLine.of(line) }),
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}
