/** The view of a trace for a cut of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOfCut } from "../src/cut_view.ts";
import type { InfoAnswer } from "../src/transport/protocol.ts";

/** The cut begins 100 ticks after the trace. */
const TIME = { begin_ns: 1100, ns_per_tick: [1, 1] } as unknown as InfoAnswer["time"];
const cut = (shown: object) => (JSON.parse(viewOfCut(JSON.stringify({ varve_view: 1, traces: [shown] }), 1000n, TIME)) as { traces: Record<string, unknown>[] }).traces[0];

test("times are those of the cut; its identity is not known", () => {
  assert.deepEqual(cut({ identity: "12", hidden_categories: "1", range: { begin: 90, end: 200 }, slice: { begin: 120, name: "f" } }), {
    identity: "",
    range: { begin: -10, end: 100 },
    slice: { begin: 20, name: "f" },
  });
});

test("a note begins with the cut at the earliest; marks and selections before it are left out", () => {
  const marks = [{ begin: 50, text: "before" }, { begin: 50, end: 150, text: "reaches in" }, { begin: 100, text: "at the begin" }];
  assert.deepEqual(cut({ marks, slice: { begin: 50, name: "f" } }), {
    identity: "",
    marks: [{ begin: 0, end: 50, text: "reaches in" }, { begin: 0, text: "at the begin" }],
  });
});
