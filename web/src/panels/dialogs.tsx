/** What opens over the page: help, settings, the command palette, the import report. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ThemeChoice } from "../settings.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { ViewOption, type Command } from "../wasm/view.ts";
import { IconButton } from "./icons.tsx";
import { Report } from "./report.tsx";

export function Dialogs({ viewer }: { viewer: Viewer }) {
  const name = useStore(viewer.dialog);
  switch (name) {
    case null:
      return null;
    case "help":
      return (
        <Dialog viewer={viewer} title="Keys and gestures" wide>
          <Help viewer={viewer} />
        </Dialog>
      );
    case "report":
      return (
        <Dialog viewer={viewer} title="Import report" wide>
          <Report viewer={viewer} />
        </Dialog>
      );
    case "settings":
      return (
        <Dialog viewer={viewer} title="Settings">
          <SettingsForm viewer={viewer} />
        </Dialog>
      );
    case "palette":
      return (
        <Dialog viewer={viewer} title="Commands">
          <Palette viewer={viewer} />
        </Dialog>
      );
  }
}

interface DialogProps {
  viewer: Viewer;
  title: string;
  wide?: boolean;
  children: ComponentChildren;
}

function Dialog({ viewer, title, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return () => viewer.focusTimeline();
  }, [viewer]);
  const close = () => viewer.dialog.set(null);
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close(); // beside it
      }}
    >
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <IconButton icon="close" label="Close (Esc)" onClick={close} />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

function Keys({ keys }: { keys: string }) {
  const parts = keys.split(/\s{2,}/).filter((part) => part !== "");
  return (
    <>
      {parts.map((part) => (
        <kbd key={part}>{part}</kbd>
      ))}
    </>
  );
}

function groupsOf(commands: Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}

function Help({ viewer }: { viewer: Viewer }) {
  return (
    <div class="help">
      {groupsOf(viewer.commands.filter((command) => command.keys !== "")).map(([group, commands]) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl>
            {commands.map((command) => (
              <div key={command.name} class="help-row">
                <dt>{command.title}</dt>
                <dd>
                  <Keys keys={command.keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

const THEMES: [ThemeChoice, string][] = [
  ["system", "As the system"],
  ["dark", "Dark"],
  ["light", "Light"],
];

function SettingsForm({ viewer }: { viewer: Viewer }) {
  const { theme, options } = useStore(viewer.settings.saved);
  const choice = (option: ViewOption, off: string, on: string) => (
    <Choices
      name={`option-${option}`}
      values={[
        ["off", off],
        ["on", on],
      ]}
      value={(options & option) !== 0 ? "on" : "off"}
      onChange={(value) => viewer.settings.setOption(option, value === "on")}
    />
  );
  return (
    <form class="settings" onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>Theme</legend>
        <Choices name="theme" values={THEMES} value={theme} onChange={(value) => viewer.settings.change({ theme: value })} />
      </fieldset>
      <fieldset>
        <legend>Dragging</legend>
        {choice(ViewOption.DragPans, "Selects an area; with Shift it pans", "Pans; with Shift it selects an area")}
      </fieldset>
      <fieldset>
        <legend>Mouse wheel</legend>
        {choice(ViewOption.WheelZooms, "Scrolls rows; with Ctrl it zooms", "Zooms; with Ctrl it scrolls rows")}
      </fieldset>
      <fieldset>
        <legend>Rows</legend>
        {choice(ViewOption.Compact, "With names", "Compact, without names")}
      </fieldset>
    </form>
  );
}

interface ChoicesProps<T extends string> {
  name: string;
  values: [T, string][];
  value: T;
  onChange(value: T): void;
}

function Choices<T extends string>({ name, values, value, onChange }: ChoicesProps<T>) {
  return (
    <>
      {values.map(([key, title]) => (
        <label key={key}>
          <input type="radio" name={name} checked={key === value} onChange={() => onChange(key)} />
          {title}
        </label>
      ))}
    </>
  );
}

function Palette({ viewer }: { viewer: Viewer }) {
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
        placeholder="What to do"
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
