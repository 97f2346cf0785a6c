/** The keys of a command. */
import { KeyContext } from "generated/border.ts";
import { splitKeys } from "../keys.ts";
import { t } from "../texts.ts";

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
