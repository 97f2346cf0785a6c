/** The dialog "Open": whether the files are added to the open traces or replace them. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf } from "./format.ts";
import { RecentList } from "./recent_list.tsx";

export function OpenForm({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const choose = (mode: "replace" | "add") => {
    viewer.dialog.set(null);
    viewer.chooseFiles(mode);
  };
  return (
    <div class="settings open-form">
      <p>
        Open now: <b>{traces.map(({ info }) => fileNameOf(info.file.name)).join(", ")}</b>. Several traces have one time axis.
      </p>
      <div class="card-row">
        <button type="button" class="button" autofocus onClick={() => choose("replace")}>
          Replace
        </button>
        <button type="button" class="button" onClick={() => choose("add")}>
          Add
        </button>
      </div>
      <RecentList viewer={viewer} />
      <p class="muted">Files can be dropped on the page, too. Shift adds: Shift+click on Open, Shift+drop.</p>
    </div>
  );
}
