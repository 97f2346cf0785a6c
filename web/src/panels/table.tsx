/**
 * A table of any length: columns can be sorted, only the visible rows are in the document, arrow keys move between
 * rows.
 */
import type { ComponentChild } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { fontScale } from "../font_size.ts";
import { timeUnit } from "../time_unit.ts";
import { aligned, exactAmount, type Amount, type Quantity } from "./aligned.ts";
import { useStore } from "../store.ts";
import { Icon, type IconName } from "./icons.tsx";
import { t } from "../texts.ts";

/** For a rem of 16 px. */
const ROW_PX = 24;
/** The number of rows beyond the visible ones, so that scrolling shows no gaps. */
const SPARE_ROWS = 12;
/** Widths of columns, for a rem of 16 px. Text: the minimum, the padding, the average width of a character, and the width of a button. */
const TEXT_PX = { least: 80, pad: 34, character: 7.8, button: 32 };
/** Numbers: the padding with the room of the sort arrow, and the widths of characters by their class (style.css, Inter with tabular digits). */
const NUMBER_PX = { pad: 22, digit: 7.8, point: 3.3, wide: 12, letter: 7.3 };
/** The minimum width of a column that the user resizes, and the change by a key. */
const COLUMN_LEAST_PX = 32;
const KEY_STEP_PX = 16;
/** The width of the sort arrow next to a title of texts, in characters. */
const SORT_MARK_CHARACTERS = 2;

export interface Column<Row> {
  key: string;
  title: string;
  /** The meaning of the column, for the pointer. */
  hint?: string;
  /** Numbers are right-aligned; the first click sorts them in descending order, but times in ascending order. */
  kind: "text" | "number";
  text: (row: Row) => string;
  /**
   * The amount of a row; null = it has none. If all rows with a value have one, the column has one unit, shown in its head, numbers
   * in place of `text`, and the exact amounts as tooltips.
   */
  amount?: (row: Row) => Amount | null;
  /** Default: a duration. */
  quantity?: Quantity;
  /** "change": positive amounts have a sign, too. */
  sign?: "change";
  /** The tooltip: the exact value. Default: the exact amount, or the text, which a narrow column cuts off. */
  exact?: (row: Row) => string;
  compare: (a: Row, b: Row) => number;
  /** True if the row has no value: it is last in both orders, and shows its text. */
  isNull?: (row: Row) => boolean;
  /**
   * In px: `least` is the minimum of a column that shrinks in a narrow table, `most` limits the width of the longest text. Default:
   * the width of the longest text.
   */
  width?: { px: number } | { least: number } | { most: number };
  /** Displayed in place of the text. */
  cell?: (row: Row) => ComponentChild;
  class?: string;
}

/** The widths that the user has chosen, in px, by the keys of the columns. */
type Widths = Readonly<Record<string, number>>;

export interface Sort {
  key: string;
  order: "ascending" | "descending";
}

export interface TableProps<Row> {
  /** The accessible name. */
  label: string;
  rows: readonly Row[];
  /** The first column contains the row's button. */
  columns: Column<Row>[];
  /** Default: the row's position. */
  keyOf?: (row: Row) => string;
  /** null: the order of `rows` */
  sort: Sort | null;
  onSort: (sort: Sort) => void;
  /** The action of a row and its button. Default: the rows have no buttons. */
  onRow?: (row: Row) => void;
  /** False for a row without a button. Default: with onRow every row has one. */
  hasButton?: (row: Row) => boolean;
  onRowTwice?: (row: Row) => void;
  isLit?: (row: Row) => boolean;
  /** Called for the row under the pointer or with the focus; null: it has left the table. */
  onPoint?: ((row: Row | null) => void) | undefined;
  /** A second button of each row. */
  action?: { icon: IconName; labelOf: (row: Row) => string; run: (row: Row) => void } | undefined;
  /** The tooltip of the row's button. */
  hintOf?: (row: Row) => string;
  class?: string;
}

/** Compares numbers, or texts by code unit. */
export function compareValues<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Made when it is first used: that takes a browser some ten milliseconds. */
let collator: Intl.Collator | null = null;

/** Compares texts in natural order: numbers in them by value. */
export function compareTexts(a: string, b: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(a, b);
}

