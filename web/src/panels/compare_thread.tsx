/** The field of the comparison for a thread. */
import { useEffect, useState } from "preact/hooks";
import { requestJson } from "../transport/transport.ts";
import type { CompareChoice } from "../compare.ts";
import type { Viewer } from "../viewer.ts";
import { t } from "../texts.ts";

const NAMES = "compare-threads";
const MOST_NAMES = 100;

/** Returns the names of the threads of both traces without their ids, which differ from run to run; those with the most time first. */
async function namesOf(viewer: Viewer, { a, b }: CompareChoice): Promise<string[]> {
  const loads = [...new Set([a, b])].flatMap((trace) => viewer.loading.ready[trace] ?? []);
  const answers = await Promise.all(loads.map((load) => requestJson(load, "stats", { by: "thread" })));
  const names = answers.flatMap(({ rows }) => rows.slice(0, MOST_NAMES).map(({ name }) => (name ?? "").replace(/ \(\d+\)$/, "")));
  return [...new Set(names)].filter((name) => name !== "");
}

export function CompareThread({ viewer, choice }: { viewer: Viewer; choice: CompareChoice }) {
  const [text, setText] = useState(choice.thread);
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => setText(choice.thread), [choice.thread]);
  return (
    <>
      <input
        type="search"
        id="compare-thread"
        autocomplete="off"
        spellcheck={false}
        list={NAMES}
        placeholder={t("compare.all-threads")}
        aria-label={t("common.thread")}
        title={t("compare.thread-hint")}
        value={text}
        onFocus={() => void namesOf(viewer, choice).then(setNames, () => undefined)} // any name can be typed without the list
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => viewer.comparison.choose({ thread: text.trim() })}
      />
      <datalist id={NAMES}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
