/** Times as users type them: "1.25 s", "300us", "+3 ms". A number without a unit is in seconds. */
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
const DIGITS = "\\d[\\d_, \u00a0\u2009\u202f]*";
const TIME = new RegExp(`^([+-]?)\\s*(${DIGITS})(?:\\.(\\d+))?\\s*([a-z\u00b5\u03bc]*)$`, "i");
const CALL = new RegExp(`^(call|frame|f|#|)\\s*#?\\s*(${DIGITS})$`, "i");

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/** Returns the exact offset in ticks, or null if the text is not a time. A signed time is relative to `from`. */
export function parseTime(text: string, time: InfoAnswer["time"], from: bigint): bigint | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = "", unit = ""] = match;
  const unitNs = NANOSECONDS.get(unit === "" ? "s" : unit.toLowerCase());
  if (unitNs === undefined) return null;
  const [num, den] = time.ns_per_tick;
  const ticks = (BigInt(digitsOf(whole) + fraction) * unitNs * BigInt(den)) / (10n ** BigInt(fraction.length) * BigInt(num));
  if (sign === "") return ticks;
  return sign === "+" ? from + ticks : from - ticks;
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
