/** Brings a moment to the middle of the timeline; in a capture of calls, selects a call or a frame. */
import { useState } from "preact/hooks";
import type { Viewer } from "../viewer.ts";
import { parseCall, parseTime } from "../time_input.ts";
import { useStore } from "../store.ts";

export function GoTo({ viewer }: { viewer: Viewer }) {
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const info = useStore(viewer.loading.traces)[0]?.info;
  const hasCalls = info?.time.clock === "calls";
  const goToCall = async () => {
    const wanted = parseCall(text);
    if (wanted === null) return setError("That is no call. Try 12345, or frame 7.");
    const problem = await viewer.goToCall(wanted);
    if (problem !== null) return setError(problem);
    viewer.dialog.set(null);
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (info === undefined) return setError("No trace is open.");
    if (hasCalls) return void goToCall();
    const { begin, end } = viewer.view.range(0);
    const tick = parseTime(text, info.time, (begin + end) / 2n);
    if (tick === null) return setError("That is not a time. Try 1.25 s, 300 us or +3 ms.");
    viewer.dialog.set(null);
    viewer.goTo(tick);
  };
  return (
    <form class="ask" onSubmit={onSubmit}>
      <label for="go-to-time">
        {hasCalls
          ? "Number of a call, or \u201cframe\u201d and the number of a frame"
          : "Time from the begin of the trace, or with a sign from the middle of the view"}
      </label>
      <input
        id="go-to-time"
        type="text"
        placeholder={hasCalls ? "12345 or frame 7" : "1.25 s"}
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
