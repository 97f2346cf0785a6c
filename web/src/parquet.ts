/**
 * Parquet files of tables. The engines write Arrow, and a worker of the page converts it with the npm package
 * parquet-wasm. So both transports have one way, without a library on the machine of the engine. The page fetches the
 * worker and its module only to save a file.
 */
import { startWorker } from "./page_files.ts";
import type { OnShare } from "./transport/transport.ts";
import type { FromParquetWorker } from "./worker/messages.ts";
import { t } from "./texts.ts";

/** Returns an Arrow IPC stream as a Parquet file; `arrow` is moved. `onShare` receives the written part, 0 to 1. */
export function parquetOf(arrow: Uint8Array<ArrayBuffer>, signal: AbortSignal, onShare: OnShare): Promise<Blob> {
  const worker = startWorker("parquet-worker.js", "Parquet");
  const file = new Promise<Blob>((resolve, reject) => {
    const abort = () => reject(new DOMException("aborted", "AbortError"));
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(t("parquet.the-parquet-writer-stopped", { error: event.message || t("common.not-started") })));
    };
    worker.onmessage = ({ data }: MessageEvent<FromParquetWorker>) => {
      if (data.kind === "share") onShare(data.share);
      else if (data.kind === "file") resolve(data.file);
      else reject(new Error(data.error));
    };
    worker.postMessage(arrow, [arrow.buffer]);
  });
  return file.finally(() => worker.terminate());
}
