/** The selected area: a table of names, which can be sorted and is as long as it needs to be. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Area, AreaRow, Viewer } from "../viewer.ts";
import { fileNameOf, formatCount, formatNumber, nameOf } from "./format.ts";
import { IconButton } from "./icons.tsx";

const ROW_PX = 24;
/** Rows beyond the visible ones, so that scrolling shows no gaps. */
const SPARE_ROWS = 12;
/** Columns: a number's least width, the room around it, that of a digit; a trace's name; the least for a slice's name. */
const NUMBER_PX = 104;
const NUMBER_PAD_PX = 34;
const DIGIT_PX = 7.2;
const TRACE_PX = 160;
const NAME_PX = 180;

type SpanKey = "total" | "self" | "average" | "min" | "max";
type SortKey = "name" | "trace" | "count" | "cpu" | SpanKey;

const COLUMNS: { key: SortKey; title: string }[] = [
  { key: "name", title: "Name" },
  { key: "count", title: "Count" },
  { key: "total", title: "Total" },
  { key: "self", title: "Self" },
  { key: "average", title: "Average" },
  { key: "min", title: "Min" },
  { key: "max", title: "Max" },
];

interface Sort {
  key: SortKey;
  order: "ascending" | "descending";
}

/** Times of several traces by what they are in ns: their clocks may tick otherwise. */
function compare(a: AreaRow, b: AreaRow, key: SortKey): number {
  if (key === "name") return nameOf(a.name).localeCompare(nameOf(b.name), "en", { numeric: true });
  if (key === "count") return a.count - b.count;
  if (key === "trace") return a.trace - b.trace;
  if (key === "cpu") return Number(BigInt(a.cpu?.ns ?? -1) - BigInt(b.cpu?.ns ?? -1));
  const unit = a.trace === b.trace ? "ticks" : "ns";
  const difference = BigInt(a[key][unit]) - BigInt(b[key][unit]);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** CPU time only where some slice has it. */
function columnsOf(rows: AreaRow[], isOfSeveral: boolean): { key: SortKey; title: string }[] {
  const [name, ...others] = COLUMNS as [(typeof COLUMNS)[number], ...typeof COLUMNS];
  const columns = isOfSeveral ? [name, { key: "trace" as const, title: "Trace" }, ...others] : COLUMNS;
  return rows.some((row) => row.cpu !== null) ? [...columns, { key: "cpu", title: "CPU" }] : columns;
}

function sorted(rows: AreaRow[], { key, order }: Sort): AreaRow[] {
  const sign = order === "ascending" ? 1 : -1;
  return [...rows].sort((a, b) => sign * compare(a, b, key));
}

export function AreaPanel({ viewer }: { viewer: Viewer }) {
  const area = useStore(viewer.area);
  if (area === null)
    return (
      <p class="empty">
        Drag over slices to select an area, or press <kbd>Ctrl</kbd>+<kbd>A</kbd> for everything: its statistics by name
        appear here.
      </p>
    );
  if (area.error !== null)
    return (
      <p class="error" role="alert">
        {area.error}
      </p>
    );
  if (area.stats === null) return <p class="empty">Counting…</p>;
  if (area.stats.rows.length === 0) return <p class="empty">There is no slice in this area.</p>;
  return <StatsTable viewer={viewer} area={area} rows={area.stats.rows} />;
}

function asText(rows: AreaRow[], traceOf: ((row: AreaRow) => string) | null): string {
  const head = [...(traceOf === null ? [] : ["trace"]), "name", "count", "total_ns", "self_ns", "average_ns", "min_ns", "max_ns", "cpu_ns"];
  const lines = rows.map((r) =>
    [...(traceOf === null ? [] : [traceOf(r)]), nameOf(r.name), r.count, r.total.ns, r.self.ns, r.average.ns, r.min.ns, r.max.ns, r.cpu?.ns ?? ""].join("\t"),
  );
  return [head.join("\t"), ...lines].join("\n");
}

/** Widths of the columns in px, by the longest text in all rows, in view or not; 0 = what is left, for the name. */
function widthsOf(rows: AreaRow[], columns: { key: SortKey }[]): number[] {
  const textOf = (row: AreaRow, key: SortKey): string => {
    if (key === "count") return formatNumber(row.count);
    if (key === "cpu") return row.cpu?.text ?? "";
    return key === "name" || key === "trace" ? "" : row[key].text;
  };
  return columns.map(({ key }) => {
    if (key === "name") return 0;
    if (key === "trace") return TRACE_PX;
    const longest = rows.reduce((most, row) => Math.max(most, textOf(row, key).length), 0);
    return Math.max(NUMBER_PX, Math.ceil(longest * DIGIT_PX) + NUMBER_PAD_PX);
  });
}

function StatsTable({ viewer, area, rows }: { viewer: Viewer; area: Area; rows: AreaRow[] }) {
  const [sort, setSort] = useState<Sort>({ key: "total", order: "descending" });
  const [first, setFirst] = useState(0);
  const [room, setRoom] = useState(40);
  const [current, setCurrent] = useState(0); // the row that Tab reaches; arrow keys go on from there
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setRoom(Math.ceil(element.clientHeight / ROW_PX)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const traces = useStore(viewer.loading.traces);
  const isOfSeveral = area.parts.length > 1;
  const traceOf = isOfSeveral ? (row: AreaRow) => fileNameOf(traces[row.trace]?.info.file.name ?? "") : null;
  const columns = columnsOf(rows, isOfSeveral);
  const widths = useMemo(() => widthsOf(rows, columnsOf(rows, isOfSeveral)), [rows, isOfSeveral]);
  const least = widths.reduce((sum, width) => sum + width, NAME_PX);
  const ordered = sorted(rows, sort);
  const from = Math.max(0, Math.min(first, rows.length - 1) - SPARE_ROWS);
  const to = Math.min(rows.length, first + room + SPARE_ROWS);
  const reachable = Math.max(from, Math.min(current, to - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !(event.target instanceof HTMLElement) || event.target.closest("tbody") === null) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, reachable + step));
    setCurrent(next);
    box.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + 2}"] button`)?.focus();
  };
  const stats = area.stats;
  return (
    <div class="area">
      <div class="area-head">
        <span>
          {formatCount(stats?.slices ?? 0, "slice")}, {formatCount(stats?.names ?? 0, "name")}, {stats?.totals.join(" + ")} of self
          time
          {stats !== null && stats.names > rows.length && `; the ${formatCount(rows.length, "name")} with most time are listed`}
          {stats !== null && stats.perspectives.length > 0 && `, counted by ${stats.perspectives.join(", ").toLowerCase()}`}
          {stats !== null && stats.left_out_tracks > 0 && (
            <span class="muted"> without {formatCount(stats.left_out_tracks, "track")} of samples: select those alone</span>
          )}
        </span>
        <IconButton icon="copy" label="Copy the table" onClick={() => viewer.copy(asText(ordered, traceOf), "the table")} />
      </div>
      <div
        class="table-box"
        ref={box}
        onKeyDown={onKeyDown}
        onScroll={(event) => setFirst(Math.floor(event.currentTarget.scrollTop / ROW_PX))}
      >
        <table
          class="stats"
          aria-rowcount={rows.length + 1}
          ref={(element) => element?.style.setProperty("min-width", `${least}px`)}
        >
          <colgroup>
            {widths.map((width, i) => (
              <col key={i} ref={(element) => element?.style.setProperty("width", width === 0 ? "auto" : `${width}px`)} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {columns.map(({ key, title }) => (
                <HeadCell key={key} name={key} title={title} sort={sort} onSort={setSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={from} columns={columns.length} />
            {ordered.slice(from, to).map((row, i) => (
              <Row
                key={`${row.trace}.${row.label}`}
                viewer={viewer}
                row={row}
                file={traceOf?.(row) ?? null}
                index={from + i}
                isReachable={from + i === reachable}
                hasCpu={columns.at(-1)?.key === "cpu"}
              />
            ))}
            <Spacer rows={rows.length - to} columns={columns.length} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface HeadCellProps {
  name: SortKey;
  title: string;
  sort: Sort;
  onSort(sort: Sort): void;
}

function HeadCell({ name, title, sort, onSort }: HeadCellProps) {
  const isKey = sort.key === name;
  const flip = () => {
    const first = name === "name" || name === "trace" ? "ascending" : "descending";
    const other = sort.order === "ascending" ? "descending" : "ascending";
    onSort({ key: name, order: isKey ? other : first });
  };
  return (
    <th scope="col" aria-sort={isKey ? sort.order : "none"} class={name === "name" || name === "trace" ? name : "number"}>
      <button type="button" onClick={flip}>
        {title}
        <span class="sort-mark" aria-hidden="true">
          {isKey ? (sort.order === "ascending" ? "▲" : "▼") : ""}
        </span>
      </button>
    </th>
  );
}

interface RowProps {
  viewer: Viewer;
  row: AreaRow;
  /** The name of its trace; null where there is but one. */
  file: string | null;
  index: number;
  isReachable: boolean;
  hasCpu: boolean;
}

function Row({ viewer, row, file, index, isReachable, hasCpu }: RowProps) {
  const lit = useStore(viewer.highlighted);
  const isLit = lit.trace === row.trace && lit.label === row.label;
  const name = nameOf(row.name);
  return (
    <tr aria-rowindex={index + 2} class={isLit ? "lit" : ""}>
      <td class="name">
        <button
          type="button"
          title={`${name}\nHighlights all of this name; double-click goes to the longest`}
          aria-pressed={isLit}
          tabIndex={isReachable ? 0 : -1}
          onClick={() => viewer.highlight(row.trace, row.label)}
          onDblClick={() => viewer.select({ ...row.longest, trace: row.trace })}
        >
          {name}
        </button>
      </td>
      {file !== null && <td class="trace">{file}</td>}
      <td class="number">{formatNumber(row.count)}</td>
      {(["total", "self", "average", "min", "max"] as const).map((key) => (
        <td key={key} class="number">
          {row[key].text}
        </td>
      ))}
      {hasCpu && <td class="number">{row.cpu?.text ?? ""}</td>}
    </tr>
  );
}

/** Stands for rows that are not in the document. */
function Spacer({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true" ref={(element) => element?.style.setProperty("height", `${rows * ROW_PX}px`)}>
      <td colSpan={columns} />
    </tr>
  );
}
