/** Filters the tracks by a text in their names. */
import { useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { formatCount } from "./format.ts";

export function FilterTracks({ viewer }: { viewer: Viewer }) {
  const { filter: shown, tracks } = useStore(viewer.rows);
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
      <label for="track-pattern">Show only threads and processes with this text in their name</label>
      <input id="track-pattern" type="text" autocomplete="off" autofocus value={text} onInput={(e) => filter(e.currentTarget.value)} />
      <p class="muted" role="status">
        {tracks === 0 ? "No track matches." : `${formatCount(tracks, "track")}${text === "" ? "" : tracks === 1 ? " matches" : " match"}.`}
      </p>
      <div class="card-row">
        <button type="button" class="button" onClick={() => filter("")}>
          Show all
        </button>
        <button type="submit" class="button button-primary">
          Done
        </button>
      </div>
    </form>
  );
}
