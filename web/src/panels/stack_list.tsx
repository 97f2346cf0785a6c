/** A call stack, and the number of samples in its frames. */
import type { SampleCounts, Stack, StackFrame } from "../transport/protocol.ts";
import type { Viewer } from "../viewer.ts";
import { IconButton } from "./icons.tsx";
import { formatNumber } from "./format.ts";
import { t } from "../texts.ts";


/** Returns the source position, for example "file:///a.js:12:3", as far as it is known. */
export function placeOf(frame: StackFrame): string {
  const file = frame.file ?? "";
  if (frame.line === null) return file;
  const line = frame.column === null ? `${frame.line}` : `${frame.line}:${frame.column}`;
  return file === "" ? t("stack-list.line", { line }) : `${file}:${line}`;
}

function nameOfFrame(frame: StackFrame): string {
  return frame.function ?? (frame.module === null ? frame.address : null) ?? (frame.module === null ? t("stack-list.anonymous") : t("common.not-known"));
}

function textOf(stack: Stack): string {
  const more = stack.depth - stack.frames.length;
  const lines = stack.frames.map((frame) => {
    const place = placeOf(frame);
    return place === "" ? nameOfFrame(frame) : `${nameOfFrame(frame)} (${place})`;
  });
  if (more > 0) lines.push(t("common.and-more", { number: more }));
  return lines.join("\n");
}

interface StackListProps {
  viewer: Viewer;
  title: string;
  stack: Stack | null;
}

export function StackList({ viewer, title, stack }: StackListProps) {
  if (stack === null) return null;
  const more = stack.depth - stack.frames.length;
  return (
    <section>
      <h3>
        {title}
        <IconButton icon="copy" label={t("stack-list.copy-the-stack")} onClick={() => viewer.copy(textOf(stack), t("stack-list.the-stack"))} />
      </h3>
      <ol class="stack">
        {stack.frames.map((frame, i) => (
          <li key={i}>
            <span>{nameOfFrame(frame)}</span>
            {frame.module !== null && <span class="muted"> {frame.module}</span>}
            <FramePlace frame={frame} />
          </li>
        ))}
      </ol>
      {more > 0 && <p class="muted">{t("common.and-more", { number: more })}</p>}
    </section>
  );
}

/** In a line of its own, because paths and URLs are long. */
function FramePlace({ frame }: { frame: StackFrame }) {
  const place = placeOf(frame);
  if (place !== "") return <div class="muted place">{place}</div>;
  if (frame.address !== null && nameOfFrame(frame) !== frame.address) return <div class="muted place">{frame.address}</div>;
  return null;
}

interface SampleFactsProps {
  samples: SampleCounts;
  frame: StackFrame | undefined;
}

/** Rows of sample counts for the list of facts. */
export function SampleFacts({ samples, frame }: SampleFactsProps) {
  const place = frame === undefined ? "" : placeOf(frame);
  return (
    <>
      {place !== "" && (
        <>
          <dt>{t("stack-list.function-at")}</dt>
          <dd class="place">{place}</dd>
        </>
      )}
      <dt>{t("stack-list.samples-here")}</dt>
      <dd>
        {formatNumber(samples.total)}
        <span class="muted">, {t("stack-list.in-function-itself", { number: samples.self })}</span>
      </dd>
      <dt>{t("stack-list.in-all")}</dt>
      <dd>
        {formatNumber(samples.track_total)}
        <span class="muted">
          {" "}
          {t("stack-list.of-called", { calls: samples.track_count, self: samples.track_self })}
        </span>
      </dd>
    </>
  );
}
