/** Traces in one HTML file, with their view (page_files.ts): of this page, or of a file that the user opens. */
import { openFiles } from "./opening.ts";
import { containedTraces, containedView } from "./page_files.ts";
import { t } from "./texts.ts";
import type { Load } from "./transport/transport.ts";
import type { Viewer } from "./viewer.ts";
import { viewOfCut } from "./cut_view.ts";

export interface Contained {
  files: File[];
  view: ReturnType<typeof containedView>;
}

/** Takes the traces out of a page. */
export const takeContained = (page: Document): Contained => ({ files: containedTraces(page), view: containedView(page) });

/** The rest of a page would break the Content-Security-Policy of this one. */
const BLOCKS = /<script type="text\/plain" data-(?:trace|more|view)\b[^<]*<\/script>/g;

/** True for the name of an HTML file. */
export const isPageFile = (name: string) => /\.html?$/i.test(name);

/** Returns the traces in a file that the user opens; null: it is another file, which the engine describes. */
async function containedIn(file: File): Promise<Contained | null> {
  if (!isPageFile(file.name)) return null;
  try {
    const blocks = (await file.text()).match(BLOCKS) ?? [];
    const found = takeContained(new DOMParser().parseFromString(blocks.join(""), "text/html"));
    return found.files.length === 0 ? null : found;
  } catch {
    return null; // damaged, or too long for a text
  }
}

/**
 * Opens traces of one HTML file in their order, with its view. A view that is to be applied already, for example that of the address,
 * comes before it, and is applied when all are loaded.
 */
export async function openContained(viewer: Viewer, { files, view }: Contained, mode: "replace" | "add"): Promise<void> {
  if (view === null || viewer.views.isPending) return void openFiles(viewer.loading, files, mode);
  for (const [i, file] of files.entries()) {
    const isLast = i === files.length - 1;
    if (isLast && view.from_ns === null) viewer.views.applyLater(view.text, t("common.the-view"));
    const [load] = openFiles(viewer.loading, [file], i === 0 ? mode : "add");
    if (isLast && load !== undefined && view.from_ns !== null) applyToCut(viewer, load, view.text, view.from_ns);
    if (isLast || load === undefined) continue;
    await isShown(viewer, load);
    await viewer.identifiedAll();
  }
}

/** Resolves when a load is among the traces, or has failed. */
function isShown(viewer: Viewer, load: Load): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      const isOpen = viewer.loading.traces.value.some((trace) => trace.load === load);
      if (!isOpen && (load.status.value.state === "loading" || load.status.value.state === "ready")) return;
      ends.forEach((end) => end());
      done();
    };
    const ends = [viewer.loading.traces.subscribe(look), load.status.subscribe(look)];
  });
}

/** Applies a view of the whole trace once `load`, the cut, is loaded. */
function applyToCut(viewer: Viewer, load: Load, text: string, from_ns: bigint): void {
  const end = viewer.loading.traces.subscribe((traces) => {
    const trace = traces.find((open) => open.load === load);
    if (trace === undefined) return;
    end();
    viewer.views.applyLater(viewOfCut(text, from_ns, trace.info.time), t("common.the-view"));
  });
}

/** Opens HTML files with traces, and others. The view of a page is applied if it is the only file. */
export async function openWithPages(viewer: Viewer, files: File[], mode: "replace" | "add"): Promise<void> {
  const found = await Promise.all(files.map(containedIn));
  const [first] = found;
  if (files.length === 1 && first != null) return openContained(viewer, first, mode);
  openFiles(viewer.loading, files.flatMap((file, i) => found[i]?.files ?? [file]), mode);
}
