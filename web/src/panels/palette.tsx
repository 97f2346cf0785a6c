/** The command palette: every command by its name, and the recent files. */
import { useState } from "preact/hooks";
import { groupTitle, titleOf, type BoundCommand } from "../keys.ts";
import type { RecentFile } from "../recent.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { Chooser } from "./chooser.tsx";
import { CommandTitle, Keys } from "./keys.tsx";
import { t } from "../texts.ts";

type Item = { command: BoundCommand } | { file: RecentFile };

function textOf(item: Item): string {
  return "file" in item ? `${t("palette.open-recent-file")} ${item.file.folder} ${item.file.name}` : `${groupTitle(item.command.group)} ${titleOf(item.command)}`;
}

export function Palette({ viewer }: { viewer: Viewer }) {
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const commands: Item[] = useStore(viewer.keys.commands).map((command) => ({ command }));
  const files: Item[] = useStore(viewer.recent.files).map((file) => ({ file }));
  const found = [...commands, ...files].filter((item) => words.every((word) => textOf(item).toLowerCase().includes(word)));
  const run = (item: Item) => {
    if ("file" in item) return void viewer.openRecent(item.file, "replace");
    viewer.dialog.set(null);
    viewer.run(item.command.name);
  };
  return (
    <Chooser
      label={t("palette.command")}
      title={t("common.commands")}
      text={text}
      items={found}
      none={t("common.there-is-no-such")}
      keyOf={(item) => ("file" in item ? `file ${item.file.id}` : item.command.name)}
      onType={setText}
      onChoose={run}
      row={(item) =>
        "file" in item ? (
          <>
            <span title={item.file.folder === "" ? item.file.name : item.file.id}>{t("palette.open-file", { name: item.file.name })}</span>
            <span class="muted recent-folder">{item.file.folder}</span>
          </>
        ) : (
          <>
            <CommandTitle command={item.command} />
            <span>
              <Keys keys={item.command.keys} />
            </span>
          </>
        )
      }
    />
  );
}
