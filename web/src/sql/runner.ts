/** A place where SQL runs: the native engine (native.ts) or DuckDB in the page (page.ts). Both give the same answers. */
import type { SqlResult } from "../carrier/protocol.ts";

export interface SqlRunner {
  /**
   * Runs every statement of the text. Resolves with the result of the last one, also when a statement fails or is cancelled.
   * Rejects where the statements cannot be run at all. An aborted signal means that the result is not needed any longer.
   */
  run(text: string, signal: AbortSignal): Promise<SqlResult>;
  /** Cancels the statements under way: their result says so. */
  cancel(): void;
  /** True while there are statements to cancel. */
  readonly canCancel: boolean;
  /** Cancels, and frees all memory. */
  close(): void;
}
