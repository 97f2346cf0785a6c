/**
 * A chip for each setting that changes the visible rows: their order, the filter, and isolated, hidden and pinned rows. Its cross
 * button undoes the setting.
 */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import type { MarkedRow, RowMark } from "../wasm/view.ts";
import { Icon } from "./icons.tsx";
import { t, type PlainId } from "../texts.ts";

const MARKS: Record<RowMark["mark"], { title: PlainId; undo: PlainId }> = {
  isolated: { title: "chips.shown-alone", undo: "common.show-the-other-rows" },
  hidden: { title: "chips.hidden", undo: "chips.show-again" },
  pinned: { title: "chips.pinned", undo: "common.unpin" },
};

const SORTS = { name: "chips.name", first: "chips.first-event", busiest: "chips.busy-time" } as const;

export function Chips({ viewer }: { viewer: Viewer }) {
  const { filter, marks, sort, groups, moved } = useStore(viewer.rows);
  const isOrdered = sort !== "default" || groups !== "process" || moved > 0;
  if (filter === "" && marks.length === 0 && !isOrdered) return null;
  /** Undoes a setting. Its chip no longer exists then. */
  const leave = (undo: () => void) => {
    undo();
    viewer.focusTimeline();
  };
  const order = (title: string, text: string, undo: string, command: string) => (
    <Chip title={title} text={text} undo={undo} onUndo={() => leave(() => viewer.run(command))} />
  );
  return (
    <div class="chips" role="group" aria-label={t("chips.order-of-the-tracks")}>
      {sort !== "default" && order(t("chips.sorted-by"), t(SORTS[sort]), t("chips.use-the-default-order"), "sort-default")}
      {groups !== "process" && order(t(groups === "name" ? "chips.groups" : "chips.processes"), t(groups === "name" ? "chips.by-name" : "chips.without-groups"), t("chips.group-by-process"), "group-process")}
      {moved > 0 && order(t("chips.moved"), t("count.row", { count: moved }), t("chips.put-back"), "unmove-rows")}
      {filter !== "" && <Chip title={t("chips.tracks-with")} text={filter} undo={t("common.show-all-tracks")} onUndo={() => leave(() => viewer.filterTracks(""))} />}
      {marks.map((mark) => (
        <MarkChips key={mark.mark} mark={mark} onUndo={(row) => leave(() => viewer.unmark(mark.mark, row))} />
      ))}
    </div>
  );
}

/** A chip for each row, or one for all rows if not all are listed. */
function MarkChips({ mark: { mark, count, rows }, onUndo }: { mark: RowMark; onUndo: (row: MarkedRow | null) => void }) {
  const { title, undo } = MARKS[mark];
  const chips: (MarkedRow | null)[] = count > rows.length ? [null] : rows;
  return (
    <>
      {chips.map((row) => (
        <Chip
          key={row === null ? mark : `${row.trace} ${row.is_process} ${row.index}`}
          title={t(title)}
          text={row === null ? t("count.row", { count }) : row.title}
          undo={t(undo)}
          onUndo={() => onUndo(row)}
        />
      ))}
    </>
  );
}

interface ChipProps {
  title: string;
  text: string;
  undo: string;
  onUndo: () => void;
}

/** A setting and its cross button. `onUndo` also moves the focus, because the chip no longer exists. */
export function Chip({ title, text, undo, onUndo }: ChipProps) {
  return (
    <span class="setting-chip">
      <span class="muted">{title}</span>
      <span class="setting-chip-text" title={text}>
        {text}
      </span>
      <button type="button" class="icon-button" title={undo} aria-label={`${undo}: ${text}`} onClick={onUndo}>
        <Icon name="close" />
      </button>
    </span>
  );
}
