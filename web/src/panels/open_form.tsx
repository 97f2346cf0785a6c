/** The dialog "Open": whether the files are added to the open traces or replace them. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf } from "./format.ts";
import { RecentList } from "./recent_list.tsx";
import { rich, t } from "../texts.ts";

export function OpenForm({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const choose = (mode: "replace" | "add") => {
    viewer.dialog.set(null);
    viewer.chooseFiles(mode);
  };
  return (
    <div class="settings open-form">
      <p>
        {rich("open.now", { names: <b>{traces.map(({ info }) => fileNameOf(info.file.name)).join(", ")}</b> })}
      </p>
      <div class="card-row">
        <button type="button" class="button" autofocus onClick={() => choose("replace")}>
          {t("open.replace")}
        </button>
        <button type="button" class="button" onClick={() => choose("add")}>
          {t("common.add")}
        </button>
      </div>
      <RecentList viewer={viewer} />
      <p class="muted">{t("open.files-can-be-dropped")}</p>
    </div>
  );
}
