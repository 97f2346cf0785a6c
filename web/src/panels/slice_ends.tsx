/**
 * The begin and the end of a goroutine's run. The engine reads them from the input again, so the request waits until
 * the selection is stable.
 */
import { useEffect, useState } from "preact/hooks";
import { isAbort, messageOf, requestJson } from "../transport/transport.ts";
import type { EndsAnswer, SliceAnswer, SliceEnd } from "../transport/protocol.ts";
import type { Viewer } from "../viewer.ts";
import { unbroken } from "./format.ts";
import { StackList } from "./stack_list.tsx";
import { rich, t } from "../texts.ts";

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
  if (error !== null) return <p class="error">{rich("slice-ends.unread", { error: <span lang="en">{error}</span> })}</p>;
  if (ends === null) return null;
  return (
    <>
      <section>
        <dl class="facts-list" id="ends">
          <End viewer={viewer} trace={trace} name={t("slice-ends.before")} end={ends.begin} ran="slice-ends.ran-until" />
          <End viewer={viewer} trace={trace} name={t("slice-ends.then")} end={ends.end} ran="slice-ends.runs-again" />
        </dl>
      </section>
      <StackList viewer={viewer} title={t("common.stack-at-its-begin")} stack={ends.begin.stack} />
      <StackList viewer={viewer} title={t("common.stack-at-its-end")} stack={ends.end.stack} />
    </>
  );
}

interface EndProps {
  viewer: Viewer;
  trace: number;
  name: string;
  end: SliceEnd;
  /** The text with the time between. */
  ran: "slice-ends.ran-until" | "slice-ends.runs-again";
}

/** "waits: chan receive; it runs again after 12 µs on P 3" */
function End({ viewer, trace, name, end, ran }: EndProps) {
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
              {t(ran, { time: unbroken(viewer.view.lengthText(trace, beside.gap.ticks)) })}{" "}
            </span>
            <button type="button" class="link" title={t("slice-ends.the-goroutines-run-there")} onClick={() => viewer.selection.select({ ...beside.place, trace })}>
              {beside.thread.title}
            </button>
          </>
        )}
      </dd>
    </>
  );
}