/** Returns the rows in the order of a column. */
export function sorted<Row>(rows: readonly Row[], columns: Column<Row>[], sort: Sort | null): readonly Row[] {
  const column = columns.find(({ key }) => key === sort?.key);
  if (column === undefined) return rows;
  const sign = sort?.order === "ascending" ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [left, right] = [column.isNull?.(a) ?? false, column.isNull?.(b) ?? false];
    return left || right ? Number(left) - Number(right) : sign * column.compare(a, b);
  });
}

/** Returns the sort order after the first click on a column's title. */
export function firstOrder(kind: Column<never>["kind"]): Sort["order"] {
  return kind === "text" ? "ascending" : "descending";
}

/** The content of a column: the unit in its head, if it has one, the text of a cell, and its tooltip. */
interface Shown<Row> {
  unit: string;
  text: (row: Row) => string;
  exact: (row: Row) => string;
  /** The decimals that the text lacks: room for them aligns the decimal points. */
  room: (row: Row) => string;
}

const NO_ROOM = () => "";

function signed(text: string): string {
  return text.startsWith("-") ? `−${text.slice(1)}` : `+${text}`;
}

/** Returns the content of a column of amounts. null: a row with a value has none. */
function shownAmounts<Row>(rows: readonly Row[], { text, quantity, sign, exact, isNull }: Column<Row>, amount: NonNullable<Column<Row>["amount"]>): Shown<Row> | null {
  const isWithout = (row: Row) => isNull?.(row) ?? text(row) === "";
  if (rows.some((row) => amount(row) === null && !isWithout(row))) return null;
  const amounts = rows.map(amount).filter((value) => value !== null);
  const { unit, textOf } = aligned(amounts, quantity);
  const shownBy = (format: (value: Amount) => string) => (row: Row) => {
    const value = amount(row);
    if (value === null) return text(row);
    return sign === "change" && value != 0 ? signed(format(value)) : format(value);
  };
  return { unit: amounts.length > 0 ? unit : "", text: shownBy(textOf), exact: exact ?? shownBy((value) => exactAmount(value, quantity)), room: NO_ROOM };
}

/** Returns the decimals of a plain number with their point; null: the text is not one. */
function decimalsOf(text: string): string | null {
  return /^[-−+]?[\d\u202f]+(\.[\d\u202f]+|)$/.exec(text)?.[1] ?? null;
}

function shownOf<Row>(rows: readonly Row[], column: Column<Row>): Shown<Row> {
  const { kind, text, amount, quantity, exact = text } = column;
  if (amount === undefined) {
    if (kind === "text") return { unit: "", text, exact, room: NO_ROOM };
    const most = rows.reduce((longest, row) => {
      const decimals = decimalsOf(text(row)) ?? "";
      return decimals.length > longest.length ? decimals : longest;
    }, "");
    const room = (row: Row) => {
      const decimals = decimalsOf(text(row));
      return decimals === null ? "" : most.slice(decimals.length);
    };
    return { unit: "", text, exact, room: most === "" ? NO_ROOM : room };
  }
  const exactOf = (row: Row) => {
    const value = amount(row);
    return value === null ? text(row) : exactAmount(value, quantity);
  };
  return shownAmounts(rows, column, amount) ?? { unit: "", text, exact: column.exact ?? exactOf, room: NO_ROOM };
}

/** Returns the width of a number with its unit, or of the title of numbers. */
function numberPx(text: string): number {
  let px = 0;
  for (const character of text) {
    if (/[\d+\-]/.test(character)) px += NUMBER_PX.digit;
    else if (/[.,\s]/.test(character)) px += NUMBER_PX.point;
    else px += /[mMwW%]/.test(character) || character > "\u2000" ? NUMBER_PX.wide : NUMBER_PX.letter;
  }
  return px;
}

/** Returns the width of a column for all its texts. */
function contentPx<Row>(rows: readonly Row[], kind: Column<Row>["kind"], title: string, text: (row: Row) => string): number {
  if (kind === "number") return Math.ceil(rows.reduce((most, row) => Math.max(most, numberPx(text(row))), numberPx(title))) + NUMBER_PX.pad;
  const longest = rows.reduce((most, row) => Math.max(most, text(row).length), title.length + SORT_MARK_CHARACTERS);
  return Math.max(TEXT_PX.least, Math.ceil(longest * TEXT_PX.character) + TEXT_PX.pad);
}

