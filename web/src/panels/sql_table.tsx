/** The rows of an SQL result. */
import type { SqlKind, SqlResult } from "../transport/protocol.ts";
import { isNumeric, showTarget, type SqlRow } from "../sql.ts";
import type { Viewer } from "../viewer.ts";
import { groupDigits } from "./format.ts";
import { compareTexts, compareValues, firstOrder, Table, type Column, type Sort } from "./table.tsx";
import { t } from "../texts.ts";

/** The maximum width of a column. */
const MOST_PX = 420;
/** Longer texts are cut in the table, but not in copies and files. */
const CELL_CHARACTERS = 500;

function compareOf(kind: SqlKind): (a: string, b: string) => number {
  if (kind === "integer") return (a, b) => compareValues(BigInt(a), BigInt(b));
  return isNumeric(kind) ? (a, b) => compareValues(Number(a), Number(b)) : compareTexts;
}

/** Returns the columns of a result. Their keys are their indices, because names can repeat. */
export function columnsOf({ columns }: SqlResult): Column<SqlRow>[] {
  return columns.map(({ name, kind }, i) => {
    const valueOf = (row: SqlRow) => row[i] ?? null;
    const compare = compareOf(kind);
    const textOf = (value: string) => (isNumeric(kind) ? groupDigits(value) : value);
    return {
      key: String(i),
      title: name,
      kind: isNumeric(kind) ? "number" : "text",
      text: (row) => textOf(valueOf(row) ?? "NULL"),
      exact: (row) => valueOf(row) ?? "NULL",
      cell: (row) => {
        const value = valueOf(row);
        return value === null ? <span class="muted">NULL</span> : textOf(value.slice(0, CELL_CHARACTERS));
      },
      compare: (a, b) => compare(valueOf(a) ?? "", valueOf(b) ?? ""),
      isNull: (row) => valueOf(row) === null,
      width: { most: MOST_PX },
    };
  });
}

interface SqlTableProps {
  viewer: Viewer;
  result: SqlResult;
  columns: Column<SqlRow>[];
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
}

/** The third click on a title restores the order of the result. */
export function SqlTable({ viewer, result, columns, sort, onSort }: SqlTableProps) {
  const targetOf = (row: SqlRow) => viewer.sql.target(result, row);
  const orderAtFirst = (key: string) => columns.filter((column) => column.key === key).map(({ kind }) => firstOrder(kind))[0];
  return (
    <Table
      key={result.run}
      class="sql-table"
      label={t("common.rows")}
      rows={result.rows}
      columns={columns}
      sort={sort}
      onSort={(next) => onSort(next.key === sort?.key && next.order === orderAtFirst(next.key) ? null : next)}
      hasButton={(row) => targetOf(row) !== null}
      onRow={(row) => {
        const target = targetOf(row);
        if (target !== null) showTarget(viewer, target);
      }}
      hintOf={() => t("sql-table.shows-it-on-the")}
    />
  );
}
