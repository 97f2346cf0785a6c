/** The traces that another page opens. */
import type { TraceSource } from "../../static/varve-timeline.d.ts";
import type { Load } from "../transport/transport.ts";
import { openFile, openUrl, type EngineHost } from "../transport/worker.ts";
import type { Perspective } from "../worker/messages.ts";

/** Begins to load an address or bytes. `name`: of bytes; undefined = that of the File, otherwise "trace". */
export function loadFrom(host: EngineHost, source: TraceSource, name: string | undefined, perspective: Perspective): Load {
  if (typeof source === "string" || source instanceof URL) return openUrl(host, String(source), perspective);
  const isNamed = source instanceof File && (name === undefined || name === source.name);
  return openFile(host, isNamed ? source : new File([source as BlobPart], name ?? "trace"), perspective);
}
