/**
 * The report on reading a trace: its counts and its warnings, one line for each kind, with the position of the first
 * occurrence.
 */
import type { InfoAnswer } from "../transport/protocol.ts";
import type { OpenTrace } from "../loading.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatBytes, formatCount, formatNumber, slicesText } from "./format.ts";
import { t } from "../texts.ts";

export function Report({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  return (
    <>
      {traces.map((trace, i) => (
        <TraceReport key={i} trace={trace} onByte={(byte) => viewer.warningEvents.goTo(i, byte)} />
      ))}
      {traces.length === 0 && <p class="muted">{t("common.no-trace-is-open")}</p>}
    </>
  );
}

/** `onByte` goes to the event at a byte of the input. */
function TraceReport({ trace, onByte }: { trace: OpenTrace; onByte: (byte: number) => void }) {
  const { info } = trace;
  const { note } = useStore(trace.load.status);
  return (
    <section class="report">
      <h3>{fileNameOf(info.file.name)}</h3>
      <p class="muted">{summary(info)}</p>
      {!info.complete && (
        <p class="flag">{t("report.the-input-ended-early")}</p>
      )}
      {note !== null && <p class="flag" lang="en">{note}</p>}
      {info.warnings.length === 0 ? <p>{t("report.nothing-was-wrong-with")}</p> : <WarningTable info={info} onByte={onByte} />}
      <SourceEvents info={info} />
    </section>
  );
}

function summary(info: InfoAnswer): string {
  const { counts, file, format } = info;
  const parts = [
    `${format.name}${format.version === "" ? "" : ` (${format.version})`}`,
    formatBytes(file.bytes) + (file.compression === "none" ? "" : `, ${file.compression}`),
    ...new Set([slicesText([info]), t("count.instant", { count: counts["instants"] ?? 0 })]),
    ...Object.entries(info.threads_by_noun ?? { thread: counts["threads"] ?? 0 }).map(([noun, count]) => formatCount(count, noun)),
  ];
  return parts.join(" · ");
}

function WarningTable({ info, onByte }: { info: InfoAnswer; onByte: (byte: number) => void }) {
  return (
    <table class="warnings">
      <thead>
        <tr>
          <th scope="col">{t("report.kind")}</th>
          <th scope="col" class="number">
            {t("common.count")}
          </th>
          <th scope="col">{t("report.the-first")}</th>
          <th scope="col" class="number">
            {t("report.byte")}
          </th>
          <th scope="col" class="number">
            {t("report.event")}
          </th>
        </tr>
      </thead>
      <tbody>
        {info.warnings.map((warning) => (
          <tr key={warning.kind}>
            <td lang="en">{warning.kind}</td>
            <td class="number">{formatNumber(warning.count)}</td>
            <td class="message" lang="en">{warning.first.message}</td>
            <td class="number">
              {warning.first.offset !== null && <ByteLink byte={warning.first.offset} onByte={onByte} />}
            </td>
            <td class="number">{warning.first.event !== null && formatNumber(warning.first.event)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ByteLink({ byte, onByte }: { byte: number; onByte: (byte: number) => void }) {
  const text = formatNumber(byte);
  return (
    <button type="button" class="link" title={t("report.go-to-the-event")} aria-label={t("report.go-to-the-event-at", { byte: text })} onClick={() => onByte(byte)}>
      {text}
    </button>
  );
}

function SourceEvents({ info }: { info: InfoAnswer }) {
  const kinds = Object.entries(info.source_events);
  if (kinds.length === 0) return null;
  return (
    <p class="source-events">
      <span class="muted">{t("report.events-in-the-source")} </span>
      {kinds.map(([kind, count]) => (
        <span key={kind} class="chip">
          <b>{kind}</b> {formatNumber(count)}
        </span>
      ))}
    </p>
  );
}
