/** All details of the selected slice or instant. */
import type { ComponentChildren } from "preact";
import { exactText, printExact } from "../transport/exact_json.ts";
import type { Around, FlowEnd, Flows, InstantAnswer, Reference, SliceAnswer, Span, Stack, Time } from "../transport/protocol.ts";
import { useStore } from "../store.ts";
import { saveBlob } from "../saving.ts";
import type { Viewer } from "../viewer.ts";
import { timeUnit } from "../time_unit.ts";
import { shownSpans } from "./aligned.ts";
import { ArgsTree, type Notes } from "./args_tree.tsx";
import { nameOf, unbroken } from "./format.ts";
import { IconButton } from "./icons.tsx";
import { Keys } from "./keys.tsx";
import { Contexts, DumpParts, ObjectDetails } from "./object_details.tsx";
import { OwnerDetails } from "./owner_details.tsx";
import { SampleDetails } from "./sample_details.tsx";
import { SliceEnds } from "./slice_ends.tsx";
import { SampleFacts, StackList } from "./stack_list.tsx";
import { NoSelection } from "./welcome.tsx";
import { rich, t, type PlainId } from "../texts.ts";

export function DetailsPanel({ viewer }: { viewer: Viewer }) {
  const details = useStore(viewer.details);
  switch (details.kind) {
    case "none":
      return <NoSelection viewer={viewer} />;
    case "error":
      return (
        <p class="error" role="alert">
          {details.message}
        </p>
      );
    case "slice":
      return <SliceDetails viewer={viewer} trace={details.trace} slice={details.slice} />;
    case "instant":
      return <InstantDetails viewer={viewer} trace={details.trace} instant={details.instant} />;
    case "sample":
      return <SampleDetails viewer={viewer} trace={details.trace} sample={details.sample} />;
    case "owner":
      return <OwnerDetails owner={details.owner} />;
  }
}

const FLAGS: Record<string, PlainId> = {
  unfinished: "details.never-ended-drawn-to",
  "no-end": "details.has-no-end-of",
  repaired: "details.its-times-were-impossible",
};

function SliceDetails({ viewer, trace, slice }: { viewer: Viewer; trace: number; slice: SliceAnswer }) {
  /** The clock counts calls: the trace has an order but no times. */
  const isOrder = viewer.loading.traces.value[trace]?.info.time.clock === "calls";
  const exact = (span: Span) => viewer.view.lengthText(trace, span.ticks);
  return (
    <article class="details" id="details">
      <Head viewer={viewer} name={slice.name} json={slice}>
        {slice.flags.map((flag) => (
          <p key={flag} class="flag">
            {FLAGS[flag] === undefined ? flag : t(FLAGS[flag])}
          </p>
        ))}
      </Head>
      <section>
        <dl class="facts-list">
          <Fact name={isOrder ? t("common.length") : t("common.duration")}>{exact(slice.duration)}</Fact>
          <Fact name={isOrder ? t("common.self") : t("common.self-time")}>
            {exact(slice.self)}
            {slice.children > 0 && <span class="muted"> {t("details.without-children", { count: slice.children })}</span>}
          </Fact>
          <Fact name={t("common.cpu-time")}>
            {slice.cpu?.text}
            {slice.cpu !== null && <span class="muted"> {shareOf(slice.cpu.ns, slice.duration.ns)}</span>}
          </Fact>
          <Fact name={t("details.cpu-self-time")}>{slice.children > 0 ? slice.cpu_self?.text : null}</Fact>
          <Fact name={t("common.begins")}>
            <Moment viewer={viewer} trace={trace} time={slice.begin} />
          </Fact>
          <Fact name={t("details.ends")}>
            <Moment viewer={viewer} trace={trace} time={slice.end} />
          </Fact>
          {slice.samples !== null && <SampleFacts samples={slice.samples} frame={slice.stack?.frames[0]} />}
          <Fact name={t("common.category")}>{slice.category}</Fact>
          <Fact name={t("details.during")}>{slice.during !== undefined && <SliceLink viewer={viewer} trace={trace} slice={slice.during} />}</Fact>
          <Fact name={slice.thread.is_thread ? t("common.thread") : t("details.track")}>{slice.thread.title}</Fact>
          <Fact name={t("common.process")}>{slice.process?.title}</Fact>
          <Fact name={t("details.depth")}>
            {slice.depth}
            {slice.lane > 0 && <span class="muted"> {t("details.lane", { lane: slice.lane })}</span>}
          </Fact>
          <TraceName viewer={viewer} trace={trace} />
        </dl>
      </section>
      <ObjectDetails viewer={viewer} trace={trace} object={slice.object} />
      {slice.has_ends && <SliceEnds key={slice.place.slice} viewer={viewer} trace={trace} slice={slice} />}
      {slice.samples === null && !slice.has_ends && (
        <Extra viewer={viewer} trace={trace} slice={slice} args={slice.args} refs={slice.refs} other={slice.other} error={slice.details_error} />
      )}
      <Contexts viewer={viewer} trace={trace} contexts={slice.contexts} />
      <StackList viewer={viewer} title={slice.end_stack === null ? t("details.stack") : t("common.stack-at-its-begin")} stack={slice.stack} />
      <StackList viewer={viewer} title={t("common.stack-at-its-end")} stack={slice.end_stack} />
      {slice.ended_by !== undefined && <FlowList viewer={viewer} trace={trace} title={t("details.ended-by")} command="flow-previous" flows={slice.ended_by} />}
      <FlowList viewer={viewer} trace={trace} title={t("details.flows-in")} command="flow-previous" flows={slice.flows_in} />
      <FlowList viewer={viewer} trace={trace} title={t("details.flows-out")} command="flow-next" flows={slice.flows_out} />
      {slice.samples === null && <Parents viewer={viewer} trace={trace} slice={slice} title={isOrder ? t("details.inside") : t("details.called-by")} />}
    </article>
  );
}

