/** The unit of times in the panels, for the durations that the engine sends as text. The view has the same option (ViewOption). */
import { ViewOption } from "generated/border.ts";
import { formatNumber, groupFraction } from "./panels/format.ts";
import { Store } from "./store.ts";

export type TimeUnit = "automatic" | "s" | "ms" | "us" | "ns";
export const TIME_UNITS: readonly TimeUnit[] = ["automatic", "s", "ms", "us", "ns"];
const OPTIONS: Record<TimeUnit, number> = { automatic: 0, s: ViewOption.InS, ms: ViewOption.InMs, us: ViewOption.InUs, ns: ViewOption.InNs };
/** The durations that the engine writes as time; others are counts of ticks or calls, or below a nanosecond. */
export const IS_TIME = /(^|[\s\u202f])[\d.\u202f]+ (ns|µs|ms|s)$/;
/** Digits of a unit in ns. */
const EXPONENTS: Record<Exclude<TimeUnit, "automatic">, number> = { s: 9, ms: 6, us: 3, ns: 0 };

/** The chosen unit and the number of digits of a nanosecond behind its decimal point; null: the best unit for each time. */
export const timeUnit = new Store<{ name: string; exponent: number } | null>(null);

export function unitOf(options: number): TimeUnit {
  return TIME_UNITS.find((unit) => OPTIONS[unit] === (options & ViewOption.Unit)) ?? "automatic";
}

/** Returns the options with another unit. */
export function withUnit(options: number, unit: TimeUnit): number {
  return (options & ~ViewOption.Unit) | OPTIONS[unit];
}

export function unitName(unit: Exclude<TimeUnit, "automatic">): string {
  return unit === "us" ? "µs" : unit;
}

export function setTimeUnit(unit: TimeUnit): void {
  timeUnit.set(unit === "automatic" ? null : { name: unitName(unit), exponent: EXPONENTS[unit] });
}

/** Returns the exact duration in the chosen unit; null: none is chosen. */
export function inTimeUnit(ns: bigint): string | null {
  const unit = timeUnit.value;
  if (unit === null) return null;
  const size = ns < 0n ? -ns : ns;
  const one = 10n ** BigInt(unit.exponent);
  const fraction = unit.exponent === 0 ? "" : String(size % one).padStart(unit.exponent, "0").replace(/0+$/, "");
  return `${ns < 0n ? "-" : ""}${formatNumber(size / one)}${fraction === "" ? "" : `.${groupFraction(fraction)}`} ${unit.name}`;
}
