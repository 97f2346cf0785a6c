/**
 * Decompresses input before the engine reads it (src/codec/codec_wasm.c). The browser decodes gzip. If its decoder
 * fails (several members, a truncated file), fflate decodes the input and keeps the bytes before the error. The files
 * of a zip archive are decompressed one after the other; the engine chooses the traces among them (src/format/input.c).
 * Brotli has no magic number: content is Brotli if the engine's confidence in the decompressed bytes is higher.
 */
import { Gunzip, Unzip, UnzipInflate } from "fflate";
import { Decompress as ZstdDecoder } from "fzstd";
import startBrotli, { BrotliDecStream, BrotliStreamResultCode } from "brotli-dec-wasm/web";
import { CodecKind } from "generated/border.ts";
import { bytesOf, type FileSource } from "./file_source.ts";
import type { Phase } from "./messages.ts";

export interface Plain {
  blob: Blob;
  /** The size of the compressed file. */
  sourceBytes: number;
  codec: CodecKind;
  /** The files of an archive, in their order in `blob`; empty for other codecs. */
  parts: Part[];
  /** A message about damage, if only part of the bytes could be decompressed. */
  note: string | null;
}

export interface Part {
  name: string;
  size: number;
}

type Report = (phase: Phase, done: number, total: number) => void;

/** Chunks are moved into Blobs of this size: the browser stores large Blobs outside the memory of the worker. */
const PART_BYTES = 16 << 20;

/** Limits of the expansion, as in src/format/input.c: real traces do not reach them. */
const HARMLESS_BYTES = 64 << 20;
const MOST_GROWTH = 2000;

class Collector {
  private parts: Blob[] = [];
  private chunks: Uint8Array<ArrayBuffer>[] = [];
  private held = 0;
  size = 0;

  constructor(private packedSize: number) {}

  push(chunk: Uint8Array): void {
    if (this.size > Math.max(HARMLESS_BYTES, MOST_GROWTH * this.packedSize))
      throw new Error(`it unpacks to more than ${MOST_GROWTH} times its size`);
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

/** Returns the confidence of the engine, 0 to 100, that these bytes begin a trace. */
type Judge = (head: Uint8Array) => number;

/** `brotli`: the module of the decoder. */
export async function decompress(file: Blob, report: Report, judge: Judge, brotli: FileSource): Promise<Plain> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isZip = head[0] === 0x50 && head[1] === 0x4b && ZIP_BEGINNINGS.includes((head[2]! << 8) | head[3]!);
  if (isZip) return unzip(file, report);
  const plain = await decompressOnce(file, report);
  return plain.codec === CodecKind.None && (await isBrotli(file, judge, brotli)) ? unbrotli(file, report, brotli) : plain;
}

async function decompressOnce(file: Blob, report: Report): Promise<Plain> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (head[0] === 0x1f && head[1] === 0x8b) return gunzip(file, report);
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) {
    return decodeWith(CodecKind.Zstd, file, report, (out) => new ZstdDecoder((chunk) => out.push(chunk)));
  }
  return { blob: file, sourceBytes: file.size, codec: CodecKind.None, parts: [], note: null };
}

/** The two bytes after "PK" for a file, an empty archive, and an archive that is or was split. */
const ZIP_BEGINNINGS = [0x0304, 0x0506, 0x0708, 0x3030];

async function gunzip(file: Blob, report: Report): Promise<Plain> {
  try {
    const out = new Collector(file.size);
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
      if (next.done) return { blob: out.blob(), sourceBytes: file.size, codec: CodecKind.Gzip, parts: [], note: null };
      out.push(next.value);
    }
  } catch {
    return decodeWith(CodecKind.Gzip, file, report, (out) => new GzipMembers(out));
  }
}

/** Decompresses all files of the archive, and each of them again if it is gzip or zstd. */
async function unzip(file: Blob, report: Report): Promise<Plain> {
  const files: { name: string; out: Collector }[] = [];
  let damage: unknown = null;
  const archive = new Unzip((member) => {
    if (member.name.endsWith("/")) return;
    const out = new Collector(file.size);
    member.ondata = (error, chunk) => {
      if (error) damage ??= error;
      else out.push(chunk);
    };
    try {
      member.start();
      files.push({ name: member.name, out });
    } catch {
      damage ??= `${member.name} is compressed by a method that is not read`;
    }
  });
  archive.register(UnzipInflate);
  try {
    await pour(file, archive, (done) => report("decompressing", done, file.size));
  } catch (error) {
    damage ??= error;
  }
  const blobs: Blob[] = [];
  const parts: Part[] = [];
  for (const { name, out } of files) {
    const plain = await decompressOnce(out.blob(), report);
    damage ??= plain.note;
    blobs.push(plain.blob);
    parts.push({ name, size: plain.blob.size });
  }
  const note = damage === null ? null : `The zip archive is damaged or cut short (${describe(damage)}).`;
  if (parts.length === 0) throw new Error(note ?? "There is no file in this zip archive.");
  return { blob: new Blob(blobs), sourceBytes: file.size, codec: CodecKind.Zip, parts, note };
}

