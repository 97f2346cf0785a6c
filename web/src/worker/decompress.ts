/**
 * Compressed input becomes plain before the engine sees it (src/codec/codec_wasm.c). gzip goes through the browser's
 * own decoder; where that gives up (several members, a file cut short) through one that keeps what it had.
 */
import { Gunzip } from "fflate";
import { Decompress as ZstdDecoder } from "fzstd";
import type { Phase } from "./messages.ts";

/** CodecKind of src/codec/codec.h. */
export enum Codec {
  None,
  Gzip,
  Zstd,
}

export interface Plain {
  blob: Blob;
  /** As it was before. */
  sourceBytes: number;
  codec: Codec;
  /** What was wrong with the compressed bytes, though some could be read. */
  note: string | null;
}

type Report = (phase: Phase, done: number, total: number) => void;

/** Chunks leave the worker's memory in pieces of this size: the browser keeps large Blobs elsewhere. */
const PART_BYTES = 16 << 20;

class Collector {
  private parts: Blob[] = [];
  private chunks: Uint8Array<ArrayBuffer>[] = [];
  private held = 0;
  size = 0;

  push(chunk: Uint8Array): void {
    this.chunks.push(chunk as Uint8Array<ArrayBuffer>);
    this.held += chunk.length;
    this.size += chunk.length;
    if (this.held >= PART_BYTES) this.flush();
  }

  blob(): Blob {
    this.flush();
    return new Blob(this.parts);
  }

  private flush(): void {
    this.parts.push(new Blob(this.chunks));
    this.chunks = [];
    this.held = 0;
  }
}

export async function decompress(file: Blob, report: Report): Promise<Plain> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (head[0] === 0x1f && head[1] === 0x8b) return gunzip(file, report);
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) {
    return decodeWith(Codec.Zstd, file, report, (out) => new ZstdDecoder((chunk) => out.push(chunk)));
  }
  return { blob: file, sourceBytes: file.size, codec: Codec.None, note: null };
}

async function gunzip(file: Blob, report: Report): Promise<Plain> {
  try {
    const out = new Collector();
    let done = 0;
    const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        done += chunk.length;
        report("decompressing", done, file.size);
        controller.enqueue(chunk);
      },
    });
    const reader = file.stream().pipeThrough(counted).pipeThrough(new DecompressionStream("gzip")).getReader();
    for (;;) {
      const next = await reader.read();
      if (next.done) return { blob: out.blob(), sourceBytes: file.size, codec: Codec.Gzip, note: null };
      out.push(next.value);
    }
  } catch {
    return decodeWith(Codec.Gzip, file, report, (out) => new Gunzip((chunk) => out.push(chunk)));
  }
}

interface Pushed {
  push(chunk: Uint8Array, final?: boolean): void;
}

async function decodeWith(
  codec: Codec,
  file: Blob,
  report: Report,
  open: (out: Collector) => Pushed,
): Promise<Plain> {
  const out = new Collector();
  const decoder = open(out);
  const reader = file.stream().getReader();
  let done = 0;
  try {
    for (;;) {
      const next = await reader.read();
      if (next.done) break;
      done += next.value.length;
      decoder.push(next.value, false);
      report("decompressing", done, file.size);
    }
    // The end comes by itself: fflate goes on to a next member only while it does not know of an end.
    decoder.push(new Uint8Array(0), true);
  } catch (error) {
    const note = `The ${Codec[codec].toLowerCase()} data is damaged or cut short (${describe(error)}, before byte ${done} of ${file.size}).`;
    if (out.size === 0) throw new Error(note);
    return { blob: out.blob(), sourceBytes: file.size, codec, note };
  }
  return { blob: out.blob(), sourceBytes: file.size, codec, note: null };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
