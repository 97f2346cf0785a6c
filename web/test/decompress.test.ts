import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { CodecKind } from "generated/border.ts";
import { decompress } from "../src/worker/decompress.ts";

const TEXT = '{"traceEvents":[]}';
const bytesOf = (text: string) => new TextEncoder().encode(text);
/** The confidence of an engine that recognises every content, so that Brotli is not tried. */
const sure = () => 100;
const noReport = () => undefined;

async function unpack(bytes: Uint8Array) {
  const plain = await decompress(new Blob([bytes as Uint8Array<ArrayBuffer>]), noReport, sure, "");
  return { ...plain, text: await plain.blob.text() };
}

test("plain bytes stay as they are", async () => {
  const { text, codec, note } = await unpack(bytesOf(TEXT));
  assert.deepEqual({ text, codec, note }, { text: TEXT, codec: CodecKind.None, note: null });
});

test("gzip: one member, and several", async () => {
  const one = gzipSync(TEXT);
  const { text, codec, sourceBytes, note } = await unpack(one);
  assert.deepEqual({ text, codec, sourceBytes, note }, { text: TEXT, codec: CodecKind.Gzip, sourceBytes: one.length, note: null });
  const two = await unpack(Buffer.concat([gzipSync("first "), gzipSync("second")]));
  assert.deepEqual([two.text, two.note], ["first second", null]);
});

test("gzip that was cut keeps its beginning and has a note", async () => {
  const text = Array.from({ length: 20_000 }, (_, i) => `${i * 7919},`).join("");
  const whole = gzipSync(text);
  const cut = await unpack(whole.subarray(0, whole.length / 2));
  assert.ok(cut.text.length > 1000 && text.startsWith(cut.text));
  assert.match(cut.note ?? "", /gzip data is damaged or cut short .* of \d+\)/);
  const last = await unpack(whole.subarray(0, whole.length - 1));
  assert.notEqual(last.note, null);
});

test("gzip without a byte of content is an error", async () => {
  await assert.rejects(unpack(gzipSync(TEXT).subarray(0, 10)), /damaged or cut short/);
});

test("the files of a zip archive, gzip in it, without its folders", async () => {
  const archive = zipSync({ "a/": new Uint8Array(0), "a/one.json": bytesOf(TEXT), "two.json.gz": gzipSync("two") });
  const { text, parts, codec, note } = await unpack(archive);
  assert.equal(codec, CodecKind.Zip);
  assert.equal(note, null);
  assert.deepEqual(parts, [
    { name: "a/one.json", size: TEXT.length },
    { name: "two.json.gz", size: 3 },
  ]);
  assert.equal(text, `${TEXT}two`);
});

test("a damaged zip archive keeps the files before the damage", async () => {
  const second = Uint8Array.from({ length: 5000 }, (_, i) => (i * 2654435761) >>> 24);
  const archive = zipSync({ "one.json": bytesOf(TEXT), "two.bin": second });
  const { text, note } = await unpack(archive.subarray(0, archive.length / 2));
  assert.ok(text.startsWith(TEXT));
  assert.match(note ?? "", /zip archive is damaged or cut short/);
  await assert.rejects(unpack(zipSync({})), /no file in this zip archive/);
});

/** A Zstandard frame of blocks that repeat one byte (RFC 8878, 3.1.1.2): 4 bytes for each 128 KiB. */
function zstdOfZeros(blocks: number): Uint8Array {
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
  for (let i = 0; i < blocks; i++) {
    const header = ((128 << 10) << 3) | (1 << 1) | (i === blocks - 1 ? 1 : 0);
    frame.push(header & 0xff, (header >> 8) & 0xff, header >> 16, 0);
  }
  return Uint8Array.from(frame);
}

test("content that unpacks to thousands of times its size ends at 64 MiB", async () => {
  const harmless = await unpack(zstdOfZeros(8));
  assert.deepEqual([harmless.blob.size, harmless.codec, harmless.note], [1 << 20, CodecKind.Zstd, null]);
  const bomb = await unpack(zstdOfZeros(1000));
  assert.ok(bomb.blob.size <= 65 << 20, `${bomb.blob.size}`);
  assert.match(bomb.note ?? "", /unpacks to more than 2000 times its size/);
});
