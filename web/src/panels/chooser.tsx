/** A text field with a list below it: typing changes the list, the arrow keys move in it, Enter or a click chooses. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface ChooserProps<T> {
  /** Of the field. */
  label: string;
  /** Of the list. */
  title: string;
  text: string;
  items: readonly T[];
  /** Shown below an empty list. */
  none: string;
  keyOf: (item: T) => string;
  onType: (text: string) => void;
  onChoose: (item: T, index: number) => void;
  row: (item: T) => ComponentChildren;
}

export function Chooser<T>({ label, title, text, items, none, keyOf, onType, onChoose, row }: ChooserProps<T>) {
  const [at, setAt] = useState(0);
  const current = Math.min(at, items.length - 1);
  const choose = (index: number) => {
    const item = items[index];
    if (item !== undefined) onChoose(item, index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(items.length - 1, current + step));
      setAt(next);
      document.getElementById(`choice-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(current);
    }
  };
  return (
    <div class="chooser">
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={current >= 0 ? `choice-${current}` : undefined}
        placeholder={label}
        autocomplete="off"
        autofocus
        value={text}
        onInput={(event) => {
          onType(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="choices" role="listbox" aria-label={title}>
        {items.map((item, i) => (
          <li key={keyOf(item)} id={`choice-${i}`} role="option" aria-selected={i === current} onClick={() => choose(i)}>
            {row(item)}
          </li>
        ))}
      </ul>
      {items.length === 0 && <p class="muted">{none}</p>}
    </div>
  );
}
