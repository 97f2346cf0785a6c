/** The worker of the element `varve-timeline`, which has no search with regular expressions: their library is as large as the rest. */
import { serve } from "./serving.ts";

const REFUSED = 0;

serve((memory) => ({
  regex_compile(_pattern: number, _size: number, message: number, room: number, messageSize: number): number {
    const bytes = memory();
    const { written } = new TextEncoder().encodeInto("regular expressions are not available here", bytes.subarray(message >>> 0, (message >>> 0) + room));
    new DataView(bytes.buffer).setUint32(messageSize >>> 0, written, true);
    return REFUSED;
  },
  regex_release: () => undefined,
  regex_find: () => REFUSED,
}));
