/** Files that the page saves. */
import { isPast, messageOf } from "./carrier/carrier.ts";
import { fileNameOf, sentence } from "./panels/format.ts";
import type { Viewer } from "./viewer.ts";

/** A download has begun after this time. */
const REVOKE_MS = 10_000;

export function saveBytes(page: Pick<Viewer, "say">, bytes: BlobPart, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
  page.say(`${name} was saved.`);
}

/** Saves the binary data of a call, byte for byte. */
export async function saveBlob(viewer: Viewer, trace: number, slice: number, number: number, name: string): Promise<void> {
  const load = viewer.loading.ready[trace];
  if (load === undefined) return;
  try {
    saveBytes(viewer, await load.request("blob", { id: slice, number }), name);
  } catch (error) {
    if (!isPast(error)) viewer.say(sentence(messageOf(error)));
  }
}

/** Saves a profile of the Go panel as a file for `go tool pprof`. */
export async function saveProfile(viewer: Viewer, what: string): Promise<void> {
  const trace = viewer.goTrace(viewer.loading.traces.value);
  const load = viewer.loading.ready[trace];
  if (load === undefined) return;
  try {
    const bytes = await load.request("pprof", { what, ...viewer.goRange(trace) });
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
    const file = fileNameOf(viewer.loading.traces.value[trace]?.info.file.name ?? "").replace(/\.trace$/, "");
    saveBytes(viewer, await new Response(packed).arrayBuffer(), `${file.replace(/[^\w.-]+/g, "_")}.${what}.pb.gz`);
  } catch (error) {
    if (!isPast(error)) viewer.say(sentence(messageOf(error)));
  }
}
