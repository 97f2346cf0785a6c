/** A table with a filter of its rows and buttons that copy and save it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Viewer } from "../viewer.ts";
import { sorted, Table, type Sort, type TableProps } from "./table.tsx";
import { TableTools, type Lines } from "./table_tools.tsx";
import { t } from "../texts.ts";

interface FilteredTableProps<Row> extends Omit<TableProps<Row>, "sort" | "onSort"> {
  viewer: Viewer;
  /** The order at first. */
  order: Sort;
  /** Left and right of the summary. */
  lead: ComponentChildren;
  tools?: ComponentChildren;
  summary: ComponentChildren;
  /** Between the head and the table. */
  above?: ComponentChildren;
  /** In place of the table without rows. */
  empty: ComponentChildren;
  /** The text of a row that the filter searches. */
  textOf: (row: Row) => string;
  linesOf: (rows: readonly Row[]) => Lines;
  /** The name of the saved file. */
  file: string;
}

export function FilteredTable<Row>(props: FilteredTableProps<Row>) {
  const { viewer, columns, textOf, file } = props;
  const [sort, setSort] = useState<Sort>(props.order);
  const [filter, setFilter] = useState("");
  const wanted = filter.toLowerCase();
  const rows = wanted === "" ? props.rows : props.rows.filter((row) => textOf(row).toLowerCase().includes(wanted));
  const lines = () => props.linesOf(sorted(rows, columns, sort));
  return (
    <div class="area">
      <div class="area-head">
        {props.lead}
        <span class="area-summary">{props.summary}</span>
        <span class="area-tools">
          {props.tools}
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            class="area-filter"
            placeholder={t("common.filter-rows")}
            aria-label={t("common.show-only-rows-that")}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          <TableTools viewer={viewer} lines={lines} file={file} />
        </span>
      </div>
      {props.above}
      {rows.length === 0 ? (
        <p class="empty">{props.rows.length === 0 ? props.empty : t("common.no-row-contains-this")}</p>
      ) : (
        <Table {...props} rows={rows} sort={sort} onSort={setSort} />
      )}
    </div>
  );
}
