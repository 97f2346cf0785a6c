/** Brings a moment to the middle of the timeline. */
import { useState } from "preact/hooks";
import type { Viewer } from "../viewer.ts";
import { parseTime } from "../time_input.ts";

export function GoTo({ viewer }: { viewer: Viewer }) {
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const info = viewer.loading.traces.value[0]?.info;
    if (info === undefined) return setError("No trace is open.");
    const { begin, end } = viewer.view.range(0);
    const tick = parseTime(text, info.time, (begin + end) / 2n);
    if (tick === null) return setError("That is not a time. Try 1.25 s, 300 us or +3 ms.");
    viewer.dialog.set(null);
    viewer.goTo(tick);
  };
  return (
    <form class="ask" onSubmit={onSubmit}>
      <label for="go-to-time">Time from the begin of the trace, or with a sign from the middle of the view</label>
      <input
        id="go-to-time"
        type="text"
        placeholder="1.25 s"
        autocomplete="off"
        autofocus
        value={text}
        aria-describedby="go-to-error"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p id="go-to-error" class="error" role="alert">
        {error}
      </p>
      <div class="card-row">
        <button type="submit" class="button button-primary">
          Go
        </button>
      </div>
    </form>
  );
}
