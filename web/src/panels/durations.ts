/** Durations of a column in one unit, which its head shows, so that their decimal points are aligned. */
import { IS_TIME, timeUnit } from "../time_unit.ts";
import { formatNumber, groupFraction } from "./format.ts";

const UNITS = [
  ["ns", 0],
  ["µs", 3],
  ["ms", 6],
  ["s", 9],
] as const;
const MOST_DECIMALS = 3;

const size = (ns: bigint) => (ns < 0n ? -ns : ns);

/** Returns a duration in ns. null: it is not a time. */
export function nsOf({ ns, text }: { ns: string; text: string }): bigint | null {
  return IS_TIME.test(text) ? BigInt(ns) : null;
}

/** Returns the exact duration: "1 234 567 ns". */
export function exactNs(ns: bigint): string {
  return `${ns < 0n ? "-" : ""}${formatNumber(size(ns))} ns`;
}

/** Returns the unit of the longest duration, or the next shorter one if the shortest would be below a thousandth of it. */
function unitOf(sizes: readonly bigint[]): number {
  const longest = sizes.reduce((most, ns) => (ns > most ? ns : most), 0n);
  const shortest = sizes.reduce((least, ns) => (ns > 0n && ns < least ? ns : least), longest);
  const digits = String(longest).length;
  const unit = Math.min(UNITS.length - 1, Math.floor((digits - 1) / 3));
  return unit > 0 && shortest < 10n ** BigInt(3 * (unit - 1)) ? unit - 1 : unit;
}

/** Returns the whole and the fraction, rounded to a number of decimals. */
function split(ns: bigint, exponent: number, decimals: number): [bigint, string] {
  const drop = 10n ** BigInt(Math.max(0, exponent - decimals));
  const rounded = (size(ns) + drop / 2n) / drop;
  const one = 10n ** BigInt(Math.min(exponent, decimals));
  return [rounded / one, exponent === 0 ? "" : String(rounded % one).padStart(Math.min(exponent, decimals), "0")];
}

/** Returns the unit of a column, and the text of each of its durations without it: as many decimals as one of them needs, at most three; in a chosen unit all. */
export function alignedDurations(column: readonly bigint[]): { unit: string; textOf: (ns: bigint) => string } {
  const chosen = timeUnit.value;
  const [unit, exponent] = chosen === null ? (UNITS[unitOf(column.map(size))] ?? UNITS[0]) : [chosen.name, chosen.exponent];
  const limit = chosen === null ? MOST_DECIMALS : exponent;
  const decimals = column.reduce((most, ns) => Math.max(most, split(ns, exponent, limit)[1].replace(/0+$/, "").length), 0);
  const textOf = (ns: bigint) => {
    const [whole, fraction] = split(ns, exponent, limit);
    const shown = `${formatNumber(whole)}${decimals === 0 ? "" : `.${groupFraction(fraction.slice(0, decimals))}`}`;
    const isTiny = ns !== 0n && whole === 0n && /^0*$/.test(fraction);
    return isTiny ? "< 0.001" : `${ns < 0n ? "-" : ""}${shown}`;
  };
  return { unit, textOf };
}
