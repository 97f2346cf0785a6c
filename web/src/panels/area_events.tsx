/** The instants and the counters of an area as tables. */
import type { ComponentChildren } from "preact";
import type { AreaEvents, CounterRow, InstantRow } from "../areas.ts";
import type { CounterValue } from "../transport/protocol.ts";
import type { Viewer } from "../viewer.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { formatCount, formatNumber, nameOf, shareText } from "./format.ts";
import { compareTexts, compareValues, type Column } from "./table.tsx";
import type { Lines } from "./table_tools.tsx";

const NAME_PX = 180;
const TRACE_PX = 160;

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
  return [{ key: "trace", title: "Trace", kind: "text", class: "trace", text: ({ trace }) => traceOf(trace), compare: (a, b) => a.trace - b.trace, width: { px: TRACE_PX } }];
}

// ---- instants ----

function instantLines(rows: readonly InstantRow[], traceOf: EventsProps["traceOf"]): Lines {
  const own = traceOf === null ? [] : ["trace"];
  return [[...own, "name", "count", "share"], ...rows.map(({ trace, name, count, share }) => [...(traceOf === null ? [] : [traceOf(trace)]), name, count, share])];
}

export function InstantTable({ viewer, events, lead, place, traceOf }: EventsProps) {
  const columns: Column<InstantRow>[] = [
    { key: "name", title: "Instant", kind: "text", text: ({ name }) => nameOf(name), compare: (a, b) => compareTexts(nameOf(a.name), nameOf(b.name)), width: { least: NAME_PX } },
    ...traceColumns<InstantRow>(traceOf),
    { key: "count", title: "Count", kind: "number", text: ({ count }) => formatNumber(count), compare: (a, b) => a.count - b.count },
    { key: "share", title: "Share", hint: "Part of all instants", kind: "number", text: ({ share }) => shareText(share), compare: (a, b) => a.share - b.share },
  ];
  const listed = events.instantRows.length;
  return (
    <FilteredTable
      viewer={viewer}
      label="Instants"
      lead={lead}
      summary={
        <>
          {formatCount(events.instants, "instant")}, {formatCount(events.instantNames, "name")}
          {events.instantNames > listed && `; the ${formatCount(listed, "most frequent name")} are listed`}
        </>
      }
      empty={`There is no instant in this ${place}.`}
      rows={events.instantRows}
      columns={columns}
      order={{ key: "count", order: "descending" }}
      keyOf={({ trace, name }) => `${trace}.${name ?? ""}`}
      textOf={({ name }) => nameOf(name)}
      linesOf={(rows) => instantLines(rows, traceOf)}
      file="instants.csv"
      onRow={({ trace, first }) => viewer.selection.selectInstant({ ...first, trace })}
      hintOf={({ name }) => `${nameOf(name)}\nGoes to the first instant`}
    />
  );
}

// ---- counters ----

const VALUES = [
  ["min", "Min"],
  ["max", "Max"],
  ["average", "Average"],
  ["last", "Last"],
] as const;

function counterName({ name, series }: CounterRow): string {
  return series === null || series === "" ? nameOf(name) : `${nameOf(name)} / ${series}`;
}

function valueColumn(key: (typeof VALUES)[number][0], title: string): Column<CounterRow> {
  const valueOf = (value: CounterValue | null) => value?.value ?? 0;
  return {
    key,
    title,
    ...(key === "average" ? { hint: "Weighted by the time of each value" } : {}),
    kind: "number",
    text: (row) => row[key]?.text ?? "",
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
    { key: "name", title: "Counter", kind: "text", text: counterName, compare: (a, b) => compareTexts(counterName(a), counterName(b)), width: { least: NAME_PX } },
    { key: "process", title: "Process", kind: "text", class: "text", text: ({ process }) => process, compare: (a, b) => compareTexts(a.process, b.process), width: { most: 240 } },
    ...traceColumns<CounterRow>(traceOf),
    { key: "count", title: "Values", kind: "number", text: ({ count }) => formatNumber(count), compare: (a, b) => a.count - b.count },
    ...VALUES.map(([key, title]) => valueColumn(key, title)),
  ];
  const listed = events.counterRows.length;
  return (
    <FilteredTable
      viewer={viewer}
      label="Counters"
      lead={lead}
      summary={
        <>
          {formatNumber(events.counters)} series of counters
          {events.counters > listed && `; the first ${formatNumber(listed)} are listed`}
        </>
      }
      empty={`There is no counter in this ${place}.`}
      rows={events.counterRows}
      columns={columns}
      order={{ key: "name", order: "ascending" }}
      keyOf={({ trace, track, series }) => `${trace}.${track}.${series ?? ""}`}
      textOf={(row) => `${counterName(row)} ${row.process}`}
      linesOf={(rows) => counterLines(rows, traceOf)}
      file="counters.csv"
      onRow={({ trace, track }) => viewer.goToTrack(trace, track)}
      hintOf={(row) => `${counterName(row)}\nGoes to its track`}
    />
  );
}
