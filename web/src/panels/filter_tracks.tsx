/** Filters the tracks by a text in their names. */
import { useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { t } from "../texts.ts";

export function FilterTracks({ viewer }: { viewer: Viewer }) {
  const { filter: shown, tracks, has_events: hasEvents } = useStore(viewer.rows); // tracks without events are shown if no track has any
  const [text, setText] = useState(shown);
  const filter = (pattern: string) => {
    setText(pattern);
    viewer.filterTracks(pattern);
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    viewer.dialog.set(null);
  };
  return (
    <form class="ask" onSubmit={onSubmit}>
      <label for="track-pattern">{t("filter-tracks.show-only-threads-and")}</label>
      <input id="track-pattern" type="text" autocomplete="off" autofocus value={text} onInput={(e) => filter(e.currentTarget.value)} />
      <p class="muted" role="status">
        {tracks === 0 ? t("filter-tracks.no-track-matches") : t(text === "" && hasEvents ? "filter-tracks.tracks" : "filter-tracks.tracks-match", { count: tracks })}
      </p>
      <div class="card-row">
        <button type="button" class="button" onClick={() => filter("")}>
          {t("filter-tracks.show-all")}
        </button>
        <button type="submit" class="button button-primary">
          {t("filter-tracks.done")}
        </button>
      </div>
    </form>
  );
}
