/** The selected area, and its statistics. */
import { requestJson, type Load, type Parameters } from "./carrier/carrier.ts";
import type { StatsAnswer, StatsRow } from "./carrier/protocol.ts";

/** The part of the selected area that lies in one trace; end "": the whole trace. */
export interface AreaPart {
  trace: number;
  begin: string;
  end: string;
  tracks: number[];
}

/** Where it lies in the first of its traces, and the names of all. */
export interface Area extends AreaPart {
  parts: AreaPart[];
  stats: AreaStats | null;
  error: string | null;
}

/** The groups that have a row each: --by of `varve stats`. */
export type AreaGroup = "name" | "category" | "thread" | "process";

export interface AreaStats {
  by: AreaGroup;
  slices: number;
  names: number;
  left_out_tracks: number;
  /** The perspectives that count, each once; empty where traces show their work in one way. */
  perspectives: string[];
  /** One for each trace. */
  totals: string[];
  rows: AreaRow[];
}

export interface AreaRow extends StatsRow {
  trace: number;
}

function joined(parts: AreaPart[], by: AreaGroup, answers: StatsAnswer[]): AreaStats {
  const sum = (key: "slices" | "names" | "left_out_tracks") => answers.reduce((all, answer) => all + answer[key], 0);
  return {
    by,
    slices: sum("slices"),
    names: sum("names"),
    left_out_tracks: sum("left_out_tracks"),
    perspectives: [...new Set(answers.flatMap((answer) => answer.perspective ?? []))],
    totals: answers.map((answer) => answer.total.text),
    rows: answers.flatMap((answer, i) => answer.rows.map((row) => ({ ...row, trace: parts[i]?.trace ?? 0 }))),
  };
}

/** The whole of the first `count` traces. */
export function wholeParts(count: number): AreaPart[] {
  return Array.from({ length: count }, (_, trace) => ({ trace, begin: "", end: "", tracks: [] }));
}

function parametersOf({ begin, end, tracks }: AreaPart): Parameters {
  return end === "" ? {} : { begin, end, tracks: tracks.join(",") };
}

/** Counts the parts of an area. `hidden`: the parameters that hide categories of a trace. */
export async function askStats(
  loads: readonly Load[],
  parts: AreaPart[],
  by: AreaGroup,
  hidden: (trace: number) => Parameters,
  signal: AbortSignal,
): Promise<AreaStats> {
  const answers = parts.map((part) => {
    const load = loads[part.trace];
    if (load === undefined) throw new Error("The trace is not open any more.");
    return requestJson<StatsAnswer>(load, "stats", { by, ...parametersOf(part), ...hidden(part.trace) }, signal);
  });
  return joined(parts, by, await Promise.all(answers));
}
