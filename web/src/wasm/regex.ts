/**
 * Regular expressions for engine.wasm: RE2 in JavaScript, whose time is proportional to the length of the text. The C side is
 * src/analysis/regex_js.c.
 */
import { RE2JS } from "re2js";

/** RegexResult of src/analysis/regex.h. */
enum RegexResult {
  FindsNothing,
  Finds,
  GaveUp,
}

/** The limit on the work for one text: instructions of the compiled expression times bytes of the text. */
const MOST_STEPS = 5e7;

/** The bytes of the module's memory. */
type Bytes = () => Uint8Array;

function putNumber(bytes: Uint8Array, at: number, value: number): void {
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, value, true);
}

/** Returns the functions that the module imports. `memory` is called in each of them, because the memory may grow. */
export function regexImports(memory: Bytes): WebAssembly.ModuleImports {
  const compiled = new Map<number, RE2JS>();
  let last = 0;
  return {
    regex_compile(pattern: number, size: number, message: number, room: number, messageSize: number): number {
      const bytes = memory();
      const start = pattern >>> 0;
      const text = new TextDecoder().decode(bytes.subarray(start, start + size));
      try {
        const regex = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
        compiled.set(++last, regex);
        return last;
      } catch (error) {
        const { written } = new TextEncoder().encodeInto(reasonOf(error, text), bytes.subarray(message >>> 0, (message >>> 0) + room));
        putNumber(bytes, messageSize >>> 0, written);
        return 0;
      }
    },
    regex_release(number: number): void {
      compiled.delete(number);
    },
    regex_find(number: number, text: number, size: number, place: number): RegexResult {
      const regex = compiled.get(number) as RE2JS;
      const bytes = memory();
      const input = bytes.subarray(text >>> 0, (text >>> 0) + size);
      if (regex.programSize() * input.length > MOST_STEPS) return RegexResult.GaveUp;
      if (place === 0) return regex.test(input) ? RegexResult.Finds : RegexResult.FindsNothing;
      const matcher = regex.matcher(input);
      if (!matcher.find()) return RegexResult.FindsNothing;
      putNumber(bytes, place >>> 0, matcher.start());
      putNumber(bytes, (place >>> 0) + 4, matcher.end());
      return RegexResult.Finds;
    },
  };
}

/** Errors of RE2 in plain words. */
const REASONS: Record<string, string> = {
  "missing closing )": "a closing parenthesis is missing",
  "missing closing ]": "a closing bracket is missing",
  "unexpected )": "a closing parenthesis has no opening one",
  "missing argument to repetition operator": "nothing to repeat",
  "invalid nested repetition operator": "a repetition is repeated",
  "invalid repeat count": "a repetition has at most 1000 times",
  "invalid escape sequence": "unknown escape",
  "invalid character class range": "unknown class or range of characters",
  "invalid or unsupported Perl syntax": "this syntax is not supported in the browser",
  "trailing backslash at end of expression": "nothing follows the backslash at the end",
};

/** Returns the place of a syntax error in bytes if it is known, as PCRE2 counts them, the reason, and the part of the pattern that is wrong: ", byte 3: nothing to repeat: *". */
function reasonOf(error: unknown, pattern: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const [, reason = text, part = ""] = /^error parsing regexp: (.*?)(?:: `(?:\(\?i\))?(.*)`)?$/s.exec(text) ?? [];
  const found = pattern.indexOf(part);
  const isMissing = reason.startsWith("missing closing");
  const place = new TextEncoder().encode(isMissing ? pattern : pattern.slice(0, Math.max(0, found))).length;
  const isWhole = part === "" || part === pattern;
  return `${isWhole && !isMissing ? "" : `, byte ${place}`}: ${REASONS[reason] ?? reason}${isWhole || isMissing ? "" : `: ${part}`}`;
}
