/** Buttons that copy a table in a chosen format and save it as CSV. */
import { csvOf } from "../csv.ts";
import { saveBytes } from "../saving.ts";
import { useStore } from "../store.ts";
import { TABLE_FORMATS, tableText, type TableFormat } from "../table_text.ts";
import type { Viewer } from "../viewer.ts";
import { IconButton } from "./icons.tsx";
import { t, titled } from "../texts.ts";

/** A table as programs read it: a heading and lines. */
export type Lines = (string | number | null)[][];

const LABELS = {
  table: { format: "table-tools.format-of-table", copy: "table-tools.copy-table", save: "table-tools.save-table", what: "table-tools.the-table" },
  rows: { format: "table-tools.format-of-rows", copy: "table-tools.copy-rows", save: "table-tools.save-rows", what: "table-tools.the-rows" },
} as const;

interface TableToolsProps {
  viewer: Viewer;
  /** In the labels. */
  what?: keyof typeof LABELS;
  lines: () => Lines;
  /** The columns whose texts are numbers. */
  numeric?: readonly boolean[];
  /** The name of the saved file. */
  file: string;
}

export function TableTools({ viewer, what = "table", lines, numeric = [], file }: TableToolsProps) {
  const { tableFormat } = useStore(viewer.settings.saved);
  const labels = LABELS[what];
  return (
    <>
      <select
        class="area-group"
        aria-label={t(labels.format)}
        title={t(labels.format)}
        value={tableFormat}
        onChange={(event) => viewer.settings.change({ tableFormat: event.currentTarget.value as TableFormat })}
      >
        {titled(TABLE_FORMATS).map(([format, title]) => (
          <option key={format} value={format}>
            {title}
          </option>
        ))}
      </select>
      <IconButton icon="copy" label={t(labels.copy)} onClick={() => viewer.copy(tableText(lines(), tableFormat, numeric), t(labels.what))} />
      <IconButton icon="save" label={t(labels.save)} onClick={() => saveBytes(viewer, csvOf(lines()), file)} />
    </>
  );
}