/** Widths in px, for the longest text of all rows, visible or not. px: 0 = the rest of the table, between `least` and `most`. */
interface ColumnWidth {
  px: number;
  least: number;
  most: number;
}

function widthsOf<Row>(rows: readonly Row[], columns: Column<Row>[], shown: readonly Shown<Row>[], chosen: Widths, scale: number): ColumnWidth[] {
  const fixed = (px: number): ColumnWidth => ({ px, least: px, most: px });
  const scaled = (px: number) => Math.ceil(px * scale);
  return columns.map(({ key, kind, title, width, ...column }, i) => {
    const { text, unit, room } = shown[i] ?? { ...column, unit: "", room: NO_ROOM };
    const own = chosen[key];
    if (own !== undefined) return fixed(own);
    if (width !== undefined && "px" in width) return fixed(scaled(width.px));
    const wanted = contentPx(rows, kind, unit === "" ? title : `${title} ${unit}`, (row) => text(row) + room(row));
    if (width !== undefined && "least" in width) {
      const least = scaled(width.least);
      return { px: 0, least, most: Math.max(least, scaled(wanted + TEXT_PX.button)) };
    }
    return fixed(scaled(Math.min(width?.most ?? wanted, wanted)));
  });
}

/** Sets the width of a table: that of its box, but not beyond the longest texts, so that numbers are near their names. */
function setTableWidth(table: HTMLTableElement, widths: readonly ColumnWidth[]): void {
  const growing = widths.filter(({ px }) => px === 0);
  const fixed = widths.reduce((sum, { px }) => sum + px, 0);
  const least = growing.reduce((sum, width) => sum + width.least, fixed);
  const most = growing.length * growing.reduce((widest, width) => Math.max(widest, width.most), 0) + fixed; // they share the rest equally
  table.style.setProperty("min-width", `${least}px`);
  table.style.setProperty("max-width", `${most}px`);
}

