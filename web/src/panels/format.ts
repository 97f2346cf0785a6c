/** Numbers for people. Times come from the engine as text already. */
import type { InfoAnswer } from "../carrier/protocol.ts";

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

/** Three digits, as the engine writes lengths: "3.20 µs". */
export function formatNs(ns: number): string {
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

/** A whole number, its digits in groups of three set apart by narrow spaces, as in the timeline. */
export function formatNumber(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** "1 slice", "12 345 slices" */
export function formatCount(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** How much there is to see: slices of threads and asynchronous ones; samples where there are no slices. */
export function slicesText(infos: InfoAnswer[]): string {
  const sum = (key: string) => infos.reduce((all, info) => all + (info.counts[key] ?? 0), 0);
  const slices = sum("slices") + sum("async_slices");
  return slices === 0 && sum("samples") > 0 ? formatCount(sum("samples"), "sample") : formatCount(slices, "slice");
}

export function nameOf(name: string | null): string {
  return name === null || name === "" ? "(no name)" : name;
}

/** A file's name as it is shown: standard input is known as "-". */
export function fileNameOf(name: string): string {
  return name === "-" ? "standard input" : name;
}

/** The engine's one-line messages begin in lower case. */
export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(first) ? first : `${first}.`;
}
