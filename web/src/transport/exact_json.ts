/**
 * JSON that keeps its numbers as written. A number that a double cannot represent exactly (an address, a hash, a time
 * in nanoseconds) becomes an ExactNumber with its own digits. Browsers whose JSON.parse gives no access to the source
 * of a number return the rounded double.
 */
import { inTimeUnit, IS_TIME } from "../time_unit.ts";

export class ExactNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** Lets the text of a duration follow the chosen unit; the engine writes each in the best one. */
function followUnit(value: object): object {
  const { ns, text, offset } = value as { ns?: unknown; text?: unknown; offset?: unknown };
  if (typeof ns !== "string" || typeof text !== "string" || offset !== undefined || !IS_TIME.test(text)) return value;
  return Object.defineProperty(value, "text", { enumerable: true, get: () => inTimeUnit(BigInt(ns)) ?? text });
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

const reviver: Reviver = (_key, value, context) => {
  if (typeof value === "object" && value !== null) return followUnit(value);
  if (typeof value !== "number" || context?.source === undefined) return value;
  return String(value) === context.source ? value : new ExactNumber(context.source);
};

export function parseExact(text: string): unknown {
  return JSON.parse(text, reviver);
}

/** Returns a string unchanged, and the JSON text of any other value. */
export function exactText(value: unknown): string {
  return typeof value === "string" ? value : printExact(value, "");
}

/** Returns the JSON text of a value of parseExact, with the digits of its numbers. */
export function printExact(value: unknown, indent: string, depth = ""): string {
  if (value instanceof ExactNumber) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const inner = depth + indent;
  const isArray = Array.isArray(value);
  const items = isArray
    ? value.map((item) => printExact(item, indent, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printExact(item, indent, inner)}`);
  if (items.length === 0) return isArray ? "[]" : "{}";
  const body = items.map((item) => inner + item).join(",\n");
  return isArray ? `[\n${body}\n${depth}]` : `{\n${body}\n${depth}}`;
}
