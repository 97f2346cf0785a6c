/** The command palette: every command by its name. */
import { useState } from "preact/hooks";
import type { BoundCommand } from "../keys.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { Chooser } from "./chooser.tsx";
import { Keys } from "./keys.tsx";

export function Palette({ viewer }: { viewer: Viewer }) {
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const found = useStore(viewer.keys.commands).filter((c) => words.every((word) => `${c.group} ${c.title}`.toLowerCase().includes(word)));
  const run = (command: BoundCommand) => {
    viewer.dialog.set(null);
    viewer.run(command.name);
  };
  return (
    <Chooser
      label="Command"
      title="Commands"
      text={text}
      items={found}
      none="There is no such command."
      keyOf={(command) => command.name}
      onType={setText}
      onChoose={run}
      row={(command) => (
        <>
          <span>{command.title}</span>
          <span>
            <Keys keys={command.keys} />
          </span>
        </>
      )}
    />
  );
}
