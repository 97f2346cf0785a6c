/** Files that the page saves. */
import { parquetOf } from "./parquet.ts";
import { isContained } from "./page_files.ts";
import { isPast, messageOf, type Load, type OnShare, type Parameters } from "./transport/transport.ts";
import type { Loss } from "./transport/protocol.ts";
import { fileNameOf, sentence } from "./panels/format.ts";
import { sharedPage, sharedPageOfAll, type SharedCut, type SharedPart, type SharedTrace } from "./sharing.ts";
import type { Viewer } from "./viewer.ts";
import { t, type PlainId } from "./texts.ts";

/** Downloads have started after this time. */
const REVOKE_MS = 10_000;

export function saveBytes(page: Pick<Viewer, "say">, bytes: BlobPart, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
  page.say(t("saving.saved", { name }));
}

/** Compresses with gzip. */
async function packed(bytes: BlobPart): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

/** Saves the binary data of a call unchanged. */
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
    const file = fileNameOf(viewer.loading.traces.value[trace]?.info.file.name ?? "").replace(/\.trace$/, "");
    saveBytes(viewer, await packed(bytes), `${file.replace(/[^\w.-]+/g, "_")}.${what}.pb.gz`);
  } catch (error) {
    if (!isPast(error)) viewer.say(sentence(messageOf(error)));
  }
}

// ---- traces in other formats, by the request `save`: the files of `varve convert`, except Parquet ----

export interface SaveFormat {
  to: string;
  suffix: string;
  title: PlainId;
  /** True if the file contains one table. */
  isTable?: boolean;
  /** True if the page fetches a file for it that one HTML file does not contain. */
  isFetched?: boolean;
  /** True if the file holds a whole trace only. */
  isWhole?: boolean;
}

export const SAVE_FORMATS: SaveFormat[] = [
  { to: "json", suffix: "json", title: "saving.json" },
  { to: "spall", suffix: "spall", title: "saving.spall" },
  { to: "heph", suffix: "heph", title: "saving.heph" },
  { to: "speedscope", suffix: "speedscope.json", title: "saving.speedscope" },
  { to: "pprof", suffix: "pb.gz", title: "saving.pprof" },
  { to: "folded", suffix: "folded", title: "saving.folded" },
  { to: "varve", suffix: "varve", title: "saving.varve", isWhole: true },
  { to: "csv", suffix: "csv", title: "saving.csv", isTable: true },
  { to: "jsonl", suffix: "jsonl", title: "saving.jsonl", isTable: true },
  { to: "arrow", suffix: "arrows", title: "saving.arrow", isTable: true },
  { to: "parquet", suffix: "parquet", title: "saving.parquet", isTable: true, isFetched: true },
];

/** The viewer and the trace: the format of "Share". */
export const SHARE_FORMAT: SaveFormat = { to: "html", suffix: "html", title: "saving.html" };

/** Returns the formats that this page can write. */
export function saveFormats(): SaveFormat[] {
  return [SHARE_FORMAT, ...SAVE_FORMATS.filter(({ isFetched }) => isFetched !== true || !isContained())];
}

/** All open traces in one file: of SHARE_FORMAT, whole. */
export const ALL_TRACES = -1;

export interface SaveChoice {
  /** Or ALL_TRACES */
  trace: number;
  /** view: the visible time; range: the time of the area; both on all tracks */
  part: "trace" | "view" | "range" | "area";
  format: SaveFormat;
  table: string;
}

/** Returns the begin of the name of a file that is made of a trace: "page-load" for "page-load.json.gz". */
export function stemOf(file: string): string {
  const stem = fileNameOf(file).replace(/(\.(json|spall|trace|log|heph|cpuprofile|speedscope|perf|ftrace|strace|pftrace|perfetto-trace|pprof|folded|varve|gz|zst|br))+(?=( \(\d+\))?$)/, "");
  return (stem === "" ? "trace" : stem).replace(/[^\w.-]+/g, "_");
}

/** Returns a file name: "page-load.json.gz" in CSV is "page-load.slice.csv". */
function nameOf(file: string, { format, table }: SaveChoice): string {
  return `${stemOf(file)}.${format.isTable === true ? `${table}.` : ""}${format.suffix}`;
}

/** Splits the answer to `save`: the file, a line feed, the losses. */
function fileAndLosses(answer: ArrayBuffer): { file: Uint8Array<ArrayBuffer>; losses: Loss[] } {
  const bytes = new Uint8Array(answer);
  const end = bytes.lastIndexOf(0x0a);
  const losses = JSON.parse(new TextDecoder().decode(bytes.subarray(end + 1))) as Loss[];
  return { file: bytes.subarray(0, end), losses };
}

/** The names of formats that the page makes from a format of the engine. */
const MADE_FROM: Record<string, string> = { parquet: "arrow", html: "json" };

