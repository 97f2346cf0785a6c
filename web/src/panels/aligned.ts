/** Numbers of a column in one unit, which its head shows, so that their decimal points are aligned. */
import { IS_TIME, timeUnit } from "../time_unit.ts";
import type { Span } from "../transport/protocol.ts";
import { formatNumber, groupFraction } from "./format.ts";

/** A duration, or a time from the begin of a trace, in ns; a size in bytes. A number can have a fraction of its unit. */
export type Amount = bigint | number;
export type Quantity = "duration" | "time" | "bytes";

/** The units of a quantity, and their digits in thousandths of the first one. */
const TIMES = [
  ["ns", 3],
  ["µs", 6],
  ["ms", 9],
  ["s", 12],
] as const;
const UNITS: Record<Quantity, readonly (readonly [string, number])[]> = {
  duration: TIMES,
  time: TIMES,
  bytes: [
    ["B", 3],
    ["kB", 6],
    ["MB", 9],
    ["GB", 12],
    ["TB", 15],
  ],
};
const MOST_DECIMALS = 3;

/** Returns an amount in thousandths. */
function inThousandths(amount: Amount): bigint {
  return typeof amount === "bigint" ? 1000n * amount : BigInt(Math.round(1000 * amount));
}

const size = (value: bigint) => (value < 0n ? -value : value);

/** Returns a duration in ns. null: it is not a time. */
export function nsOf({ ns, text }: { ns: string; text: string }): bigint | null {
  return IS_TIME.test(text) ? BigInt(ns) : null;
}

/** Returns ticks in ns, rounded to one. null: the trace has no time. */
export function nsOfTicks(ticks: bigint, time: { clock: string; ns_per_tick: readonly [number, number] } | undefined): bigint | null {
  if (time === undefined || time.clock === "calls") return null;
  const [num, den] = time.ns_per_tick.map(BigInt) as [bigint, bigint];
  return (2n * ticks * num + den) / (2n * den);
}

/** Returns the exact amount: "1 234 567 ns", "1.5 ns", "12 B". */
export function exactAmount(amount: Amount, quantity: Quantity = "duration"): string {
  const thousandths = size(inThousandths(amount));
  const fraction = String(thousandths % 1000n).padStart(3, "0").replace(/0+$/, "");
  return `${amount < 0 ? "-" : ""}${formatNumber(thousandths / 1000n)}${fraction === "" ? "" : `.${fraction}`} ${UNITS[quantity][0]?.[0] ?? ""}`;
}

/** Returns the largest unit in which the longest amount is at least 1; for durations the next smaller one if the shortest would be below a thousandth. */
function unitOf(quantity: Quantity, sizes: readonly bigint[]): readonly [string, number] {
  const units = UNITS[quantity];
  const longest = sizes.reduce((most, value) => (value > most ? value : most), 0n);
  const shortest = sizes.reduce((least, value) => (value > 0n && value < least ? value : least), longest);
  const largest = units.filter(([, exponent]) => longest >= 10n ** BigInt(exponent)).length - 1;
  const smaller = units[largest - 1];
  const unit = quantity === "duration" && smaller !== undefined && shortest < 10n ** BigInt(smaller[1]) ? smaller : units[largest];
  return unit ?? units[0] ?? ["", 0];
}

/** Returns the whole and the fraction, rounded to a number of decimals. */
function split(value: bigint, exponent: number, decimals: number): [bigint, string] {
  const drop = 10n ** BigInt(Math.max(0, exponent - decimals));
  const rounded = (size(value) + drop / 2n) / drop;
  const one = 10n ** BigInt(Math.min(exponent, decimals));
  return [rounded / one, String(rounded % one).padStart(Math.min(exponent, decimals), "0")];
}

/**
 * Returns the unit of a column, and the text of each of its amounts without it: as many decimals as one of them needs, at most three.
 * Times have all decimals, as do durations in a chosen unit.
 */
export function aligned(column: readonly Amount[], quantity: Quantity = "duration"): { unit: string; textOf: (amount: Amount) => string } {
  const chosen = quantity === "bytes" ? null : timeUnit.value;
  const [unit, exponent] = chosen === null ? unitOf(quantity, column.map((amount) => size(inThousandths(amount)))) : [chosen.name, chosen.exponent + 3];
  const limit = chosen === null && quantity !== "time" ? MOST_DECIMALS : exponent;
  const decimals = column.reduce<number>((most, amount) => Math.max(most, split(inThousandths(amount), exponent, limit)[1].replace(/0+$/, "").length), 0);
  const textOf = (amount: Amount) => {
    const [whole, fraction] = split(inThousandths(amount), exponent, limit);
    const shown = `${formatNumber(whole)}${decimals === 0 ? "" : `.${groupFraction(fraction.slice(0, decimals))}`}`;
    const isTiny = amount != 0 && whole === 0n && /^0*$/.test(fraction);
    return isTiny ? "< 0.001" : `${amount < 0 ? "-" : ""}${shown}`;
  };
  return { unit, textOf };
}

/**
 * Returns the unit of a list of lengths, their texts without it, and their tooltips. Lengths that are not times have a unit each: `textOf` writes them.
 * `quantity`: times have all decimals.
 */
export function shownSpans(spans: readonly Span[], textOf: (span: Span) => string, quantity: Quantity = "duration"): { unit: string; texts: string[]; exact: string[] } {
  const amounts = spans.map(nsOf).filter((ns) => ns !== null);
  const texts = spans.map(textOf);
  if (amounts.length < spans.length) return { unit: "", texts, exact: texts };
  const column = aligned(amounts, quantity);
  return { unit: column.unit, texts: amounts.map(column.textOf), exact: quantity === "time" ? texts : amounts.map((ns) => exactAmount(ns)) };
}
