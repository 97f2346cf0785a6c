/** A table of any length: sortable columns, the visible rows alone are in the document, arrow keys move between rows. */
import type { ComponentChild } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";

const ROW_PX = 24;
/** Rows beyond the visible ones, so that scrolling shows no gaps. */
const SPARE_ROWS = 12;
/** A number's least width, the room around it, and the width of a digit. */
const NUMBER_PX = 80;
const NUMBER_PAD_PX = 34;
const DIGIT_PX = 7.2;
/** The mark of the order beside a title is as wide as so many digits. */
const SORT_MARK_DIGITS = 2;

export interface Column<Row> {
  key: string;
  title: string;
  /** Numbers are on the right and begin with the greatest when they are sorted. */
  kind: "text" | "number";
  text(row: Row): string;
  compare(a: Row, b: Row): number;
  /** Of a text column, in px: `least` grows to fill the table. Numbers are as wide as their longest text. */
  width?: { px: number } | { least: number };
  /** Shown in the place of the text. */
  cell?(row: Row): ComponentChild;
  class?: string;
}

export interface Sort {
  key: string;
  order: "ascending" | "descending";
}

interface TableProps<Row> {
  rows: Row[];
  /** The first one has the button of the row. */
  columns: Column<Row>[];
  keyOf(row: Row): string;
  sort: Sort;
  onSort(sort: Sort): void;
  onRow(row: Row): void;
  onRowTwice?(row: Row): void;
  isLit?(row: Row): boolean;
  /** A second button of each row. */
  action?: { icon: IconName; labelOf(row: Row): string; run(row: Row): void } | undefined;
  /** Of the row's button, for the pointer. */
  hintOf(row: Row): string;
  class?: string;
}

/** The rows in the order of a column. */
export function sorted<Row>(rows: Row[], columns: Column<Row>[], sort: Sort): Row[] {
  const column = columns.find(({ key }) => key === sort.key);
  if (column === undefined) return rows;
  const sign = sort.order === "ascending" ? 1 : -1;
  return [...rows].sort((a, b) => sign * column.compare(a, b));
}

/** A field of CSV (RFC 4180). */
function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(lines: (string | number)[][]): string {
  return lines.map((line) => line.map((cell) => field(String(cell))).join(",") + "\r\n").join("");
}

/** Widths in px by the longest text of all rows, in view or not; 0 = the rest. */
function widthsOf<Row>(rows: Row[], columns: Column<Row>[]): { px: number; least: number }[] {
  return columns.map(({ kind, title, text, width }) => {
    if (width !== undefined && "least" in width) return { px: 0, least: width.least };
    if (width !== undefined && kind === "text") return { px: width.px, least: width.px };
    const longest = rows.reduce((most, row) => Math.max(most, text(row).length), title.length + SORT_MARK_DIGITS);
    const px = Math.max(NUMBER_PX, Math.ceil(longest * DIGIT_PX) + NUMBER_PAD_PX);
    return { px, least: px };
  });
}

export function Table<Row>(props: TableProps<Row>) {
  const { rows, columns, keyOf, sort } = props;
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
  const keys = columns.map(({ key }) => key).join();
  const widths = useMemo(() => widthsOf(rows, columns), [rows, keys]);
  const ordered = useMemo(() => sorted(rows, columns, sort), [rows, keys, sort]);
  const least = widths.reduce((sum, width) => sum + width.least, 0);
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
  return (
    <div class="table-box" ref={box} onKeyDown={onKeyDown} onScroll={(event) => setFirst(Math.floor(event.currentTarget.scrollTop / ROW_PX))}>
      <table
        class={`stats ${props.class ?? ""}`}
        aria-rowcount={rows.length + 1}
        ref={(element) => element?.style.setProperty("min-width", `${least}px`)}
      >
        <colgroup>
          {widths.map(({ px }, i) => (
            <col key={i} ref={(element) => element?.style.setProperty("width", px === 0 ? "auto" : `${px}px`)} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} sort={sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} columns={columns.length} />
          {ordered.slice(from, to).map((row, i) => (
            <BodyRow key={keyOf(row)} table={props} row={row} index={from + i} isReachable={from + i === reachable} />
          ))}
          <Spacer rows={rows.length - to} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function HeadCell<Row>({ column, sort, onSort }: { column: Column<Row>; sort: Sort; onSort(sort: Sort): void }) {
  const { key, title, kind } = column;
  const isKey = sort.key === key;
  const flip = () => {
    const first = kind === "text" ? "ascending" : "descending";
    const other = sort.order === "ascending" ? "descending" : "ascending";
    onSort({ key, order: isKey ? other : first });
  };
  return (
    <th scope="col" aria-sort={isKey ? sort.order : "none"} class={classOf(column)}>
      <button type="button" onClick={flip}>
        {title}
        <span class="sort-mark" aria-hidden="true">
          {isKey ? (sort.order === "ascending" ? "▲" : "▼") : ""}
        </span>
      </button>
    </th>
  );
}

function classOf<Row>({ kind, class: own }: Column<Row>): string {
  return own ?? (kind === "number" ? "number" : "name");
}

interface BodyRowProps<Row> {
  table: TableProps<Row>;
  row: Row;
  index: number;
  isReachable: boolean;
}

function BodyRow<Row>({ table, row, index, isReachable }: BodyRowProps<Row>) {
  const isLit = table.isLit?.(row) ?? false;
  const { action } = table;
  return (
    <tr aria-rowindex={index + 2} class={isLit ? "lit" : ""}>
      {table.columns.map((column, i) => {
        const content = column.cell?.(row) ?? column.text(row);
        return (
          <td key={column.key} class={classOf(column)}>
            {i > 0 ? (
              content
            ) : (
              <>
                <button
                  type="button"
                  title={table.hintOf(row)}
                  aria-pressed={table.isLit === undefined ? undefined : isLit}
                  tabIndex={isReachable ? 0 : -1}
                  onClick={() => table.onRow(row)}
                  onDblClick={() => table.onRowTwice?.(row)}
                >
                  {content}
                </button>
                {action !== undefined && (
                  <button
                    type="button"
                    class="row-action"
                    title={action.labelOf(row)}
                    aria-label={action.labelOf(row)}
                    tabIndex={isReachable ? 0 : -1}
                    onClick={() => action.run(row)}
                  >
                    <Icon name={action.icon} />
                  </button>
                )}
              </>
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** Takes the room of rows that are not in the document. */
function Spacer({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true" ref={(element) => element?.style.setProperty("height", `${rows * ROW_PX}px`)}>
      <td colSpan={columns} />
    </tr>
  );
}
