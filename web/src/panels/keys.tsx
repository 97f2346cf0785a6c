/** The title of a command, and its keys. */
import { KeyContext } from "generated/border.ts";
import { splitKeys, titleOf } from "../keys.ts";
import type { Command } from "../wasm/view.ts";
import { t } from "../texts.ts";

/** The title of a command. It says when its keys apply, because another command can have the same title. */
export function CommandTitle({ command }: { command: Command }) {
  return (
    <span>
      {titleOf(command)}
      {command.context === KeyContext.Unselected && <span class="muted"> {t("keys.nothing-selected-2")}</span>}
    </span>
  );
}

export function Keys({ keys, context = KeyContext.Any }: { keys: string; context?: KeyContext }) {
  const parts = splitKeys(keys);
  return (
    <>
      {parts.map((part) => (
        <kbd key={part}>{part}</kbd>
      ))}
      {parts.length > 0 && context === KeyContext.Unselected && <span class="muted"> {t("keys.nothing-selected")}</span>}
    </>
  );
}
