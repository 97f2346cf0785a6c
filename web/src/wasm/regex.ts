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
      try {
        const regex = RE2JS.compile(new TextDecoder().decode(bytes.subarray(start, start + size)), RE2JS.CASE_INSENSITIVE);
        compiled.set(++last, regex);
        return last;
      } catch (error) {
        const { written } = new TextEncoder().encodeInto(reasonOf(error), bytes.subarray(message >>> 0, (message >>> 0) + room));
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

/** Returns the reason of a syntax error, without the whole pattern. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace("error parsing regexp: ", "").replace(/`\(\?i\)/, "`");
}
