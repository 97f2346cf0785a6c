/** The recently opened files as buttons, with one that clears the list. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";

/** The rest is in the palette. */
const SHOWN = 8;

export function RecentList({ viewer }: { viewer: Viewer }) {
  const files = useStore(viewer.recent.files);
  if (files.length === 0) return null;
  return (
    <section class="recent" aria-label="Recent files">
      <h3>
        Recent files
        <button type="button" class="link" onClick={() => void viewer.recent.clear()}>
          Clear
        </button>
      </h3>
      <ul>
        {files.slice(0, SHOWN).map((file) => (
          <li key={file.id}>
            <button type="button" class="link" title={`${file.folder === "" ? file.name : file.id}\nWith Shift: adds it to the open traces`} onClick={(event) => void viewer.openRecent(file, event.shiftKey ? "add" : "replace")}>
              {file.name}
            </button>
            <span class="muted recent-folder">{file.folder}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
