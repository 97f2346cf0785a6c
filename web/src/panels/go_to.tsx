/** Brings a time to the middle of the timeline; in a graphics capture, selects a call or a frame. */
import { useState } from "preact/hooks";
import type { InfoAnswer } from "../transport/protocol.ts";
import { useStore } from "../store.ts";
import { parseCall, parseTime, withDate, type TimeInput } from "../time_input.ts";
import type { Viewer } from "../viewer.ts";
import { formatNumber } from "./format.ts";
import { t, type PlainId } from "../texts.ts";

/** The interpretation of the text: a time, or the problem with the text. */
type Meaning = { tick: bigint; says: string } | { problem: string };

const KINDS: Record<Exclude<TimeInput["kind"], "relative"> | "day", PlainId> = {
  offset: "common.time",
  tick: "go-to.tick-of-the-sources",
  day: "go-to.time-of-day",
};

function meaningOf(viewer: Viewer, text: string, time: InfoAnswer["time"]): Meaning {
  const { view } = viewer;
  const { begin, end } = view.range(0);
  const day = view.timeOfDay(0, withDate(text, time));
  if (day === "unknown") return { problem: t("go-to.the-trace-has-no") };
  const found = day === null ? parseTime(text, time, (begin + end) / 2n) : { kind: "day" as const, tick: day };
  if (found === null) return { problem: t("go-to.that-is-not-a") };
  const { kind, tick } = found;
  const span = view.span(0);
  if (tick < 0n) return { problem: t("go-to.that-is-before-the", { length: view.lengthText(0, -tick) }) };
  if (tick > span) return { problem: t("go-to.that-is-after-the", { time: view.timeText(0, span) }) };
  const place = view.timeText(0, tick);
  return { tick, says: kind === "relative" ? t("go-to.distance-from-the-middle", { time: place }) : t("go-to.from-the-begin-of", { kind: t(KINDS[kind]), time: place }) };
}

export function GoTo({ viewer }: { viewer: Viewer }) {
  const info = useStore(viewer.loading.traces)[0]?.info;
  if (info === undefined) return <p class="muted">{t("common.no-trace-is-open")}</p>;
  return info.time.clock === "calls" ? <GoToCall viewer={viewer} /> : <GoToTime viewer={viewer} time={info.time} />;
}

function GoToCall({ viewer }: { viewer: Viewer }) {
  const [problem, setProblem] = useState("");
  const [text, setText] = useState("");
  const wanted = parseCall(text);
  const onType = (typed: string) => {
    setText(typed);
    setProblem("");
  };
  const go = async () => {
    const wrong = wanted === null ? t("go-to.not-a-call-number") : await viewer.selection.goToCall(wanted, 0, (place) => viewer.selection.select(place));
    if (wrong !== null) return setProblem(wrong);
    viewer.dialog.set(null);
  };
  return (
    <Ask
      label={t("go-to.number-of-a-call")}
      placeholder={t("go-to.12345-or-frame-7")}
      text={text}
      says={wanted === null ? "" : "frame" in wanted ? t("go-to.frame", { frame: formatNumber(BigInt(wanted.frame)) }) : t("go-to.call", { number: formatNumber(BigInt(wanted.number)) })}
      problem={problem}
      onType={onType}
      onGo={() => void go()}
    />
  );
}

function GoToTime({ viewer, time }: { viewer: Viewer; time: InfoAnswer["time"] }) {
  const [text, setText] = useState("");
  const meaning = text.trim() === "" ? { tick: 0n, says: "" } : meaningOf(viewer, text, time);
  const go = () => {
    if (text.trim() === "" || "problem" in meaning) return;
    viewer.dialog.set(null);
    viewer.goTo(meaning.tick);
  };
  return (
    <Ask
      label={t("go-to.time-from-the-begin")}
      placeholder="1.25 s"
      text={text}
      says={"says" in meaning ? meaning.says : ""}
      problem={"problem" in meaning ? meaning.problem : ""}
      onType={setText}
      onGo={go}
    />
  );
}

interface AskProps {
  label: string;
  placeholder: string;
  text: string;
  /** The interpretation of the text. */
  says: string;
  problem: string;
  onType: (text: string) => void;
  onGo: () => void;
}

function Ask({ label, placeholder, text, says, problem, onType, onGo }: AskProps) {
  const onSubmit = (event: Event) => {
    event.preventDefault();
    onGo();
  };
  return (
    <form class="ask" onSubmit={onSubmit}>
      <label for="go-to-time">{label}</label>
      <input
        id="go-to-time"
        type="text"
        placeholder={placeholder}
        autocomplete="off"
        autofocus
        value={text}
        aria-describedby="go-to-meaning go-to-error"
        onInput={(event) => onType(event.currentTarget.value)}
      />
      <p id="go-to-meaning" class="muted" role="status">
        {says}
      </p>
      <p id="go-to-error" class="error" role="alert">
        {problem}
      </p>
      <div class="card-row">
        <button type="submit" class="button button-primary">
          {t("go-to.go")}
        </button>
      </div>
    </form>
  );
}
