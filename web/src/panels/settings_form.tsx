/** The settings of the user. */
import { useRef, useState } from "preact/hooks";
import { messageOf } from "../transport/transport.ts";
import { PRESETS, presetOf, withPreset } from "../presets.ts";
import { saveBytes } from "../saving.ts";
import { heightOf, type RecentChoice, type RowHeight, type ThemeChoice } from "../settings.ts";
import { settingsText } from "../settings_file.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { ViewOption } from "generated/border.ts";
import { KeysForm } from "./keys_form.tsx";

const THEMES: [ThemeChoice, string][] = [
  ["system", "As the system"],
  ["dark", "Dark"],
  ["light", "Light"],
];

const HEIGHTS: [RowHeight, string][] = [
  ["compact", "Compact, without names"],
  ["normal", "Normal"],
  ["roomy", "Roomy"],
];

const RECENT: [RecentChoice, string][] = [
  ["listed", "Listed when files are opened"],
  ["off", "Not listed; the present list is removed"],
];

export function SettingsForm({ viewer }: { viewer: Viewer }) {
  const saved = useStore(viewer.settings.saved);
  const { theme, options, recent } = saved;
  const preset = presetOf(saved);
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
      <div class="settings-columns">
        <fieldset>
          <legend>Theme</legend>
          <Choices name="theme" values={THEMES} value={theme} onChange={(value) => viewer.settings.change({ theme: value })} />
        </fieldset>
        <fieldset>
          <legend>Rows</legend>
          <Choices name="rows" values={HEIGHTS} value={heightOf(options)} onChange={(value) => viewer.settings.setHeight(value)} />
        </fieldset>
        <fieldset>
          <legend>Recent files</legend>
          <Choices name="recent" values={RECENT} value={recent} onChange={(value) => viewer.settings.change({ recent: value })} />
        </fieldset>
        <fieldset>
          <legend>Dragging</legend>
          {choice(ViewOption.DragPans, "Selects an area; with Shift it pans", "Pans; with Shift it selects an area")}
        </fieldset>
        <fieldset>
          <legend>Mouse wheel</legend>
          {choice(ViewOption.WheelZooms, "Scrolls rows; with Ctrl it zooms", "Zooms; with Ctrl it scrolls rows")}
        </fieldset>
      </div>
      <fieldset>
        <legend>Keys and mouse as in</legend>
        <div class="settings-presets">
          {PRESETS.map((row) => (
            <button key={row.name} type="button" aria-pressed={row.name === preset} onClick={() => viewer.settings.change(withPreset(saved, row))}>
              {row.name}
            </button>
          ))}
          {preset === "" && <span class="muted">changed; a preset replaces all keys</span>}
        </div>
      </fieldset>
      <KeysForm viewer={viewer} />
      <SettingsFileButtons viewer={viewer} />
    </form>
  );
}

function SettingsFileButtons({ viewer }: { viewer: Viewer }) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const read = async () => {
    const file = input.current?.files?.[0];
    if (file === undefined) return;
    try {
      viewer.applySettings(await file.text());
      setProblem("");
      viewer.say("The settings were imported.");
    } catch (error) {
      setProblem(`${file.name}: ${messageOf(error)}. Nothing was changed.`);
    }
    if (input.current !== null) input.current.value = ""; // so that the same file can be chosen again
  };
  return (
    <>
      <div class="settings-file">
        <button type="button" onClick={() => saveBytes(viewer, settingsText(viewer.settings.saved.value), "varve-settings.json")}>
          Export
        </button>
        <button type="button" onClick={() => input.current?.click()}>
          Import
        </button>
        <button type="button" onClick={() => viewer.settings.reset()}>
          Reset all settings
        </button>
        <input ref={input} id="settings-input" type="file" accept=".json,application/json" hidden onChange={() => void read()} />
      </div>
      {problem !== "" && (
        <p class="error" role="alert" id="settings-problem">
          {problem}
        </p>
      )}
    </>
  );
}

interface ChoicesProps<T extends string> {
  name: string;
  values: [T, string][];
  value: T;
  onChange: (value: T) => void;
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
