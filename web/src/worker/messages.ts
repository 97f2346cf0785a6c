/** The messages between the page and the worker of a trace. */
import type { FileSource } from "./file_source.ts";
import type { CaptureAxis } from "../timeline/axis.ts";

/** isWhole: a `.varve` file at an address is loaded as a whole, not read by ranges. */
export type Input = { kind: "file"; file: File } | { kind: "url"; url: string; isWhole: boolean };

/** The perspective for which a trace is loaded: by name, "" = the first of the format, null = all. */
export type Perspective = string | null;

/** The files of the page that the worker needs. */
export interface WorkerFiles {
  engine: FileSource;
  /** An engine for the traces that the first one cannot read; null = the first one reads all formats. */
  complete: FileSource | null;
  brotli: FileSource;
}

export type ToWorker =
  /** Starts the engine before the trace is known. */
  | { kind: "prepare"; engine: FileSource }
  /** mostBytes: only the begin of the input is loaded, up to this size; 0 = all. */
  | { kind: "open"; name: string; input: Input; perspective: Perspective; mostBytes: number; axis: CaptureAxis; files: WorkerFiles }
  /** Requests the input as it was before it was decompressed. */
  | { kind: "source" }
  | { kind: "request"; id: number; request: string; body: ArrayBuffer | null };

export type Phase = "downloading" | "decompressing" | "reading" | "sorting" | "indexing";

/** isRunning: the request must be sent again to continue the work. */
export type AnswerMessage = { kind: "answer"; id: number; bytes: ArrayBuffer; isRunning: boolean; error: string | null };

export type FromWorker =
  | { kind: "progress"; phase: Phase; done: number; total: number }
  /** wholeBytes: the size of a file that is read by ranges; null = it was loaded. */
  | { kind: "ready"; note: string | null; wholeBytes: number | null }
  | { kind: "source"; file: Blob }
  /** wholeBytes: the file cannot be read by ranges, but loaded as a whole: its size, 0 = unknown. */
  | { kind: "failed"; error: string; wholeBytes: number | null }
  | AnswerMessage;

/** From the worker that writes Parquet; it receives the bytes of an Arrow IPC stream. share: the written part, 0 to 1. */
export type FromParquetWorker = { kind: "share"; share: number } | { kind: "file"; file: Blob } | { kind: "failed"; error: string };
