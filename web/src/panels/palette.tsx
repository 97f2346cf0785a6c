/** The command palette: every command by its name. */
import { useState } from "preact/hooks";
import type { Viewer } from "../viewer.ts";
import type { Command } from "../wasm/view.ts";
import { Keys } from "./keys.tsx";

export function Palette({ viewer }: { viewer: Viewer }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const words = text.toLowerCase().split(/\s+/);
  const found = viewer.commands.filter((c) => words.every((word) => `${c.group} ${c.title}`.toLowerCase().includes(word)));
  const current = Math.min(at, found.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    viewer.dialog.set(null);
    viewer.run(command.name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(found.length - 1, current + step)));
      document.getElementById(`command-${current + step}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[current]);
    }
  };
  return (
    <div class="palette">
      <input
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={current >= 0 ? `command-${current}` : undefined}
        placeholder="Command"
        autocomplete="off"
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, i) => (
          <li
            key={command.name}
            id={`command-${i}`}
            role="option"
            aria-selected={i === current}
            onClick={() => run(command)}
          >
            <span>{command.title}</span>
            <span>
              <Keys keys={command.keys} />
            </span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">There is no such command.</p>}
    </div>
  );
}
