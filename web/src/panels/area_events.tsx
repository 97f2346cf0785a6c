/** The instants and the counters of an area as tables. */
import type { ComponentChildren } from "preact";
import type { AreaEvents, CounterRow, InstantRow } from "../areas.ts";
import type { CounterValue } from "../transport/protocol.ts";
import type { Viewer } from "../viewer.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { exactShare, formatNumber, nameOf, shareText } from "./format.ts";
import { compareTexts, compareValues, type Column } from "./table.tsx";
import type { Lines } from "./table_tools.tsx";
import { t } from "../texts.ts";

const NAME_PX = 180;
const TRACE_PX = 160;
const UNIT_PX = 64;

interface EventsProps {
  viewer: Viewer;
  events: AreaEvents;
  lead: ComponentChildren;
  /** Where the events are, as a noun. */
  place: string;
  /** The name of a trace; null: there is only one. */
  traceOf: ((trace: number) => string) | null;
}

/** Returns the column of the traces, if there are several. */
export function traceColumns<Row extends { trace: number }>(traceOf: EventsProps["traceOf"]): Column<Row>[] {
  if (traceOf === null) return [];
  return [{ key: "trace", title: t("common.trace"), kind: "text", class: "trace", text: ({ trace }) => traceOf(trace), compare: (a, b) => a.trace - b.trace, width: { px: TRACE_PX } }];
}

// ---- instants ----

function instantLines(rows: readonly InstantRow[], traceOf: EventsProps["traceOf"]): Lines {
  const own = traceOf === null ? [] : ["trace"];
  return [[...own, "name", "count", "share"], ...rows.map(({ trace, name, count, share }) => [...(traceOf === null ? [] : [traceOf(trace)]), name, count, share])];
}

export function InstantTable({ viewer, events, lead, place, traceOf }: EventsProps) {
  const columns: Column<InstantRow>[] = [
    { key: "name", title: t("area-events.instant"), kind: "text", text: ({ name }) => nameOf(name), compare: (a, b) => compareTexts(nameOf(a.name), nameOf(b.name)), width: { least: NAME_PX } },
    ...traceColumns<InstantRow>(traceOf),
    { key: "count", title: t("common.count"), kind: "number", text: ({ count }) => formatNumber(count), compare: (a, b) => a.count - b.count },
    { key: "share", title: t("common.share"), hint: t("area-events.part-of-all-instants"), kind: "number", text: ({ share }) => shareText(share), exact: ({ share }) => exactShare(share), compare: (a, b) => a.share - b.share },
  ];
  const listed = events.instantRows.length;
  return (
    <FilteredTable
      viewer={viewer}
      label={t("common.instants")}
      lead={lead}
      summary={
        <>
          {t("count.instant", { count: events.instants })}, {t("count.name", { count: events.instantNames })}
          {events.instantNames > listed && t("area-events.the-are-listed", { names: t("count.most-frequent-name", { count: listed }) })}
        </>
      }
      empty={t(place === "trace" ? "area-events.no-instant-in-trace" : "area-events.no-instant-in-area")}
      rows={events.instantRows}
      columns={columns}
      order={{ key: "count", order: "descending" }}
      keyOf={({ trace, name }) => `${trace}.${name ?? ""}`}
      textOf={({ name }) => nameOf(name)}
      linesOf={(rows) => instantLines(rows, traceOf)}
      file="instants.csv"
      onRow={({ trace, first }) => viewer.selection.selectInstant({ ...first, trace })}
      hintOf={({ name }) => t("area-events.goes-to-the-first", { name: nameOf(name) })}
    />
  );
}

// ---- counters ----

const VALUES = [
  ["min", "common.min"],
  ["max", "common.max"],
  ["average", "common.average"],
  ["last", "area-events.last"],
] as const;

function counterName({ name, series }: CounterRow): string {
  return series === null || series === "" ? nameOf(name) : `${nameOf(name)} / ${series}`;
}

/** Returns the digits of a value and its unit, "" for most counters. */
function partsOf(value: CounterValue | null): [string, string] {
  const [digits = "", unit = ""] = value?.text.split(" ") ?? [];
  return [digits, unit];
}

/** Returns the unit of a counter. */
function unitOf(row: CounterRow): string {
  return VALUES.map(([key]) => partsOf(row[key])[1]).find((unit) => unit !== "") ?? "";
}

function valueColumn(key: (typeof VALUES)[number][0], title: string): Column<CounterRow> {
  const valueOf = (value: CounterValue | null) => value?.value ?? 0;
  return {
    key,
    title,
    ...(key === "average" ? { hint: t("area-events.weighted-by-the-time") } : {}),
    kind: "number",
    text: (row) => partsOf(row[key])[0],
    exact: (row) => row[key]?.text ?? "",
    compare: (a, b) => compareValues(valueOf(a[key]), valueOf(b[key])),
    isNull: (row) => row[key] === null,
  };
}

function counterLines(rows: readonly CounterRow[], traceOf: EventsProps["traceOf"]): Lines {
  const own = traceOf === null ? [] : ["trace"];
  const lines = rows.map((row) => [
    ...(traceOf === null ? [] : [traceOf(row.trace)]),
    row.process,
    row.name,
    row.series,
    row.count,
    ...VALUES.map(([key]) => row[key]?.value ?? null),
  ]);
  return [[...own, "process", "name", "series", "values", ...VALUES.map(([key]) => key)], ...lines];
}

export function CounterTable({ viewer, events, lead, place, traceOf }: EventsProps) {
  const columns: Column<CounterRow>[] = [
    { key: "name", title: t("area-events.counter"), kind: "text", text: counterName, compare: (a, b) => compareTexts(counterName(a), counterName(b)), width: { least: NAME_PX } },
    { key: "process", title: t("common.process"), kind: "text", class: "text", text: ({ process }) => process, compare: (a, b) => compareTexts(a.process, b.process), width: { most: 240 } },
    ...traceColumns<CounterRow>(traceOf),
    { key: "count", title: t("area-events.values"), kind: "number", text: ({ count }) => formatNumber(count), compare: (a, b) => a.count - b.count },
    ...VALUES.map(([key, title]) => valueColumn(key, t(title))),
  ];
  if (events.counterRows.some((row) => unitOf(row) !== ""))
    columns.push({ key: "unit", title: t("area-events.unit"), kind: "text", class: "text", text: unitOf, compare: (a, b) => compareTexts(unitOf(a), unitOf(b)), width: { px: UNIT_PX } });
  const listed = events.counterRows.length;
  return (
    <FilteredTable
      viewer={viewer}
      label={t("common.counters")}
      lead={lead}
      summary={
        <>
          {t("area-events.series", { count: events.counters })}
          {events.counters > listed && t("area-events.the-first-are-listed", { listed: formatNumber(listed) })}
        </>
      }
      empty={t(place === "trace" ? "area-events.no-counter-in-trace" : "area-events.no-counter-in-area")}
      rows={events.counterRows}
      columns={columns}
      order={{ key: "name", order: "ascending" }}
      keyOf={({ trace, track, series }) => `${trace}.${track}.${series ?? ""}`}
      textOf={(row) => `${counterName(row)} ${row.process}`}
      linesOf={(rows) => counterLines(rows, traceOf)}
      file="counters.csv"
      onRow={({ trace, track }) => viewer.goToTrack(trace, track)}
      hintOf={(row) => t("area-events.goes-to-its-track", { counter: counterName(row) })}
    />
  );
}
