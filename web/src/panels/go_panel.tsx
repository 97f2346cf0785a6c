/** Analyses of Go traces: tables of goroutines, flame graphs of waits, latencies, utilisation, garbage collection. */
import { useEffect } from "preact/hooks";
import { isProfile, WHATS, type What } from "../go.ts";
import type { GoAnswer } from "../transport/go_protocol.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { GoGcReport, GoMmu } from "./go_gc.tsx";
import { GoFunctions, GoGoroutines, GoTypes } from "./go_tables.tsx";
import { GoWaits } from "./go_waits.tsx";
import { t, titled } from "../texts.ts";

export function GoPanel({ viewer }: { viewer: Viewer }) {
  const { go } = viewer;
  const what = useStore(go.what);
  const counts = useStore(go.counts);
  useStore(viewer.area);
  const trace = viewer.goTrace(useStore(viewer.loading.traces));
  const range = viewer.goRange(trace);
  useEffect(() => {
    const load = viewer.loading.ready[trace];
    if (load !== undefined && !isProfile(what)) go.ask(load, trace, range);
  }, [viewer, trace, what, counts, range?.begin, range?.end]);
  return (
    <div class="go">
      <div class="go-bar">
        <label for="go-what">{t("go.show")}</label>
        <select id="go-what" value={what} onChange={(event) => go.what.set(event.currentTarget.value as What)}>
          {titled(WHATS).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <span class="muted">{range === null ? t("go.of-the-whole-trace") : t("go.of-the-selected-areas")}</span>
      </div>
      {isProfile(what) ? <GoWaits viewer={viewer} what={what} trace={trace} range={range} /> : <GoNumbers viewer={viewer} trace={trace} />}
    </div>
  );
}

function GoNumbers({ viewer, trace }: { viewer: Viewer; trace: number }) {
  const answer = useStore(viewer.go.answer);
  const error = useStore(viewer.go.error);
  return (
    <>
      {error !== null && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {error === null && answer === null && <p class="empty">{t("common.counting")}</p>}
      {error === null && answer !== null && <Answer viewer={viewer} trace={trace} answer={answer} />}
    </>
  );
}

function Answer({ viewer, trace, answer }: { viewer: Viewer; trace: number; answer: GoAnswer }) {
  switch (answer.what) {
    case "functions":
      return <GoFunctions viewer={viewer} rows={answer.functions} />;
    case "goroutines":
      return <GoGoroutines viewer={viewer} trace={trace} rows={answer.goroutines} end={answer.end_ns} />;
    case "tasks":
      return <GoTypes viewer={viewer} rows={answer.tasks} what="task" />;
    case "regions":
      return <GoTypes viewer={viewer} rows={answer.regions} what="region" />;
    case "mmu":
      return <GoMmu viewer={viewer} trace={trace} curve={answer.curve} />;
    case "gc":
      return <GoGcReport viewer={viewer} trace={trace} gc={answer} />;
    default:
      return null; // the page shows waits as flame graphs
  }
}
