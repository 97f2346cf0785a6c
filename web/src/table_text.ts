/** Tables as text in several formats. */
import { csvOf } from "./csv.ts";
import type { PlainId } from "./texts.ts";

export type TableFormat = "text" | "csv" | "json" | "markdown";

export const TABLE_FORMATS: readonly (readonly [TableFormat, PlainId])[] = [
  ["text", "table-text.text"],
  ["csv", "table-text.csv"],
  ["json", "table-text.json"],
  ["markdown", "table-text.markdown"],
];

type Cell = string | number | null;

/** A number as JSON has it, so that its text can be used unchanged, with all digits. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function jsonValue(cell: Cell, isNumeric: boolean): string {
  return isNumeric && typeof cell === "string" && JSON_NUMBER.test(cell) ? cell : JSON.stringify(cell);
}

/** Returns the titles as different names of members: the second "a" is "a 2". */
function memberNames(titles: readonly Cell[]): string[] {
  const names = new Set<string>();
  for (const title of titles) {
    let name = String(title ?? "");
    for (let i = 2; names.has(name); i++) name = `${String(title ?? "")} ${i}`;
    names.add(name);
  }
  return [...names];
}

function jsonOf([titles = [], ...rows]: readonly (readonly Cell[])[], numeric: readonly boolean[]): string {
  const names = memberNames(titles).map((name) => JSON.stringify(name));
  const objects = rows.map((row) => `{${names.map((name, i) => `${name}: ${jsonValue(row[i] ?? null, numeric[i] === true)}`).join(", ")}}`);
  return objects.length === 0 ? "[]\n" : `[\n  ${objects.join(",\n  ")}\n]\n`;
}

/** A cell of a table of columns separated by tabs. */
function textCell(cell: Cell): string {
  return String(cell ?? "").replace(/[\t\r\n]+/g, " ");
}

/** A cell of a Markdown table: one line, in which a bar does not end the cell. */
function markdownCell(cell: Cell): string {
  return String(cell ?? "").replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "&lt;").replace(/\s+/g, " ");
}

function markdownOf([titles = [], ...rows]: readonly (readonly Cell[])[], numeric: readonly boolean[]): string {
  const isRight = titles.map((_, i) => numeric[i] ?? (rows.length > 0 && rows.every((row) => typeof row[i] === "number" || row[i] === null)));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = line(isRight.map((is) => (is ? "---:" : "---")));
  return line(titles.map(markdownCell)) + rule + rows.map((row) => line(row.map(markdownCell))).join("");
}

/**
 * Returns a table, whose first line has the titles. Text: columns separated by tabs, as spreadsheets paste it.
 * `numeric`: the columns whose texts are numbers; others have numbers as numbers.
 */
export function tableText(lines: readonly (readonly Cell[])[], format: TableFormat, numeric: readonly boolean[] = []): string {
  switch (format) {
    case "text":
      return lines.map((line) => line.map(textCell).join("\t")).join("\n");
    case "csv":
      return csvOf(lines);
    case "json":
      return jsonOf(lines, numeric);
    case "markdown":
      return markdownOf(lines, numeric);
  }
}
