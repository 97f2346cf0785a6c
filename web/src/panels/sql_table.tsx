/** The rows of a SQL result. Only those in sight are in the page. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SqlKind, SqlResult } from "../carrier/protocol.ts";
import { showTarget } from "../sql.ts";
import type { Viewer } from "../viewer.ts";

const ROW_PX = 24;
/** Rows beyond the visible ones, so that scrolling shows no gaps. */
const SPARE_ROWS = 12;
/** Widths of columns: by the longest text. */
const CHARACTER_PX = 7.8;
const PAD_PX = 42;
const LEAST_PX = 64;
const MOST_PX = 420;
/** Longer texts are cut in the table; the copy and the file have them whole. */
const CELL_CHARACTERS = 500;

export interface SqlSort {
  column: number;
  order: "ascending" | "descending";
}

type Row = readonly (string | null)[];

export function isNumeric(kind: SqlKind | undefined): boolean {
  return kind === "integer" || kind === "real" || kind === "number";
}

/** Compares values of a column, exactly. */
function comparison(kind: SqlKind | undefined): (a: string, b: string) => number {
  if (kind === "integer") {
    return (a, b) => {
      const difference = BigInt(a) - BigInt(b);
      return difference < 0n ? -1 : difference > 0n ? 1 : 0;
    };
  }
  if (isNumeric(kind)) return (a, b) => Number(a) - Number(b);
  const { compare } = new Intl.Collator("en", { numeric: true });
  return compare;
}

/** The rows in the order of a column, NULL last; in their own order without one. */
export function sortedRows(result: SqlResult, sort: SqlSort | null): readonly Row[] {
  if (sort === null) return result.rows;
  const { column, order } = sort;
  const compare = comparison(result.columns[column]?.kind);
  const sign = order === "ascending" ? 1 : -1;
  return [...result.rows].sort((a, b) => {
    const [left, right] = [a[column] ?? null, b[column] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(left, right);
  });
}

function widthsOf(result: SqlResult): number[] {
  return result.columns.map(({ name }, i) => {
    const longest = result.rows.reduce((most, row) => Math.max(most, row[i]?.length ?? 4), name.length);
    return Math.min(MOST_PX, Math.max(LEAST_PX, Math.ceil(longest * CHARACTER_PX) + PAD_PX));
  });
}

interface TableProps {
  viewer: Viewer;
  result: SqlResult;
  rows: readonly Row[];
  sort: SqlSort | null;
  onSort(sort: SqlSort | null): void;
}

export function SqlTable({ viewer, result, rows, sort, onSort }: TableProps) {
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
  useEffect(() => {
    box.current?.scrollTo(0, 0);
    setCurrent(0);
  }, [result]);
  const widths = useMemo(() => widthsOf(result), [result]);
  const from = Math.max(0, Math.min(first, rows.length - 1) - SPARE_ROWS);
  const to = Math.min(rows.length, first + room + SPARE_ROWS);
  const reachable = Math.max(from, Math.min(current, to - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !(event.target instanceof HTMLElement) || event.target.closest("tbody") === null) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, reachable + step));
    setCurrent(next);
    box.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + 2}"]`)?.focus();
  };
  return (
    <div class="table-box" id="sql-rows" ref={box} onKeyDown={onKeyDown} onScroll={(event) => setFirst(Math.floor(event.currentTarget.scrollTop / ROW_PX))}>
      <table
        class="stats sql-table"
        aria-label="Rows"
        aria-rowcount={rows.length + 1}
        ref={(element) => element?.style.setProperty("width", `${widths.reduce((sum, width) => sum + width, 0)}px`)}
      >
        <colgroup>
          {widths.map((width, i) => (
            <col key={i} ref={(element) => element?.style.setProperty("width", `${width}px`)} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {result.columns.map(({ name, kind }, i) => (
              <HeadCell key={i} name={name} kind={kind} column={i} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} columns={widths.length} />
          {rows.slice(from, to).map((row, i) => (
            <TableRow key={from + i} viewer={viewer} result={result} row={row} index={from + i} isReachable={from + i === reachable} />
          ))}
          <Spacer rows={rows.length - to} columns={widths.length} />
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps extends Pick<TableProps, "sort" | "onSort"> {
  name: string;
  kind: SqlKind;
  column: number;
}

/** Sorts by the column, then the other way round, then not at all. */
function HeadCell({ name, kind, column, sort, onSort }: HeadProps) {
  const order = sort?.column === column ? sort.order : "none";
  const first = isNumeric(kind) ? "descending" : "ascending";
  const other = isNumeric(kind) ? "ascending" : "descending";
  return (
    <th scope="col" aria-sort={order} class={isNumeric(kind) ? "number" : "name"}>
      <button type="button" title={name} onClick={() => onSort(order === "none" ? { column, order: first } : order === first ? { column, order: other } : null)}>
        {name}
        <span class="sort-mark" aria-hidden="true">
          {order === "none" ? "" : order === "ascending" ? "▲" : "▼"}
        </span>
      </button>
    </th>
  );
}

interface RowProps extends Pick<TableProps, "viewer" | "result"> {
  row: Row;
  index: number;
  isReachable: boolean;
}

function TableRow({ viewer, result, row, index, isReachable }: RowProps) {
  const target = viewer.sql.target(result, row);
  const show = () => {
    if (target !== null) void showTarget(viewer, target);
  };
  return (
    <tr
      aria-rowindex={index + 2}
      tabIndex={isReachable ? 0 : -1}
      class={target === null ? undefined : "linked"}
      title={target === null ? undefined : "Shows it on the timeline"}
      onClick={() => {
        if (getSelection()?.isCollapsed !== false) show(); // text that is being selected is to be copied
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") show();
      }}
    >
      {row.map((value, i) => (
        <td key={i} class={isNumeric(result.columns[i]?.kind) ? "number" : "name"}>
          {value === null ? <span class="muted">NULL</span> : <span>{value.slice(0, CELL_CHARACTERS)}</span>}
        </td>
      ))}
    </tr>
  );
}

function Spacer({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} ref={(element) => element?.style.setProperty("height", `${rows * ROW_PX}px`)} />
    </tr>
  );
}
