/**
 * Times as users type them: "1.25 s", "300us", "+3 ms", "1:02.5", "tick 12345", "+500 ticks". A number without a unit is
 * in seconds.
 */
import type { InfoAnswer } from "./transport/protocol.ts";

const NANOSECONDS = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["min", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
/** A whole number, perhaps in groups of three digits: a comma is not a decimal point. */
const DIGITS = "\\d+(?:[_, \u00a0\u2009\u202f]\\d{3})*";
const TIME = new RegExp(`^([+-]?)\\s*(${DIGITS}|(?=\\.\\d))(?:\\.(\\d+))?\\s*([a-z\u00b5\u03bc]*)$`, "i");
const CLOCK = /^([+-]?)\s*(?:(\d+):)?(\d+):([0-5]\d)(?:\.(\d+))?$/;
const TICK = new RegExp(`^tick\\s*(-?)\\s*(${DIGITS})$`, "i");
const TICKS = new RegExp(`^([+-]?)\\s*(${DIGITS})\\s*ticks?$`, "i");
const TIME_OF_DAY = /^(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(?:Z|UTC)$/i;
const CALL = new RegExp(`^(call|frame|f|#|)\\s*#?\\s*(${DIGITS})$`, "i");

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/** A time of a trace, in ticks from its begin, and the kind of the text. */
export interface TimeInput {
  kind: "offset" | "relative" | "tick";
  tick: bigint;
}

/** Converts a number of units of `unitNs` nanoseconds; `fraction` has the digits after the point. */
function ticksOf(whole: bigint, fraction: string, unitNs: bigint, time: InfoAnswer["time"]): bigint {
  const [num, den] = time.ns_per_tick;
  const scaled = whole * 10n ** BigInt(fraction.length) + BigInt(fraction === "" ? 0 : fraction);
  return (scaled * unitNs * BigInt(den)) / (10n ** BigInt(fraction.length) * BigInt(num));
}

/** Returns the sign and the length of a time, or null if the text is not a time. */
function parseLength(text: string, time: InfoAnswer["time"]): { sign: string; ticks: bigint } | null {
  const ticks = TICKS.exec(text);
  if (ticks !== null) return { sign: ticks[1] ?? "", ticks: BigInt(digitsOf(ticks[2] ?? "")) };
  const clock = CLOCK.exec(text);
  if (clock !== null) {
    const [, sign = "", hours = "0", minutes = "", seconds = "", fraction = ""] = clock;
    const whole = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
    return { sign, ticks: ticksOf(whole, fraction, 1_000_000_000n, time) };
  }
  const match = TIME.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = "", unit = ""] = match;
  const unitNs = NANOSECONDS.get(unit === "" ? "s" : unit.toLowerCase());
  return unitNs === undefined ? null : { sign, ticks: ticksOf(BigInt(digitsOf(whole)), fraction, unitNs, time) };
}

/**
 * Reads a time: exact, in ticks from the begin of the trace. A signed time is relative to `from`; "tick 5" is a tick of
 * the source's clock, as the details show it. Returns null if the text is not a time.
 */
export function parseTime(text: string, time: InfoAnswer["time"], from: bigint): TimeInput | null {
  const tick = TICK.exec(text.trim());
  if (tick !== null) {
    const number = BigInt(digitsOf(tick[2] ?? ""));
    return { kind: "tick", tick: (tick[1] === "-" ? -number : number) - BigInt(String(time.begin_tick)) };
  }
  const length = parseLength(text.trim(), time);
  if (length === null) return null;
  if (length.sign === "") return { kind: "offset", tick: length.ticks };
  return { kind: "relative", tick: length.sign === "+" ? from + length.ticks : from - length.ticks };
}

/** Completes a time of day without a date, "13:48:54.5Z", with the date of the trace's begin; returns other texts as they are. */
export function withDate(text: string, time: InfoAnswer["time"]): string {
  const match = TIME_OF_DAY.exec(text.trim());
  if (match === null || time.begin_utc === undefined) return text.trim();
  const [hour = "", ...others] = (match[1] ?? "").split(":");
  return `${time.begin_utc.slice(0, 10)}T${[hour.padStart(2, "0"), ...others].join(":")}Z`;
}

/**
 * Returns the request parameter for the number of a call ("12,345", "call 5", "#5") or of a frame ("frame 7", "f7");
 * null for any other text.
 */
export function parseCall(text: string): { number: string } | { frame: string } | null {
  const match = CALL.exec(text.trim());
  if (match === null) return null;
  const [, what = "", digits = ""] = match;
  const number = BigInt(digitsOf(digits)).toString();
  return what.toLowerCase().startsWith("f") ? { frame: number } : { number };
}
