/** Opens files and addresses for the page. Not in loading.ts: the element opens its traces itself. */
import { openFile, openUrl, pathOfUrl } from "./transport/worker.ts";
import type { Load } from "./transport/transport.ts";
import { distinctNames } from "./file_names.ts";
import type { Loading } from "./loading.ts";

/** Returns names for new files that differ from each other and from those of the traces that stay open. */
export function namesFor({ loads }: Loading, paths: string[][], mode: "replace" | "add"): string[] {
  const staying = mode === "add" ? loads.value.filter(({ status }) => ["loading", "ready"].includes(status.value.state)) : [];
  return distinctNames(paths, staying.map(({ status }) => status.value.name));
}

/** Returns the loads of the files. */
export function openFiles(loading: Loading, files: File[], mode: "replace" | "add"): Load[] {
  const names = namesFor(loading, files.map(({ name }) => [name]), mode);
  const loads = files.map((file, i) => openFile(loading.host, file, loading.perspective, names[i]));
  if (loads.length > 0) loading.open(loads, mode);
  return loads;
}

export function openUrls(loading: Loading, urls: string[], mode: "replace" | "add"): void {
  const names = namesFor(loading, urls.map((url) => pathOfUrl(loading.host, url)), mode);
  loading.open(urls.map((url, i) => openUrl(loading.host, url, loading.perspective, names[i])), mode);
}
