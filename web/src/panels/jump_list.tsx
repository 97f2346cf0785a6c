/** The jump list: processes, threads and counters by their names. */
import { useEffect, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { Chooser } from "./chooser.tsx";
import { t, word } from "../texts.ts";

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
        label={t("jump-list.name-of-a-process")}
        title={t("jump-list.processes-threads-and-counters")}
        text={text}
        items={rows}
        none={jump.isRunning ? t("jump-list.searching") : t("jump-list.no-name-contains-these")}
        keyOf={({ kind, trace, index }) => `${kind} ${trace} ${index}`}
        onType={onType}
        onChoose={onChoose}
        row={({ title, group, noun }) => {
          const kind = group === "" ? word(noun) : t("jump-list.of-group", { noun: word(noun), group });
          return (
            <>
              <span class="choice-title" title={title}>
                {title}
              </span>
              <span class="muted" title={kind}>
                {kind}
              </span>
            </>
          );
        }}
      />
      <p class="muted" role="status">
        {count > rows.length ? t("jump-list.the-best-of", { number: rows.length, rows: t("count.row", { count }) }) : ""}
      </p>
    </>
  );
}
