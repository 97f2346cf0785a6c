/**
 * The begin and the end of a goroutine's run. The engine reads them from the input again, so the request waits until
 * the selection is stable.
 */
import { useEffect, useState } from "preact/hooks";
import { isAbort, messageOf, requestJson } from "../transport/transport.ts";
import type { EndsAnswer, SliceAnswer, SliceEnd } from "../transport/protocol.ts";
import type { Viewer } from "../viewer.ts";
import { StackList } from "./stack_list.tsx";

const REST_MS = 80;

interface SliceEndsProps {
  viewer: Viewer;
  trace: number;
  slice: SliceAnswer;
}

/** Create one for each slice: `key` is its id. */
export function SliceEnds({ viewer, trace, slice }: SliceEndsProps) {
  const [ends, setEnds] = useState<EndsAnswer | null>(null);
  const [error, setError] = useState<string | null>(null);
  const load = viewer.loading.ready[trace];
  const id = slice.place.slice;
  useEffect(() => {
    const job = new AbortController();
    setEnds(null); // the present state may be that of a slice with the same id in another trace
    setError(null);
    const ask = async () => {
      if (load === undefined) return;
      try {
        const answer = await requestJson(load, "ends", { id }, job.signal);
        if (!job.signal.aborted) setEnds(answer);
      } catch (failure) {
        if (!job.signal.aborted && !isAbort(failure)) setError(messageOf(failure));
      }
    };
    const timer = window.setTimeout(() => void ask(), REST_MS);
    return () => {
      clearTimeout(timer);
      job.abort();
    };
  }, [load, id]);
  if (error !== null) return <p class="error">Where it stood could not be read: {error}</p>;
  if (ends === null) return null;
  return (
    <>
      <section>
        <dl class="facts-list" id="ends">
          <End viewer={viewer} trace={trace} name="Before" end={ends.begin} words={["it ran until", "before, on"]} />
          <End viewer={viewer} trace={trace} name="Then" end={ends.end} words={["it runs again after", "on"]} />
        </dl>
      </section>
      <StackList viewer={viewer} title="Stack at its begin" stack={ends.begin.stack} />
      <StackList viewer={viewer} title="Stack at its end" stack={ends.end.stack} />
    </>
  );
}

interface EndProps {
  viewer: Viewer;
  trace: number;
  name: string;
  end: SliceEnd;
  /** The texts before and after the time between. */
  words: [string, string];
}

/** "waits: chan receive; it runs again after 12 µs on P 3" */
function End({ viewer, trace, name, end, words }: EndProps) {
  const { why, beside } = end;
  if (why === null && beside === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {why}
        {beside !== null && (
          <>
            <span class="muted">
              {why !== null && "; "}
              {words[0]} {viewer.view.lengthText(trace, beside.gap.ticks)} {words[1]}{" "}
            </span>
            <button type="button" class="link" title="The goroutine's run there" onClick={() => viewer.selection.select({ ...beside.place, trace })}>
              {beside.thread.title}
            </button>
          </>
        )}
      </dd>
    </>
  );
}
