/** The keys of all commands: each can have up to four, which are removed and recorded here. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { groupTitle, ownerOf, splitKeys, titleOf, type BoundCommand } from "../keys.ts";
import { useStore } from "../store.ts";
import { keyName, modifiersOf } from "../timeline/input.ts";
import type { Viewer } from "../viewer.ts";
import { groupsOf } from "./help.tsx";
import { Icon } from "./icons.tsx";
import { CommandTitle } from "./keys.tsx";
import { t } from "../texts.ts";

const MOST_KEYS = 4;
/** Keys that are pressed on the way to another one. */
const MODIFIER_KEYS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"]);

export function KeysForm({ viewer }: { viewer: Viewer }) {
  const commands = useStore(viewer.keys.commands);
  const [text, setText] = useState("");
  const [recording, setRecording] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const found = commands.filter((command) => words.every((word) => `${groupTitle(command.group)} ${titleOf(command)} ${command.keys}`.toLowerCase().includes(word)));
  return (
    <fieldset class="keys-form">
      <legend>{t("keys.keys")}</legend>
      <input type="search" placeholder={t("keys.filter-commands-and-keys")} aria-label={t("keys.filter-commands-and-keys")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      {found.length === 0 && <p class="muted">{t("common.there-is-no-such")}</p>}
      {groupsOf(found).map(([group, list]) => (
        <section key={group} aria-label={groupTitle(group)}>
          <h3>{groupTitle(group)}</h3>
          {list.map((command) => (
            <KeysOfCommand
              key={command.name}
              viewer={viewer}
              command={command}
              isRecording={recording === command.name}
              onRecord={(starts) => setRecording(starts ? command.name : "")}
            />
          ))}
        </section>
      ))}
    </fieldset>
  );
}

interface CommandProps {
  viewer: Viewer;
  command: BoundCommand;
  isRecording: boolean;
  onRecord: (starts: boolean) => void;
}

function KeysOfCommand({ viewer, command, isRecording, onRecord }: CommandProps) {
  const keys = splitKeys(command.keys);
  const add = useRef<HTMLButtonElement>(null);
  const change = (wanted: string[]) => {
    viewer.keys.change(command, wanted);
    add.current?.focus(); // the button that was used may be gone
  };
  const end = () => {
    onRecord(false);
    setTimeout(() => add.current?.focus()); // after the button is there again
  };
  return (
    <div class="keys-row" data-command={command.name}>
      <CommandTitle command={command} />
      <span class="keys-list">
        {keys.map((key) => (
          <span key={key} class="key-chip">
            <kbd>{key}</kbd>
            <button type="button" class="key-remove" title={t("keys.remove-the-key", { key })} aria-label={t("keys.remove-the-key-of", { key, title: titleOf(command) })} onClick={() => change(keys.filter((one) => one !== key))}>
              <Icon name="close" />
            </button>
          </span>
        ))}
        {isRecording ? (
          <Recorder
            viewer={viewer}
            command={command}
            onKey={(key) => {
              viewer.keys.change(command, [...keys.filter((one) => one !== key), key]);
              end();
            }}
            onCancel={end}
          />
        ) : (
          keys.length < MOST_KEYS && (
            <button ref={add} type="button" class="link" aria-label={t("keys.add-a-key-for", { title: titleOf(command) })} onClick={() => onRecord(true)}>
              {t("common.add")}
            </button>
          )
        )}
        {command.keys !== command.defaults && !isRecording && (
          <button type="button" class="link" aria-label={t("keys.default-keys-for", { title: titleOf(command) })} title={command.defaults === "" ? t("keys.by-default-there-is") : t("keys.by-default", { defaults: command.defaults })} onClick={() => change(splitKeys(command.defaults))}>
            {t("common.default")}
          </button>
        )}
      </span>
    </div>
  );
}

interface RecorderProps {
  viewer: Viewer;
  command: BoundCommand;
  onKey: (key: string) => void;
  onCancel: () => void;
}

/** Waits for a key. A key of another command is moved here only if the user says so. */
function Recorder({ viewer, command, onKey, onCancel }: RecorderProps) {
  const field = useRef<HTMLButtonElement>(null);
  const [taken, setTaken] = useState<{ key: string; title: string } | null>(null);
  const [problem, setProblem] = useState("");
  useLayoutEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Tab" || MODIFIER_KEYS.has(event.key)) return; // Tab leaves
    event.preventDefault();
    event.stopPropagation();
    if (event.code === "Escape" && modifiersOf(event) === 0) return onCancel();
    const key = viewer.keys.textOf(keyName(event), modifiersOf(event));
    const reason = viewer.keys.problemOf(command, key);
    setProblem(reason);
    setTaken(null);
    if (reason !== "") return;
    const owner = ownerOf(viewer.keys.commands.value, command, key);
    if (owner === null) onKey(key);
    else setTaken({ key, title: titleOf(owner) });
  };
  return (
    <>
      <button ref={field} type="button" class="key-recorder" aria-label={t("keys.press-a-key-esc", { title: titleOf(command) })} onKeyDown={onKeyDown}>
        {t("keys.press-a-key-esc-2")}
      </button>
      {problem !== "" && (
        <span class="error" role="alert">
          {problem}
        </span>
      )}
      {taken !== null && (
        <span class="key-taken" role="alert">
          {t("keys.taken", { key: taken.key, title: taken.title })}
          <button type="button" class="link" onClick={() => onKey(taken.key)}>
            {t("keys.move-it-here")}
          </button>
        </span>
      )}
      <button type="button" class="link" onClick={onCancel}>
        {t("common.cancel")}
      </button>
    </>
  );
}
