/** The viewer and traces as one HTML file (src/page_files.ts), as `varve convert --to=html` makes it of a trace. */
import { sharedTemplate } from "./page_files.ts";
import { ViewFilePart } from "generated/border.ts";
import type { ViewMembers } from "./cut_view.ts";
import type { Viewer } from "./viewer.ts";

/** The bytes of a block, a multiple of 3: a browser limits the length of a text. */
const BLOCK_BYTES = 3 << 20;
/** The arguments of a call. */
const MOST_ARGUMENTS = 1 << 15;
/** The first bytes of gzip, zstd and zip files, which are not compressed again. */
const PACKED = [[0x1f, 0x8b], [0x28, 0xb5, 0x2f, 0xfd], [0x50, 0x4b, 0x03, 0x04]];

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS) text += String.fromCharCode(...bytes.subarray(at, at + MOST_ARGUMENTS));
  return btoa(text);
}

const textToBase64 = (text: string) => toBase64(new TextEncoder().encode(text));

async function packed(file: Blob): Promise<Blob> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (PACKED.some((magic) => magic.every((byte, i) => head[i] === byte))) return file;
  return new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** The part of the trace in the file: begin and end in ticks from the begin of the trace. */
export interface SharedCut {
  begin: bigint;
  end: bigint;
}

/** A trace in the file. */
export interface SharedTrace {
  content: Blob;
  /** That of its file. */
  name: string;
}

/** One of several traces in the file. */
export interface SharedPart extends SharedTrace {
  /** True if `content` is not the file as it was opened: its identity differs. */
  isRewritten: boolean;
}

async function appendTrace(parts: BlobPart[], { content, name }: SharedTrace): Promise<void> {
  const file = await packed(content);
  for (let at = 0; at === 0 || at < file.size; at += BLOCK_BYTES) {
    const block = new Uint8Array(await file.slice(at, at + BLOCK_BYTES).arrayBuffer());
    const which = at === 0 ? `data-trace="${textToBase64(name)}"` : "data-more";
    parts.push(new Blob([`<script type="text/plain" ${which}>${toBase64(block)}</script>\n`]));
  }
}

/** Returns the file with one of the open traces. `cut`: null = it is whole. */
export async function sharedPage(viewer: Viewer, trace: number, file: SharedTrace, cut: SharedCut | null): Promise<Blob> {
  const view = viewer.views.textOf(trace, cut ?? viewer.view.range(trace)); // a cut shows its range
  const from = cut === null ? "" : String(viewer.loading.traces.value[trace]?.info.time.begin_ns);
  return pageWith([file], view, from);
}

/** Returns the file with all open traces and their common view. */
export function sharedPageOfAll(viewer: Viewer, files: SharedPart[]): Promise<Blob> {
  const view = JSON.parse(viewer.views.text(ViewFilePart.State | ViewFilePart.Marks)) as ViewMembers;
  view.traces?.forEach((shown, i) => {
    if (files[i]?.isRewritten === true) shown["identity"] = ""; // its name decides
  });
  return pageWith(files, JSON.stringify(view), "");
}

/** Returns the file. `from`: of the attribute data-view. */
async function pageWith(files: SharedTrace[], view: string, from: string): Promise<Blob> {
  const parts: BlobPart[] = [await sharedTemplate()];
  for (const file of files) await appendTrace(parts, file);
  if (view !== "") parts.push(`<script type="text/plain" data-view="${from}">${textToBase64(view)}</script>\n`);
  parts.push("</body>\n</html>\n");
  return new Blob(parts);
}
