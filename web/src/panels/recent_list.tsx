/** The recently opened files as buttons, with one that clears the list. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { t } from "../texts.ts";

/** The rest is in the palette. */
const SHOWN = 8;

export function RecentList({ viewer }: { viewer: Viewer }) {
  const files = useStore(viewer.recent.files);
  if (files.length === 0) return null;
  return (
    <section class="recent" aria-label={t("recent.recent-files")}>
      <h3>
        {t("recent.recent-files")}
        <button type="button" class="link" onClick={() => void viewer.recent.clear()}>
          {t("recent.clear")}
        </button>
      </h3>
      <ul>
        {files.slice(0, SHOWN).map((file) => (
          <li key={file.id}>
            <button type="button" class="link" title={`${file.folder === "" ? file.name : file.id}\n${t("recent.with-shift")}`} onClick={(event) => void viewer.openRecent(file, event.shiftKey ? "add" : "replace")}>
              {file.name}
            </button>
            <span class="muted recent-folder">{file.folder}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
