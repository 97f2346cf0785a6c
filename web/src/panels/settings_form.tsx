/** The settings of the user. */
import { heightOf, type RowHeight, type ThemeChoice } from "../settings.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { ViewOption } from "generated/border.ts";

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

export function SettingsForm({ viewer }: { viewer: Viewer }) {
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
        <Choices name="rows" values={HEIGHTS} value={heightOf(options)} onChange={(value) => viewer.settings.setHeight(value)} />
      </fieldset>
    </form>
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