const SCOPES: Record<string, PlainId> = { global: "details.instant-of-trace", process: "details.instant-of-process", thread: "details.instant-of-thread" };

function instantKind(instant: InstantAnswer): string {
  if (instant.object !== null) return t("details.snapshot-of-an-object");
  if (instant.dump !== null) return t("details.memory-dump");
  return SCOPES[instant.scope] === undefined ? instant.scope : t(SCOPES[instant.scope] ?? "details.instant-of-thread");
}

function InstantDetails({ viewer, trace, instant }: { viewer: Viewer; trace: number; instant: InstantAnswer }) {
  return (
    <article class="details" id="details">
      <Head viewer={viewer} name={instant.name} json={instant}>
        <p class="muted">{instantKind(instant)}</p>
      </Head>
      <section>
        <dl class="facts-list">
          <Fact name={t("common.time")}>
            <Moment viewer={viewer} trace={trace} time={instant.time} />
          </Fact>
          <Fact name={t("common.category")}>{instant.category}</Fact>
          <Fact name={t("common.thread")}>{instant.thread?.title}</Fact>
          <Fact name={t("common.process")}>{instant.process?.title}</Fact>
          <TraceName viewer={viewer} trace={trace} />
        </dl>
      </section>
      <ObjectDetails viewer={viewer} trace={trace} object={instant.object} />
      <Extra viewer={viewer} trace={trace} args={instant.args} refs={instant.refs} other={instant.other} error={instant.details_error} />
      <DumpParts viewer={viewer} trace={trace} instant={instant} />
      <StackList viewer={viewer} title={t("details.stack")} stack={instant.stack} />
    </article>
  );
}

interface HeadProps {
  viewer: Viewer;
  name: string | null;
  json: unknown;
  children: ComponentChildren;
}

export function Head({ viewer, name, json, children }: HeadProps) {
  return (
    <div class="details-head">
      <h2>{nameOf(name)}</h2>
      <IconButton icon="copy" label={t("details.copy-the-name")} onClick={() => viewer.copy(name ?? "", t("details.the-name"))} />
      <button type="button" class="link" onClick={() => viewer.copy(printExact(json, "  "), t("details.everything-about-it"))}>
        {t("details.copy-as-json")}
      </button>
      {children}
    </div>
  );
}

