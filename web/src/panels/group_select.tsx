/** The choice of the rows of statistics: a key of slices, or the values of an argument. */
import { useEffect, useRef, useState } from "preact/hooks";
import { argumentOf, askArgumentNames, type AreaGroup, type AreaPart } from "../areas.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { t, titled } from "../texts.ts";

const KEYS = [
  ["name", "group-select.by-name"],
  ["category", "group-select.by-category"],
  ["thread", "group-select.by-thread"],
  ["process", "group-select.by-process"],
  ["argument", "group-select.by-argument"],
] as const;
const NAMES = "argument-names";

export function GroupSelect({ viewer, parts }: { viewer: Viewer; parts: AreaPart[] }) {
  const group = useStore(viewer.areaGroup);
  /** "argument" was chosen, but its name is not known yet. */
  const [isOpen, setIsOpen] = useState(false);
  const argument = argumentOf(group);
  const hasArgument = isOpen || argument !== null;
  return (
    <>
      <select
        class="area-group"
        aria-label={t("common.a-row-for-each")}
        value={hasArgument ? "argument" : group}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setIsOpen(value === "argument");
          if (value !== "argument") viewer.areaGroup.set(value as AreaGroup);
        }}
      >
        {titled(KEYS).map(([key, title]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
      {hasArgument && <ArgumentName viewer={viewer} parts={parts} name={argument ?? ""} takesFocus={isOpen} />}
    </>
  );
}

interface ArgumentNameProps {
  viewer: Viewer;
  parts: AreaPart[];
  name: string;
  takesFocus: boolean;
}

/** A field for the name of an argument, with a list of the names that occur in the parts. */
function ArgumentName({ viewer, parts, name, takesFocus }: ArgumentNameProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(name);
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => setText(name), [name]);
  useEffect(() => {
    if (takesFocus) input.current?.focus();
  }, [takesFocus]);
  useEffect(() => {
    const job = new AbortController();
    askArgumentNames(viewer, parts, job.signal).then(setNames, () => undefined); // any name can be typed without the list
    return () => job.abort();
  }, [viewer, parts]);
  return (
    <>
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        class="area-argument"
        list={NAMES}
        placeholder={t("group-select.argument")}
        aria-label={t("group-select.name-of-the-argument")}
        ref={input}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => {
          if (text !== "") viewer.areaGroup.set(`arg:${text}`);
        }}
      />
      <datalist id={NAMES}>
        {names.map((other) => (
          <option key={other} value={other} />
        ))}
      </datalist>
    </>
  );
}
