/** Numbers as text. The engine sends times as text. */
import { inTimeUnit } from "../time_unit.ts";
import type { InfoAnswer } from "../transport/protocol.ts";
import { isCountId, t } from "../texts.ts";

/** The digits of a double, less one that is a rest of its rounding. */
const EXACT_DIGITS = 15;

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`;
}

/** Returns a duration with three digits, as the engine writes it: "3.20 µs"; exact in a chosen unit. */
export function formatNs(ns: number): string {
  const written = inTimeUnit(BigInt(Math.round(ns)));
  if (written !== null) return written;
  const units = ["ns", "µs", "ms", "s"];
  let unit = 0;
  let value = ns;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  if (unit === 0) return `${value} ns`;
  return value >= 999.5 ? `${formatNumber(Math.round(value))} s` : `${value.toPrecision(3)} ${units[unit]}`;
}

/** Returns a whole number with its digits in groups of three, separated by narrow spaces as in the timeline. */
export function formatNumber(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Returns a length or time whose unit stays in the line of its number. */
export function unbroken(text: string): string {
  return text.replace(/ (?=\S+$)/, "\u00a0");
}

/** Returns the digits after a decimal point in groups of three. */
export function groupFraction(digits: string): string {
  return digits.replace(/(\d{3})(?=\d)/g, "$1\u202f");
}

/** Returns a number in plain digits, "-1234.5678", with all its digits in groups; another text as it is. */
export function groupDigits(text: string): string {
  const [, sign, whole, fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined || whole === undefined) return text;
  return `${sign}${formatNumber(BigInt(whole))}${fraction === undefined ? "" : `.${groupFraction(fraction)}`}`;
}

/** Returns "26.81 /s" or "500 000 /s": four digits, or all of a whole number. */
export function formatRate(perSecond: number): string {
  return `${perSecond >= 1000 ? formatNumber(Math.round(perSecond)) : String(Number(perSecond.toPrecision(4)))} /s`;
}

/** Returns "1 goroutine", "12 345 goroutines" for a noun of the engine. A noun that has no text is in English. */
export function formatCount(count: number, noun: string): string {
  const id = `count.${noun}`;
  return isCountId(id) ? t(id, { count }) : `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const sumOf = (infos: InfoAnswer[], key: string) => infos.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0);

/** Returns the number of slices of threads and of asynchronous slices, as all panels count them. */
export function sliceCount(infos: InfoAnswer[]): number {
  return sumOf(infos, "slices") + sumOf(infos, "async_slices");
}

/** Returns the number of slices and of states; if the trace has none, of samples, instants or counters. */
export function slicesText(infos: InfoAnswer[]): string {
  const [slices, states] = [sliceCount(infos), sumOf(infos, "states")];
  if (states > 0) return `${slices > 0 ? `${t("count.slice", { count: slices })} · ` : ""}${t("count.state", { count: states })}`;
  const others = [["count.sample", sumOf(infos, "samples")], ["count.instant", sumOf(infos, "instants")], ["count.counter", sumOf(infos, "counters")]] as const;
  const [id, count] = (slices === 0 && others.find(([, count]) => count > 0)) || (["count.slice", slices] as const);
  return t(id, { count });
}

/** Returns the parts of the number of slices; undefined if it has one part. */
export function slicesHint(infos: InfoAnswer[]): string | undefined {
  const [count, others] = [sumOf(infos, "async_slices"), sumOf(infos, "slices")];
  return count === 0 || others === 0 ? undefined : t("format.slices-of-threads-and", { others: formatNumber(others), count });
}

export function nameOf(name: string | null): string {
  return name === null || name === "" ? t("common.no-name") : name;
}

/** Returns the displayed name of a file; standard input has the name "-". */
export function fileNameOf(name: string): string {
  return name === "-" ? t("format.standard-input") : name;
}

/** Makes a sentence of a message of the engine, which begins in lower case. An address stays as it is. */
export function sentence(text: string): string {
  const first = /^\w+:\/\//.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(first) ? first : `${first}.`;
}

/** Returns a number with this many decimals, its digits in groups. */
function fixedText(value: number, decimals: number): string {
  const [whole = "", fraction = ""] = value.toFixed(decimals).split(".");
  return `${formatNumber(BigInt(whole))}.${fraction}`;
}

/** Returns percents in a column, with the same decimals in all rows: "12.50 %", "8 024.70 %". */
export function percentText(percent: number, decimals: number): string {
  return `${fixedText(percent, decimals)} %`;
}

/** Returns all digits of a part in percent. */
export function exactPercent(percent: number): string {
  return `${String(Number(percent.toPrecision(EXACT_DIGITS)))} %`;
}

/** Returns a part of the whole in a column. */
export function shareText(share: number): string {
  return percentText(100 * share, 2);
}

/** Returns a part of the whole for a tooltip. */
export function exactShare(share: number): string {
  return exactPercent(100 * share);
}

/** Returns the function that writes the shares of a column: parts of a time as "35.81 %"; if one is more than the whole, all as multiples: "3.581 ×". */
export function timeShareTexts(shares: readonly number[]): (share: number) => string {
  return shares.some((share) => share > 1) ? (share) => `${fixedText(share, 3)} ×` : shareText;
}

/** Returns the same for a tooltip: a multiple is the average number of slices that are open at once. */
export function exactTimeShare(share: number): string {
  return share > 1 ? t("area.open-at-once", { slices: String(Number(share.toPrecision(EXACT_DIGITS))) }) : exactShare(share);
}
