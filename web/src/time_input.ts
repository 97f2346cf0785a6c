/** Times as people type them: "1.25 s", "300us", "+3 ms"; a bare number counts ticks where there is no time, else ns. */
import type { InfoAnswer } from "./carrier/protocol.ts";

const NANOSECONDS: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  min: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** A tick offset, exact; null when the text is no time. `from`: what signed times count from. */
export function parseTime(text: string, time: InfoAnswer["time"], from: bigint): bigint | null {
  const match = /^([+-]?)\s*(\d[\d_, ]*)(?:\.(\d+))?\s*([a-z\u00b5\u03bc]*)$/i.exec(text.trim());
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = "", unit = ""] = match;
  const digits = BigInt(whole.replace(/[_, ]/g, "") + fraction);
  const scale = 10n ** BigInt(fraction.length);
  let ticks: bigint;
  if (time.clock !== "ns" && unit === "") {
    ticks = digits / scale;
  } else {
    const unitNs = NANOSECONDS[unit === "" ? "ns" : unit.toLowerCase()];
    if (unitNs === undefined) return null;
    const [num, den] = time.ns_per_tick;
    ticks = (digits * unitNs * BigInt(den)) / (scale * BigInt(num));
  }
  if (sign === "") return ticks;
  return sign === "+" ? from + ticks : from - ticks;
}

/** A call's number ("12,345", "call 5", "#5") or a frame's ("frame 7", "f7") as the engine asks for it; null for anything else. */
export function parseCall(text: string): { number: string } | { frame: string } | null {
  const match = /^(call|frame|f|#|)\s*#?\s*(\d[\d_, ]*)$/i.exec(text.trim());
  if (match === null) return null;
  const [, what = "", digits = ""] = match;
  const number = BigInt(digits.replace(/[_, ]/g, "")).toString();
  return what.toLowerCase().startsWith("f") ? { frame: number } : { number };
}
