/** Leaves only the tracks whose name holds a text. */
import { useState } from "preact/hooks";
import type { Viewer } from "../viewer.ts";

export function FindTrack({ viewer }: { viewer: Viewer }) {
  const [text, setText] = useState(viewer.trackFilter);
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
      <label for="track-pattern">Threads and processes whose name holds</label>
      <input id="track-pattern" type="text" autocomplete="off" autofocus value={text} onInput={(e) => filter(e.currentTarget.value)} />
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
