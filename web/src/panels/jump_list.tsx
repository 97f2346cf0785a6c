/** The jump list: processes, threads and counters by their names. */
import { useEffect, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { Chooser } from "./chooser.tsx";
import { formatCount, formatNumber } from "./format.ts";

export function JumpList({ viewer }: { viewer: Viewer }) {
  const { jump } = viewer;
  const { count, rows } = useStore(jump.found);
  const [text, setText] = useState("");
  useEffect(() => {
    jump.type("");
    return () => jump.stop();
  }, [jump]);
  const onType = (typed: string) => {
    setText(typed);
    jump.type(typed);
  };
  const onChoose = (_: unknown, index: number) => {
    viewer.goToRow(index);
    viewer.dialog.set(null);
  };
  return (
    <>
      <Chooser
        label="Name of a process, thread or counter"
        title="Processes, threads and counters"
        text={text}
        items={rows}
        none={jump.isRunning ? "Searching…" : "No name contains these words."}
        keyOf={({ kind, trace, index }) => `${kind} ${trace} ${index}`}
        onType={onType}
        onChoose={onChoose}
        row={({ title, group, noun }) => (
          <>
            <span class="choice-title" title={title}>
              {title}
            </span>
            <span class="muted">{group === "" ? noun : `${noun} of ${group}`}</span>
          </>
        )}
      />
      <p class="muted" role="status">
        {count > rows.length ? `The best ${formatNumber(rows.length)} of ${formatCount(count, "row")}` : ""}
      </p>
    </>
  );
}
