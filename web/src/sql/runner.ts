/**
 * A place where SQL runs: the native engine (native.ts) or DuckDB in the page (page.ts). Both return the same answers.
 */
import type { SqlResult } from "../transport/protocol.ts";

export interface SqlRunner {
  /**
   * Runs every statement of the text. Resolves with the result of the last one, also if a statement fails or is
   * cancelled. Rejects if the statements cannot run at all. An aborted signal means that the result is no longer
   * needed.
   */
  run(text: string, signal: AbortSignal): Promise<SqlResult>;
  /** Cancels the current statements; their result reports that. */
  cancel(): void;
  /** True while there are statements to cancel. */
  readonly canCancel: boolean;
  /** Cancels the statements and frees all memory. */
  close(): void;
}
