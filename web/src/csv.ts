/** Comma-separated values. */

function field(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns lines as CSV (RFC 4180): null is an empty field, "" an empty text in quotes. */
export function csvOf(lines: readonly (readonly (string | number | null)[])[]): string {
  return lines.map((line) => `${line.map(field).join(",")}\r\n`).join("");
}
