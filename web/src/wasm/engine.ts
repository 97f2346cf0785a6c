/** engine.wasm in a worker: src/app/wasm/engine_exports.c. */
import { EngineRanges, SessionStatus, type EngineExports } from "generated/border.ts";
import type { Plain } from "../worker/decompress.ts";
import type { FileSource } from "../worker/file_source.ts";
import type { Ranges } from "../worker/ranges.ts";
import { startModule, type Memory } from "./module.ts";
import { zstdImports } from "./zstd.ts";
import { ExternalStore } from "./external_store.ts";

/**
 * The limit on memory in use: the rest of a module's 4 GiB is for answers and for buffers that are copied when they
 * grow.
 */
const MEMORY_LIMIT = 3.5 * 2 ** 30;

/** From this many bytes of memory on a load stores the logs of events in blobs, which the browser keeps on the disk if they are many. */
const EXTERNAL_FROM = 64 * 2 ** 20;

/** A read of a Blob waits for another process of the browser, so bytes that follow the last read are read in larger parts. */
const READ_AHEAD_BYTES = 16 << 20;

/** Returns the functions for regular expressions that the module imports (src/analysis/regex_js.c). */
export type RegexImports = (memory: () => Uint8Array) => WebAssembly.ModuleImports;

declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

export class Engine {
  private blob = new Blob();
  private onRead: (end: number) => void = () => undefined;
  private reader = new FileReaderSync();
  /** The bytes of `blob` that were read last, from `heldFrom` on. */
  private held = new Uint8Array(0);
  private heldFrom = 0;
  private lastEnd = 0;
  private page = 0;
  private store = new ExternalStore();
  private ranges: Ranges | null = null;

  private constructor(
    private exports: EngineExports,
    private memory: Memory,
  ) {}

  static async start(file: FileSource, regexImports: RegexImports): Promise<Engine> {
    let engine: Engine | null = null;
    const { exports, memory } = await startModule<EngineExports>(file, (running) => ({
      ...regexImports(() => running().all),
      ...zstdImports(() => running().all),
      put_external: (at: number, size: number) => engine?.store.put(running().all.subarray(at >>> 0, (at >>> 0) + size)) ?? -1,
      get_external: (place: number, at: number, size: number) => engine?.store.get(place, running().all.subarray(at >>> 0, (at >>> 0) + size)) ?? false,
      read_input: (offset: number, buffer: number, size: number) => engine?.read(offset, buffer >>> 0, size >>> 0) ?? 0,
      fetch_range: (offset: number, size: number, buffer: number, head: number, headSize: number) => engine?.fetchRange(offset, size >>> 0, buffer >>> 0, head >>> 0, headSize >>> 0) ?? -1,
    }));
    engine = new Engine(exports, memory);
    engine.page = exports.engine_open();
    if (engine.page === 0) throw new RangeError("out of memory");
    return engine;
  }

  /** Call before `load`: the trace is loaded for this perspective, "" = the first; without this call, for all. */
  lookFrom(perspective: string): void {
    this.setInput(perspective);
    if (this.exports.engine_look_from(this.page) === 0) throw new RangeError("out of memory");
  }

  /** Call before `load`: calls of a capture have equal widths. */
  countCalls(): void {
    this.exports.engine_count_calls(this.page);
  }

  /** Call before `load`: only about this many bytes of the input are loaded. */
  endAfter(bytes: number): void {
    this.exports.engine_end_after(this.page, bytes);
  }

  /** Loads the trace. Returns null, or an error message about the input. */
  load(name: string, input: Plain, onRead: (end: number) => void): string | null {
    const { blob, sourceBytes, codec, parts } = input;
    this.blob = blob;
    this.onRead = onRead;
    for (const part of parts) {
      this.setInput(part.name);
      if (this.exports.engine_add_part(this.page, part.size) === 0) throw new RangeError("out of memory");
    }
    this.setInput(name);
    const done = this.exports.engine_load(this.page, blob.size, MEMORY_LIMIT, EXTERNAL_FROM, sourceBytes, codec) !== 0;
    this.store.clear();
    this.onRead = () => undefined;
    return done ? null : new TextDecoder().decode(this.output());
  }

  /** Opens a file by ranges, instead of `load`. `address`: for errors. "whole": it must be loaded as a whole. */
  openRanges(address: string, ranges: Ranges): { kind: "open" | "whole" } | { kind: "failed"; error: string } {
    this.ranges = ranges;
    this.setInput(address);
    const result = this.exports.engine_open_ranges(this.page, ranges.size);
    if (result === EngineRanges.Open) return { kind: "open" };
    return result === EngineRanges.Whole ? { kind: "whole" } : { kind: "failed", error: new TextDecoder().decode(this.output()) };
  }

  private fetchRange(offset: number, size: number, buffer: number, head: number, headSize: number): number {
    const report = (text: string) => {
      const { written } = new TextEncoder().encodeInto(text, this.memory.all.subarray(head, head + headSize - 1));
      this.memory.all[head + written] = 0;
    };
    try {
      const answer = this.ranges?.read(offset, size);
      if (answer === undefined) return -1;
      report(answer.head);
      this.memory.all.set(answer.bytes.subarray(0, size), buffer);
      return answer.bytes.length;
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
      return -1;
    }
  }

  /** isRunning: the work continues when the request is sent again. */
  answer(request: string, body: ArrayBuffer | null): { bytes: ArrayBuffer; isRunning: boolean } {
    const text = new TextEncoder().encode(request);
    const input = new Uint8Array(text.length + (body === null ? 0 : 1 + body.byteLength)); // a zero byte between both
    input.set(text);
    if (body !== null) input.set(new Uint8Array(body), text.length + 1);
    this.setInputBytes(input);
    const status = this.exports.engine_answer(this.page);
    const bytes = this.output();
    const isRunning = status === SessionStatus.Running;
    if (status !== SessionStatus.Ok && !isRunning) throw new Error(new TextDecoder().decode(bytes).trim());
    return { bytes, isRunning };
  }

  private read(offset: number, buffer: number, size: number): number {
    const end = Math.min(offset + size, this.blob.size);
    if (end <= offset) return 0;
    if (offset < this.heldFrom || end > this.heldFrom + this.held.length) {
      const until = offset === this.lastEnd ? Math.max(end, offset + READ_AHEAD_BYTES) : end;
      this.held = new Uint8Array(this.reader.readAsArrayBuffer(this.blob.slice(offset, until)));
      this.heldFrom = offset;
    }
    const bytes = this.held.subarray(offset - this.heldFrom, end - this.heldFrom);
    this.memory.all.set(bytes, buffer);
    this.lastEnd = end;
    this.onRead(end);
    return bytes.length;
  }

  /** Returns the confidence of the engine, 0 to 100, that these bytes begin a trace. */
  sure(head: Uint8Array): number {
    this.setInputBytes(head);
    return this.exports.engine_sure(this.page);
  }

  private setInput(text: string): void {
    this.setInputBytes(new TextEncoder().encode(text));
  }

  private setInputBytes(bytes: Uint8Array): void {
    const at = this.exports.engine_input(this.page, bytes.length) >>> 0;
    if (at === 0) throw new RangeError("out of memory");
    this.memory.all.set(bytes, at);
  }

  private output(): ArrayBuffer {
    return this.memory.copy(this.exports.engine_output(this.page), this.exports.engine_output_size(this.page));
  }
}