/** Returns the part of the slice's duration during which the thread was running. */
function shareOf(cpu: string, wall: string): string {
  if (BigInt(wall) === 0n) return "";
  return t("details.of-it", { share: (Number((BigInt(cpu) * 10000n) / BigInt(wall)) / 100).toLocaleString("en", { maximumFractionDigits: 1 }) });
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  const parts = Array.isArray(children) ? children : [children];
  if (parts.every((part) => part === null || part === undefined || part === false || part === "")) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

export function TraceName({ viewer, trace }: { viewer: Viewer; trace: number }) {
  const traces = viewer.loading.traces.value;
  return traces.length > 1 ? <Fact name={t("common.trace")}>{traces[trace]?.info.file.name}</Fact> : null;
}

/**
 * A time with all digits, as in the tooltip, and the value in the input; in a graphics capture the call and its frame.
 */
export function Moment({ viewer, trace, time }: { viewer: Viewer; trace: number; time: Time }) {
  const isOrder = viewer.loading.traces.value[trace]?.info.time.clock === "calls";
  return (
    <>
      {isOrder ? time.text : viewer.view.timeText(trace, time.offset)} <span class="muted">{t("details.tick", { tick: time.tick })}</span>
      {time.utc !== null && <div class="muted">{time.utc}</div>}
    </>
  );
}

/** Returns the frames of a backtrace among the raw fields, innermost first. */
function backtraceOf(other: Record<string, unknown> | null): Stack | null {
  const list = other?.["backtrace"];
  if (!Array.isArray(list)) return null;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const frames = (list as Record<string, unknown>[]).map((frame) => ({
    function: text(frame["function"]),
    file: text(frame["file"]),
    line: typeof frame["line"] === "number" && frame["line"] > 0 ? frame["line"] : null,
    column: null,
    module: text(frame["module"]),
    address: frame["offset"] === undefined ? null : `+0x${BigInt(exactText(frame["offset"])).toString(16)}`,
  }));
  return { depth: frames.length, frames };
}

/** The fields with notes on arguments, by path, for each format. */
const NOTE_FIELDS: Record<string, string[]> = { apitrace: ["numbers", "structs"], heph: ["types"] };

function notesOf(fields: string[], other: Record<string, unknown> | null): Notes {
  const notes = new Map<string, string>();
  for (const field of fields) {
    const list = other?.[field];
    if (typeof list !== "object" || list === null) continue;
    for (const [path, note] of Object.entries(list)) notes.set(path, String(note));
  }
  return notes;
}

interface ExtraProps {
  viewer: Viewer;
  trace: number;
  /** The slice of these arguments, for requests of their binary data. */
  slice?: SliceAnswer;
  args: unknown;
  refs: Reference[];
  other: Record<string, unknown> | null;
  error: string | null;
}

function Extra({ viewer, trace, slice, args, refs, other, error }: ExtraProps) {
  const backtrace = backtraceOf(other);
  const noteFields = NOTE_FIELDS[viewer.loading.traces.value[trace]?.info.format.name ?? ""] ?? [];
  const notes = notesOf(noteFields, other);
  const isElsewhere = (key: string) => noteFields.includes(key) || (key === "backtrace" && backtrace !== null);
  const rest = Object.fromEntries(Object.entries(other ?? {}).filter(([key]) => !isElsewhere(key)));
  const hasOther = Object.keys(rest).length > 0;
  // A short list of words is easier to read in one line.
  if (Array.isArray(rest["flags"])) rest["flags"] = rest["flags"].join(", ");
  const onSave = (number: number, key: string) => {
    if (slice === undefined) return;
    const call = other?.["call"];
    const name = [call === undefined ? String(slice.place.slice) : `call${exactText(call)}`, slice.name ?? "", key];
    void saveBlob(viewer, trace, slice.place.slice, number, `${name.join("-").replace(/[^\w.-]+/g, "_")}.bin`);
  };
  const hasArgs = args !== null && args !== undefined;
  return (
    <section>
      {hasArgs && (
        <>
          <h3>
            {t("details.arguments")}
            <IconButton icon="copy" label={t("details.copy-the-arguments")} onClick={() => viewer.copy(printExact(args, "  "), t("details.the-arguments"))} />
          </h3>
          <ArgsTree
            value={args}
            refs={refs}
            notes={notes}
            onJump={(mark) => viewer.selection.selectInstant({ ...mark, trace })}
            {...(slice === undefined ? {} : { onSave })}
          />
        </>
      )}
      {hasOther && (
        <>
          <h3>{t("details.other-fields")}</h3>
          <ArgsTree value={rest} />
        </>
      )}
      <StackList viewer={viewer} title={t("details.backtrace")} stack={backtrace} />
      {!hasArgs && !hasOther && backtrace === null && error === null && <p class="muted">{t("details.no-arguments")}</p>}
      {error !== null && (
        <p class="error">
          {rich("details.unread-arguments", { error: <span lang="en">{error}</span> })}
        </p>
      )}
    </section>
  );
}

interface FlowListProps {
  viewer: Viewer;
  trace: number;
  title: string;
  /** That goes to the first one. */
  command: string;
  flows: Flows;
}

/** Orders as the keys move: by the begin of the slice; ends that are not slices are last. */
function inOrderOfSteps(a: FlowEnd, b: FlowEnd): number {
  if (a.place === null || b.place === null) return Number(a.place === null) - Number(b.place === null);
  const between = BigInt(a.place.begin) - BigInt(b.place.begin);
  return between === 0n ? a.place.slice - b.place.slice : between < 0n ? -1 : 1;
}

/** The arrows from or to the slice, each with a link to its other end. */
function FlowList({ viewer, trace, title, command, flows }: FlowListProps) {
  if (flows.count === 0) return null;
  const inOrder = [...flows.flows].sort(inOrderOfSteps);
  const more = flows.count - flows.flows.length;
  return (
    <section>
      <h3>
        {title} <span class="muted">{t("details.first-with", { number: flows.count })}</span> <Keys keys={viewer.keys.of(command)} />
      </h3>
      <ol class="parents">
        {inOrder.map((flow, i) => {
          const place = flow.place;
          const length = unbroken(viewer.view.lengthText(trace, flow.duration.ticks));
          return (
            <li key={i}>
              {place === null ? (
                <span>{flow.thread.title}</span>
              ) : (
                <button type="button" class="link" title={flow.thread.title} onClick={() => viewer.selection.select({ ...place, trace })}>
                  {nameOf(flow.slice_name)}
                </button>
              )}
              <span class="muted">
                {place !== null && `${flow.thread.title}, `}
                {flow.name !== null && `${flow.name}, `}
                {flow.backwards ? t("details.backwards", { length }) : length}
              </span>
            </li>
          );
        })}
      </ol>
      {more > 0 && <p class="muted">{t("common.and-more", { number: more })}</p>}
    </section>
  );
}

function SliceLink({ viewer, trace, slice }: { viewer: Viewer; trace: number; slice: Around }) {
  return (
    <button type="button" class="link" onClick={() => viewer.selection.select({ ...slice.place, trace })}>
      {nameOf(slice.name)}
    </button>
  );
}

interface ParentsProps {
  viewer: Viewer;
  trace: number;
  slice: SliceAnswer;
  title: string;
}

function Parents({ viewer, trace, slice, title }: ParentsProps) {
  useStore(timeUnit);
  if (slice.parents.length === 0) return null;
  const { unit, texts, exact } = shownSpans(slice.parents.map(({ duration }) => duration), ({ ticks }) => unbroken(viewer.view.lengthText(trace, ticks)), "time");
  return (
    <section>
      <h3 class="with-unit">
        {title} <span class="muted">{unit}</span>
      </h3>
      <ol class="parents">
        {slice.parents.map((parent, i) => (
          <li key={parent.place.slice}>
            <SliceLink viewer={viewer} trace={trace} slice={parent} />
            <span class="muted number" title={exact[i]}>
              {texts[i]}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
