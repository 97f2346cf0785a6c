/** Shown in place of the rows if all are hidden: the reason, and buttons to undo it. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { t } from "../texts.ts";

export function NoRows({ viewer }: { viewer: Viewer }) {
  const { filter, rows, has_events: hasEvents, marks } = useStore(viewer.rows);
  const traces = useStore(viewer.loading.traces);
  if (traces.length === 0) return null;
  if (!hasEvents && traces.every(({ load }) => !load.grows))
    return (
      <Sentence
        text={t("no-rows.there-is-nothing-to")}
        action={t("common.import-report")}
        onAction={() => viewer.dialog.set("report")}
      />
    );
  if (rows > 0) return null;
  if (filter !== "")
    return <Sentence text={t("no-rows.no-track-matches", { filter })} action={t("common.show-all-tracks")} onAction={() => viewer.filterTracks("")} />;
  if (marks.some(({ mark }) => mark !== "pinned"))
    return <Sentence text={t("no-rows.all-tracks-are-hidden")} action={t("no-rows.show-them")} onAction={() => viewer.run("show-all-tracks")} />;
  return null;
}

function Sentence({ text, action, onAction }: { text: string; action: string; onAction: () => void }) {
  return (
    <div class="no-rows" role="status">
      <p>{text}</p>
      <button type="button" class="button" onClick={onAction}>
        {action}
      </button>
    </div>
  );
}
