/** A file at an address, of which a worker reads ranges: each with one synchronous request, because the engine waits for the bytes. */
import { UNREACHABLE } from "./download.ts";

/** An answer as the engine checks it (src/format/ranges.h): the status and three headers, a line each. */
export interface RangeAnswer {
  head: string;
  bytes: Uint8Array;
}

/** The begin of a file, by which the engine recognises it: RANGE_PROBE_BYTES of src/format/ranges.h. */
const PROBE_BYTES = 64;
const PARTIAL = 206;

function headOf(status: number, header: (name: string) => string | null): string {
  return [String(status), ...["Content-Range", "ETag", "Last-Modified"].map((name) => header(name) ?? "")].join("\n");
}

function rangeOf(offset: number, size: number): { Range: string } {
  return { Range: `bytes=${offset}-${offset + size - 1}` };
}

/** Returns the size of the file: a server may hide the Content-Range from other sites, but not the length of a whole file. */
async function sizeOf(url: string, contentRange: string | null): Promise<number> {
  const total = Number(/\/(\d+)$/.exec(contentRange ?? "")?.[1] ?? 0);
  if (total > 0) return total;
  const whole = await fetch(url, { method: "HEAD" });
  return whole.ok ? Number(whole.headers.get("content-length") ?? 0) : 0;
}

export class Ranges {
  private constructor(
    private url: string,
    /** 0 = unknown */
    readonly size: number,
    private probe: RangeAnswer | null,
  ) {}

  /** Requests the begin of the file. Of an answer that is not a range nothing more is received. */
  static async open(url: string): Promise<Ranges> {
    const stop = new AbortController();
    let response: Response;
    try {
      response = await fetch(url, { headers: rangeOf(0, PROBE_BYTES), signal: stop.signal, cache: "no-store" });
    } catch {
      throw new Error(UNREACHABLE(url));
    }
    const isRange = response.status === PARTIAL;
    const bytes = new Uint8Array(isRange ? await response.arrayBuffer() : new ArrayBuffer(0));
    const contentRange = response.headers.get("content-range");
    const size = isRange ? await sizeOf(url, contentRange) : Number(response.headers.get("content-length") ?? 0);
    if (!isRange) stop.abort();
    return new Ranges(url, size, { head: headOf(response.status, (name) => response.headers.get(name)), bytes });
  }

  /** Returns the answer of the server. Throws without an answer. */
  read(offset: number, size: number): RangeAnswer {
    const { probe } = this;
    this.probe = null;
    if (probe !== null && offset === 0) return probe;
    const request = new XMLHttpRequest();
    try {
      request.open("GET", this.url, false);
      request.responseType = "arraybuffer";
      request.setRequestHeader("Range", rangeOf(offset, size).Range);
      request.send();
    } catch {
      throw new Error(UNREACHABLE(this.url));
    }
    return { head: headOf(request.status, (name) => request.getResponseHeader(name)), bytes: new Uint8Array((request.response as ArrayBuffer | null) ?? new ArrayBuffer(0)) };
  }
}
