/** SQL in the native engine: one of its threads runs the statements, and the page polls for the result. */
import { requestJson, type Load } from "../transport/transport.ts";
import type { SqlResult, SqlRun } from "../transport/protocol.ts";
import type { SqlRunner } from "./runner.ts";

/** The pauses between polls; the last one repeats. */
const POLL_MS = [5, 10, 20, 40, 80, 160, 250];

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const timer = setTimeout(resume, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resume();
    });
  });
}

export class NativeSql implements SqlRunner {
  /** The id of the current statements in the engine. */
  private running: number | null = null;

  /** Answers of the engine refer to all of its traces, so `load` can be any of them. */
  constructor(private load: Load) {}

  get canCancel(): boolean {
    return this.running !== null;
  }

  async run(text: string, signal: AbortSignal): Promise<SqlResult> {
    const bytes = await this.load.post("sql", {}, text, signal);
    const { run } = JSON.parse(new TextDecoder().decode(bytes)) as SqlRun;
    this.running = run;
    try {
      for (let i = 0; ; i++) {
        const result = await requestJson(this.load, "sql-result", { run }, signal);
        if (result.state !== "running") return result;
        await pause(POLL_MS[Math.min(i, POLL_MS.length - 1)] as number, signal);
      }
    } finally {
      if (this.running === run) this.running = null;
    }
  }

  cancel(): void {
    if (this.running !== null) this.load.post("sql-cancel", { run: this.running }, "").catch(() => undefined);
  }

  close(): void {
    this.cancel();
  }
}