export function Table<Row>(props: TableProps<Row>) {
  const { rows, columns, keyOf, sort } = props;
  const [first, setFirst] = useState(0);
  const [room, setRoom] = useState(40);
  const [current, setCurrent] = useState(0); // the row that Tab reaches; arrow keys start from it
  const box = useRef<HTMLDivElement>(null);
  const scale = useStore(fontScale);
  const unit = useStore(timeUnit);
  const rowPx = ROW_PX * scale;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setRoom(Math.ceil(element.clientHeight / rowPx)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowPx]);
  const keys = columns.map(({ key }) => key).join();
  const [chosen, setChosen] = useState<Widths>({});
  const shown = useMemo(() => columns.map((column) => shownOf(rows, column)), [rows, keys, unit]);
  const widths = useMemo(() => widthsOf(rows, columns, shown, chosen, scale), [rows, keys, shown, chosen, scale]);
  const resize = (key: string, px: number | null) =>
    setChosen(({ [key]: _, ...others }) => (px === null ? others : { ...others, [key]: Math.max(COLUMN_LEAST_PX, Math.round(px)) }));
  const ordered = useMemo(() => sorted(rows, columns, sort), [rows, keys, sort]);
  const from = Math.max(0, Math.min(first, rows.length - 1) - SPARE_ROWS);
  const to = Math.min(rows.length, first + room + SPARE_ROWS);
  const reachable = Math.max(from, Math.min(current, to - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !(event.target instanceof HTMLElement) || event.target.closest("tbody") === null) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, reachable + step));
    setCurrent(next);
    const row = box.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + 2}"]`);
    (row?.querySelector("button") ?? row)?.focus();
  };
  return (
    <div class="table-box" ref={box} onKeyDown={onKeyDown} onScroll={(event) => setFirst(Math.floor(event.currentTarget.scrollTop / rowPx))} onPointerLeave={() => props.onPoint?.(null)} onFocusOut={() => props.onPoint?.(null)}>
      <table
        class={`stats ${props.class ?? ""}`}
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        ref={(element) => {
          if (element !== null) setTableWidth(element, widths);
        }}
      >
        <colgroup>
          {widths.map(({ px }, i) => (
            <col key={i} ref={(element) => element?.style.setProperty("width", px === 0 ? "auto" : `${px}px`)} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <HeadCell key={column.key} column={column} unit={shown[i]?.unit ?? ""} sort={sort} onSort={props.onSort} onResize={(px) => resize(column.key, px)} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer px={from * rowPx} columns={columns.length} />
          {ordered.slice(from, to).map((row, i) => (
            <BodyRow key={keyOf?.(row) ?? from + i} table={props} shown={shown} row={row} index={from + i} isReachable={from + i === reachable} />
          ))}
          <Spacer px={(rows.length - to) * rowPx} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface HeadCellProps<Row> {
  column: Column<Row>;
  unit: string;
  sort: Sort | null;
  onSort: (sort: Sort) => void;
  /** Sets the width; null: the width of its content again. */
  onResize: (px: number | null) => void;
}

function HeadCell<Row>({ column, unit, sort, onSort, onResize }: HeadCellProps<Row>) {
  const cell = useRef<HTMLTableCellElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? { ArrowLeft: -KEY_STEP_PX, ArrowRight: KEY_STEP_PX }[event.key] : undefined;
    if (step === undefined || cell.current === null) return;
    event.preventDefault();
    onResize(cell.current.offsetWidth + step);
  };
  const onGrip = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const grip = event.currentTarget;
    const from = event.clientX;
    const width = cell.current?.offsetWidth ?? 0;
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = (move) => onResize(width + move.clientX - from);
    grip.onlostpointercapture = () => (grip.onpointermove = null);
  };
  const { key, title, hint = title, kind, quantity } = column;
  const order = sort?.key === key ? sort.order : "none";
  const next = { none: quantity === "time" ? "ascending" : firstOrder(kind), ascending: "descending", descending: "ascending" } as const;
  return (
    <th scope="col" aria-sort={order} class={classOf(column)} ref={cell}>
      <button type="button" title={hint} onKeyDown={onKeyDown} onClick={() => onSort({ key, order: next[order] })}>
        {title}
        {unit !== "" && <span class="unit"> {unit}</span>}
        <span class="sort-mark" aria-hidden="true">
          {{ none: "", ascending: "▲", descending: "▼" }[order]}
        </span>
      </button>
      <span class="column-grip" aria-hidden="true" title={t("table.drag-width-of-the")} onPointerDown={onGrip} onDblClick={() => onResize(null)} />
    </th>
  );
}

function classOf<Row>({ kind, class: own }: Column<Row>): string {
  return own ?? (kind === "number" ? "number" : "name");
}

interface BodyRowProps<Row> {
  table: TableProps<Row>;
  shown: readonly Shown<Row>[];
  row: Row;
  index: number;
  isReachable: boolean;
}

function BodyRow<Row>({ table, shown, row, index, isReachable }: BodyRowProps<Row>) {
  const isLit = table.isLit?.(row) ?? false;
  const hasButton = table.onRow !== undefined && (table.hasButton?.(row) ?? true);
  const tabIndex = isReachable ? 0 : -1;
  const { action } = table;
  const onClick = (event: MouseEvent) => {
    const isOnButton = event.target instanceof Element && event.target.closest("button") !== null;
    const isSelecting = getSelection()?.isCollapsed === false; // the user is selecting text to copy
    if (hasButton && !isOnButton && !isSelecting) table.onRow?.(row);
  };
  return (
    <tr aria-rowindex={index + 2} class={isLit ? "lit" : ""} tabIndex={hasButton ? undefined : tabIndex} onClick={onClick} onPointerEnter={() => table.onPoint?.(row)} onFocusIn={() => table.onPoint?.(row)}>
      {table.columns.map((column, i) => {
        const { text, exact, room }: Shown<Row> = shown[i] ?? { unit: "", text: column.text, exact: column.text, room: NO_ROOM };
        const content = column.cell?.(row) ?? text(row);
        return (
          <td key={column.key} class={classOf(column)} title={exact(row)} data-room={room(row) || undefined}>
            {i > 0 || !hasButton ? (
              content
            ) : (
              <>
                <button
                  type="button"
                  title={table.hintOf?.(row)}
                  aria-pressed={table.isLit === undefined ? undefined : isLit}
                  tabIndex={tabIndex}
                  onClick={() => table.onRow?.(row)}
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
                    tabIndex={tabIndex}
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

/** Has the height of the rows that are not in the document. */
function Spacer({ px, columns }: { px: number; columns: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true" ref={(element) => element?.style.setProperty("height", `${px}px`)}>
      <td colSpan={columns} />
    </tr>
  );
}
