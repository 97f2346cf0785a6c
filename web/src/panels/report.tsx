/**
 * The report on reading a trace: its counts and its warnings, one line for each kind, with the position of the first
 * occurrence.
 */
import type { InfoAnswer } from "../transport/protocol.ts";
import type { OpenTrace } from "../loading.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatBytes, formatCount, formatNumber, slicesText } from "./format.ts";

export function Report({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  return (
    <>
      {traces.map((trace, i) => (
        <TraceReport key={i} trace={trace} />
      ))}
      {traces.length === 0 && <p class="muted">No trace is open.</p>}
    </>
  );
}

function TraceReport({ trace }: { trace: OpenTrace }) {
  const { info } = trace;
  const { note } = useStore(trace.load.status);
  return (
    <section class="report">
      <h3>{fileNameOf(info.file.name)}</h3>
      <p class="muted">{summary(info)}</p>
      {!info.complete && (
        <p class="flag">The input ended early or part of it could not be decoded; what came before is shown.</p>
      )}
      {note !== null && <p class="flag">{note}</p>}
      {info.warnings.length === 0 ? <p>Nothing was wrong with it.</p> : <WarningTable info={info} />}
      <SourceEvents info={info} />
    </section>
  );
}

function summary(info: InfoAnswer): string {
  const { counts, file, format } = info;
  const parts = [
    `${format.name}${format.version === "" ? "" : ` (${format.version})`}`,
    formatBytes(file.bytes) + (file.compression === "none" ? "" : `, ${file.compression}`),
    slicesText([info]),
    formatCount(counts["instants"] ?? 0, "instant"),
    ...Object.entries(info.threads_by_noun ?? { thread: counts["threads"] ?? 0 }).map(([noun, count]) => formatCount(count, noun)),
  ];
  return parts.join(" · ");
}

function WarningTable({ info }: { info: InfoAnswer }) {
  return (
    <table class="warnings">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col" class="number">
            Count
          </th>
          <th scope="col">The first</th>
          <th scope="col" class="number">
            Byte
          </th>
          <th scope="col" class="number">
            Event
          </th>
        </tr>
      </thead>
      <tbody>
        {info.warnings.map((warning) => (
          <tr key={warning.kind}>
            <td>{warning.kind}</td>
            <td class="number">{formatNumber(warning.count)}</td>
            <td class="message">{warning.first.message}</td>
            <td class="number">{numberOrNothing(warning.first.offset)}</td>
            <td class="number">{numberOrNothing(warning.first.event)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function numberOrNothing(value: number | null): string {
  return value === null ? "" : formatNumber(value);
}

function SourceEvents({ info }: { info: InfoAnswer }) {
  const kinds = Object.entries(info.source_events);
  if (kinds.length === 0) return null;
  return (
    <p class="source-events">
      <span class="muted">Events in the source: </span>
      {kinds.map(([kind, count]) => (
        <span key={kind} class="chip">
          <b>{kind}</b> {formatNumber(count)}
        </span>
      ))}
    </p>
  );
}
