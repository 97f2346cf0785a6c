/** The worker that writes an Arrow IPC stream as a Parquet file. The page starts it to save a file (web/src/parquet.ts). */
import startParquet, { Compression, Table, transformParquetStream, writeParquet, WriterPropertiesBuilder, type RecordBatch } from "parquet-wasm";
import type { FromParquetWorker } from "./messages.ts";

/** The part of a worker's global scope that is used here; TypeScript's DOM and WebWorker libraries exclude each other. */
interface Scope {
  postMessage(message: FromParquetWorker): void;
  onmessage: ((event: MessageEvent<Uint8Array<ArrayBuffer>>) => void) | null;
}
const scope = self as unknown as Scope;

/** The size of row groups that DuckDB writes by default. Each one is written when it is full, so that memory is bounded. */
const ROW_GROUP_ROWS = 122_880;
/** A column with a larger dictionary has plain values. Otherwise a dictionary of all ids would fit, and the file be twice as large. */
const DICTIONARY_BYTES = 128 << 10;
const GZIP_MAGIC = [0x1f, 0x8b];

/** Loads the module, which the site has in gzip. Some servers send a .gz file with a content encoding: then fetch decompresses it. */
async function startModule(): Promise<void> {
  const response = await fetch(new URL("./parquet_wasm_bg.wasm.gz", self.location.href));
  if (!response.ok) throw new Error(`The Parquet writer could not be fetched: status ${response.status}.`);
  const file = await response.blob();
  const head = new Uint8Array(await file.slice(0, GZIP_MAGIC.length).arrayBuffer());
  const isPacked = GZIP_MAGIC.every((byte, i) => head[i] === byte);
  const plain = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  await startParquet({ module_or_path: await new Response(plain).arrayBuffer() });
}

/** Reports the share of the batches that were read before each batch. */
function batchesOf(table: Table): ReadableStream<RecordBatch> {
  const count = table.numBatches;
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const batch = next < count ? table.recordBatch(next) : undefined;
        if (batch === undefined) return controller.close();
        scope.postMessage({ kind: "share", share: next++ / count });
        controller.enqueue(batch);
      },
    },
    { highWaterMark: 0 },
  );
}

async function write(arrow: Uint8Array): Promise<Blob> {
  await startModule();
  const properties = new WriterPropertiesBuilder()
    .setCompression(Compression.ZSTD)
    .setMaxRowGroupSize(ROW_GROUP_ROWS)
    .setDictionaryPageSizeLimit(DICTIONARY_BYTES)
    .setCreatedBy("varve")
    .build();
  const table = Table.fromIPCStream(arrow);
  if (table.numBatches === 0) return new Blob([writeParquet(table, properties) as Uint8Array<ArrayBuffer>]); // a stream must have a batch
  return new Response(await transformParquetStream(batchesOf(table), properties)).blob();
}

function describe(error: unknown): string {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
    return "The Parquet writer ran out of memory: save a part of the trace, or use `varve convert`.";
  return error instanceof Error ? error.message : String(error);
}

scope.onmessage = (event) => {
  write(event.data).then(
    (file) => scope.postMessage({ kind: "file", file }),
    (error: unknown) => scope.postMessage({ kind: "failed", error: describe(error) }),
  );
};
