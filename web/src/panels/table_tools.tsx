/** Buttons that copy a table in a chosen format and save it as CSV. */
import { csvOf } from "../csv.ts";
import { saveBytes } from "../saving.ts";
import { useStore } from "../store.ts";
import { TABLE_FORMATS, tableText, type TableFormat } from "../table_text.ts";
import type { Viewer } from "../viewer.ts";
import { IconButton } from "./icons.tsx";

/** A table as programs read it: a heading and lines. */
export type Lines = (string | number | null)[][];

interface TableToolsProps {
  viewer: Viewer;
  /** "table" or "rows", in the labels. */
  noun?: string;
  lines: () => Lines;
  /** The columns whose texts are numbers. */
  numeric?: readonly boolean[];
  /** The name of the saved file. */
  file: string;
}

export function TableTools({ viewer, noun = "table", lines, numeric = [], file }: TableToolsProps) {
  const { tableFormat } = useStore(viewer.settings.saved);
  return (
    <>
      <select
        class="area-group"
        aria-label={`Format of the copied ${noun}`}
        title={`Format of the copied ${noun}`}
        value={tableFormat}
        onChange={(event) => viewer.settings.change({ tableFormat: event.currentTarget.value as TableFormat })}
      >
        {TABLE_FORMATS.map(([format, title]) => (
          <option key={format} value={format}>
            {title}
          </option>
        ))}
      </select>
      <IconButton icon="copy" label={`Copy the ${noun}`} onClick={() => viewer.copy(tableText(lines(), tableFormat, numeric), `the ${noun}`)} />
      <IconButton icon="save" label={`Save the ${noun} as CSV`} onClick={() => saveBytes(viewer, csvOf(lines()), file)} />
    </>
  );
}