/** Returns the range of a part of a trace, null = the whole trace. */
function rangeOf(viewer: Viewer, { trace, part }: SaveChoice): SharedCut | null {
  if (part === "trace") return null;
  if (part === "view") return viewer.view.range(trace);
  const area = viewer.area.value?.parts.find((of) => of.trace === trace);
  return area === undefined ? null : { begin: BigInt(area.begin), end: BigInt(area.end) };
}

/** Returns the file as it was opened; null if the trace is not made of it alone. */
async function sourceOf(load: Load): Promise<Blob | null> {
  if (load.grows) return null;
  try {
    return await load.source();
  } catch {
    return null; // the trace is saved as JSON
  }
}

/** Returns the content of the file of a format, made from the answer to `save`. */
async function contentOf(format: SaveFormat, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal, onShare: OnShare): Promise<BlobPart> {
  if (format.to === "parquet") return parquetOf(bytes, signal, onShare);
  return format.to === "pprof" ? packed(bytes) : bytes;
}

/** Returns the name of a file with several traces: "before-and-after.html" for "before.json" and "after.json". */
function nameOfAll(files: SharedTrace[]): string {
  const [first, second] = files.map(({ name }) => stemOf(name));
  return `${first}-and-${files.length === 2 ? second : `${files.length - 1}-more`}.${SHARE_FORMAT.suffix}`;
}

/** Saves all open traces and their view as one HTML file; as saveTrace. */
async function saveAll(viewer: Viewer, signal: AbortSignal, onShare: OnShare): Promise<Loss[] | null> {
  const files: SharedPart[] = [];
  const lost: Loss[] = [];
  const open = viewer.loading.traces.value.map(({ info }, i) => ({ name: fileNameOf(info.file.name), load: viewer.loading.ready[i] }));
  for (const { name, load } of open) {
    if (load === undefined) return null;
    let content = await sourceOf(load);
    const isRewritten = content === null;
    if (content === null) {
      const { file, losses } = fileAndLosses(await load.request("save", { to: MADE_FROM[SHARE_FORMAT.to] ?? "" }, signal));
      content = new Blob([file]);
      lost.push(...losses);
    }
    if (signal.aborted) return null;
    files.push({ name, content, isRewritten });
    onShare(files.length / open.length);
  }
  const page = await sharedPageOfAll(viewer, files);
  if (signal.aborted) return null;
  saveBytes(viewer, page, nameOfAll(files));
  return lost;
}

/**
 * Returns the losses after the file was saved. null: it was not, because the signal was aborted or for a reason that
 * was shown. `onShare` receives the completed part, 0 to 1, of a file that takes long.
 */
export async function saveTrace(viewer: Viewer, choice: SaveChoice, signal: AbortSignal, onShare: OnShare): Promise<Loss[] | null> {
  try {
    return await (choice.trace === ALL_TRACES ? saveAll(viewer, signal, onShare) : saveOne(viewer, choice, signal, onShare));
  } catch (error) {
    if (!isPast(error)) viewer.say(sentence(messageOf(error)));
    return null;
  }
}

async function saveOne(viewer: Viewer, choice: SaveChoice, signal: AbortSignal, onShare: OnShare): Promise<Loss[] | null> {
  const { trace, part, format, table } = choice;
  const load = viewer.loading.ready[trace];
  const area = viewer.area.value?.parts.find((of) => of.trace === trace);
  if (load === undefined) return null;
  const cut = rangeOf(viewer, choice);
  const range: Parameters = cut === null ? {} : { begin: String(cut.begin), end: String(cut.end) };
  const tracks: Parameters = part === "area" && area !== undefined ? { tracks: area.tracks.join(",") } : {};
  const isShare = format.to === SHARE_FORMAT.to;
  const share = async (content: Blob, file: string) => {
    const page = await sharedPage(viewer, trace, { content, name: fileNameOf(file) }, cut);
    if (!signal.aborted) saveBytes(viewer, page, nameOf(file, choice));
  };
  const whole = isShare && cut === null ? await sourceOf(load) : null;
  if (whole !== null) {
    await share(whole, viewer.loading.traces.value[trace]?.info.file.name ?? "");
    return signal.aborted ? null : [];
  }
  const to = MADE_FROM[format.to] ?? format.to;
  const answer = await load.request("save", { to, ...(format.isTable === true ? { table } : {}), ...range, ...tracks }, signal);
  const { file, losses } = fileAndLosses(answer);
  const name = viewer.loading.traces.value[trace]?.info.file.name ?? "";
  if (isShare) {
    await share(new Blob([file]), name);
    return signal.aborted ? null : losses;
  }
  const content = await contentOf(format, file, signal, onShare);
  if (signal.aborted) return null;
  saveBytes(viewer, content, nameOf(name, choice));
  return losses;
}
