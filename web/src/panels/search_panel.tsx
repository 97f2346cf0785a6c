/** The matches of a search as a table: time, duration, name, thread, and the matching argument. */
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { showFlame } from "../flame_actions.ts";
import { searchTerms, type Match } from "../search.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { nsOf, nsOfTicks } from "./aligned.ts";
import { fileNameOf, nameOf, sentence } from "./format.ts";
import { Keys } from "./keys.tsx";
import { compareTexts, compareValues, sorted, Table, type Column, type Sort } from "./table.tsx";
import { TableTools, type Lines } from "./table_tools.tsx";
import { rich, t } from "../texts.ts";

/** The minimum widths of columns in px. */
const NAME_PX = 160;
const THREAD_PX = 140;
const VALUE_PX = 160;

export function SearchPanel({ viewer }: { viewer: Viewer }) {
  const { text, matches, total, scanning, share, isPartial, unread, error } = useStore(viewer.search.state);
  const syntax = useStore(viewer.loading.traces)[0]?.load.regexSyntax;
  const [sort, setSort] = useState<Sort>({ key: "time", order: "ascending" });
  if (text === "")
    return (
      <p class="empty">
        {rich("search.press", { key: <Keys keys={viewer.keys.of("search")} /> })}
        {searchTerms().map((term) => (
          <Fragment key={term}>
            {" "}
            <code>{term}</code>
          </Fragment>
        ))}
        {syntax !== undefined && t("search.regular-expressions-have-the", { syntax })}
      </p>
    );
  if (error !== null)
    return (
      <p class="empty error" role="alert">
        {sentence(error)}
      </p>
    );
  const columns = columnsOf(viewer, matches, text);
  return (
    <div class="matches">
      <div class="matches-bar">
        <span>{countText(matches.length, total)}</span>
        {scanning && <span class="muted">{t("search.looked-through", { percent: Math.floor(100 * share) })}</span>}
        {scanning && (
          <button type="button" class="link" onClick={() => viewer.search.stop()}>
            {t("search.stop")}
          </button>
        )}
        {!scanning && isPartial && (
          <button type="button" class="link" id="look-further" onClick={() => viewer.search.lookFurther()}>
            {t("search.look-further")}
          </button>
        )}
        {matches.some(({ place }) => place !== null) && (
          <button type="button" class="link" id="flame-of-matches" title={t("search.the-matches-with-all")} onClick={() => showFlame(viewer, "left-heavy", "matches")}>
            {t("search.flame-graph-of-the")}
          </button>
        )}
        {unread > 0 && <span class="muted">{t("search.unread", { count: unread })}</span>}
        {matches.length > 0 && (
          <span class="matches-tools">
            <TableTools viewer={viewer} lines={() => linesOf(viewer, sorted(matches, columns, sort))} numeric={NUMERIC} file="matches.csv" />
          </span>
        )}
      </div>
      {matches.length > 0 && (
        <Table
          class="matches-table"
          label={t("common.matches")}
          rows={matches}
          columns={columns}
          keyOf={(match) => `${match.trace} ${match.place?.slice ?? "i"} ${match.mark?.instant ?? ""}`}
          sort={sort}
          onSort={setSort}
          onRow={(match) => viewer.search.select(match)}
          onPoint={(match) => viewer.pointName(match)}
          hintOf={(match) => nameOf(match.name)}
        />
      )}
    </div>
  );
}

/** The columns of numbers in linesOf. */
const NUMERIC = [false, true, true];

/** Returns the table with exact values: in ns, or in ticks if a trace has no times. */
function linesOf({ loading }: Viewer, matches: readonly Match[]): Lines {
  const traces = loading.traces.value;
  const ns = ({ trace, begin }: Match) => nsOfTicks(begin, traces[trace]?.info.time);
  const haveTime = matches.every((match) => ns(match) !== null);
  const [begin, duration] = haveTime ? ["begin_ns", "duration_ns"] : ["begin_ticks", "duration_ticks"];
  const lines = matches.map((match) => [
    fileNameOf(traces[match.trace]?.info.file.name ?? ""),
    String(haveTime ? ns(match) : match.begin),
    (haveTime ? match.duration?.ns : match.duration?.ticks) ?? null,
    match.name,
    match.thread,
    match.key,
    match.value,
  ]);
  return [["trace", begin, duration, "name", "thread", "argument", "value"], ...lines];
}

/** Returns the duration in ns, because traces may have different ticks; -1 for instants, which are first. */
function durationOf({ duration }: Match): bigint {
  return duration === null ? -1n : BigInt(duration.ns);
}

function countText(listed: number, total: number): string {
  if (total > listed) return t("search.of-matches-are-listed", { listed, total });
  return t("count.match", { count: listed });
}

function columnsOf({ view, loading }: Viewer, matches: Match[], text: string): Column<Match>[] {
  const time = ({ trace, begin }: Match) => view.timeText(trace, begin);
  const ns = ({ trace, begin }: Match) => nsOfTicks(begin, loading.traces.value[trace]?.info.time);
  const columns: Column<Match>[] = [
    { key: "time", title: t("common.time"), kind: "number", text: time, exact: time, amount: ns, quantity: "time", compare: (a, b) => a.trace - b.trace || compareValues(a.begin, b.begin) },
    { key: "duration", title: t("common.duration"), kind: "number", text: ({ duration }) => duration?.text ?? "", amount: ({ duration }) => duration && nsOf(duration), compare: (a, b) => compareValues(durationOf(a), durationOf(b)) },
    {
      key: "name",
      title: t("common.name"),
      kind: "text",
      text: ({ name }) => nameOf(name),
      cell: ({ name }) => <Marked text={nameOf(name)} part={partOf(text)} />,
      compare: (a, b) => compareTexts(nameOf(a.name), nameOf(b.name)),
      width: { least: NAME_PX },
    },
    { key: "thread", title: t("common.thread"), kind: "text", text: ({ thread }) => thread, compare: (a, b) => compareTexts(a.thread, b.thread), width: { least: THREAD_PX } },
  ];
  if (matches.some(({ value }) => value !== null))
    columns.push({
      key: "value",
      title: t("search.value"),
      kind: "text",
      text: ({ value }) => value ?? "",
      cell: (match) => <Value match={match} text={text} />,
      compare: (a, b) => compareTexts(a.value ?? "", b.value ?? ""),
      width: { least: VALUE_PX },
    });
  return columns;
}

/** Returns the text of the first search term for names; other terms are not highlighted. */
function partOf(text: string): string {
  const terms = text.trim().split(/ +/).filter((term) => !/^([</>]|thread:)/.test(term));
  const part = terms.map((term) => term.replace(/^(name|category):=?/, "")).find((term) => !/[<=>]/.test(term)) ?? "";
  return part.replace(/^"|"$/g, "");
}

function Value({ match, text }: { match: Match; text: string }) {
  if (match.value === null) return null;
  return (
    <span class="match-value">
      {match.key !== null && <span class="muted">{match.key} = </span>}
      <Marked text={match.value} part={partOf(text.slice(text.indexOf("=") + 1))} />
    </span>
  );
}

/** A text whose matching part is highlighted. */
function Marked({ text, part }: { text: string; part: string }) {
  const at = part === "" ? -1 : text.toLowerCase().indexOf(part.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + part.length)}</mark>
      {text.slice(at + part.length)}
    </>
  );
}