interface Pushed {
  push(chunk: Uint8Array, final?: boolean): void;
}

/** Passes the file to `into` in chunks; before each one, `report` receives the number of bytes read so far. */
async function pour(file: Blob, into: Pushed, report: (done: number) => void): Promise<void> {
  const reader = file.stream().getReader();
  let done = 0;
  for (;;) {
    const next = await reader.read();
    if (next.done) break;
    done += next.value.length;
    report(done);
    into.push(next.value, false);
  }
  // fflate continues to a next member only if it does not know that the input has ended.
  into.push(new Uint8Array(0), true);
}

/**
 * gzip members one after the other. fflate does not report a missing end if it could use all bytes before it; but the
 * last four bytes of a complete file are the length of its last member, modulo 2^32 (RFC 1952, 2.3.1).
 */
class GzipMembers implements Pushed {
  private readonly decoder: Gunzip;
  private memberSize = 0;
  private tail = new Uint8Array(0);

  constructor(out: Collector) {
    this.decoder = new Gunzip((chunk) => {
      this.memberSize += chunk.length;
      out.push(chunk);
    });
    this.decoder.onmember = () => (this.memberSize = 0);
  }

  push(chunk: Uint8Array, final = false): void {
    this.tail = new Uint8Array([...this.tail, ...chunk.subarray(-4)]).slice(-4);
    this.decoder.push(chunk, final);
    if (!final) return;
    const size = this.tail.reduceRight((sum, byte) => sum * 256 + byte, 0);
    if (size !== this.memberSize % 2 ** 32) throw new Error("its end is missing");
  }
}

async function decodeWith(
  codec: CodecKind,
  file: Blob,
  report: Report,
  open: (out: Collector) => Pushed,
): Promise<Plain> {
  const out = new Collector(file.size);
  const decoder = open(out);
  let poured = 0;
  try {
    await pour(file, decoder, (done) => {
      poured = done;
      report("decompressing", done, file.size);
    });
  } catch (error) {
    const note = `The ${CodecKind[codec].toLowerCase()} data is damaged or cut short (${describe(error)}, before byte ${poured} of ${file.size}).`;
    if (out.size === 0) throw new Error(note);
    return { blob: out.blob(), sourceBytes: file.size, codec, parts: [], note };
  }
  return { blob: out.blob(), sourceBytes: file.size, codec, parts: [], note: null };
}

/** The number of bytes to probe and the sufficient confidence, as in src/format/content.c. */
const PACKED_HEAD_BYTES = 256 << 10;
const PLAIN_HEAD_BYTES = 64 << 10;
const SURE = 70;
const BROTLI_PIECE_BYTES = 128 << 10;

async function isBrotli(file: Blob, judge: Judge, brotli: FileSource): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, PACKED_HEAD_BYTES).arrayBuffer());
  const sure = judge(head);
  if (head.length === 0 || sure >= SURE) return false;
  const decoder = await openBrotli(brotli);
  try {
    return judge(decoder.dec(head, PLAIN_HEAD_BYTES).buf) > sure;
  } catch {
    return false; // the bytes are not Brotli
  } finally {
    decoder.free();
  }
}

/** Loads the module of the decoder at its first use. */
async function openBrotli(brotli: FileSource): Promise<BrotliDecStream> {
  await startBrotli({ module_or_path: bytesOf(brotli) });
  return new BrotliDecStream();
}

async function unbrotli(file: Blob, report: Report, brotli: FileSource): Promise<Plain> {
  const decoder = await openBrotli(brotli);
  let ended = false;
  try {
    return await decodeWith(CodecKind.Brotli, file, report, (out) => ({
      push(chunk, final) {
        for (let at = 0; !ended; ) {
          const { code, buf, input_offset } = decoder.dec(chunk.subarray(at), BROTLI_PIECE_BYTES);
          at += input_offset;
          out.push(buf);
          ended = code === BrotliStreamResultCode.ResultSuccess;
          if (code === BrotliStreamResultCode.NeedsMoreInput) break;
        }
        if (final === true && !ended) throw new Error("its end is missing");
      },
    }));
  } finally {
    decoder.free();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
