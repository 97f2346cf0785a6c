/** The settings of the user. */
import { useRef, useState } from "preact/hooks";
import { TEXT_SIZES } from "../font_size.ts";
import { messageOf } from "../transport/transport.ts";
import { PRESETS, presetOf, withPreset } from "../presets.ts";
import { saveBytes } from "../saving.ts";
import { heightOf, type RecentChoice, type RowHeight } from "../settings.ts";
import type { ThemeChoice } from "../theme.ts";
import { settingsText } from "../settings_file.ts";
import { useStore } from "../store.ts";
import { TIME_UNITS, unitName, unitOf, withUnit } from "../time_unit.ts";
import type { Viewer } from "../viewer.ts";
import { ViewOption } from "generated/border.ts";
import { KeysForm } from "./keys_form.tsx";
import { languages, t, titled, type PlainId } from "../texts.ts";

const THEMES: [ThemeChoice, PlainId][] = [
  ["system", "settings.as-the-system"],
  ["dark", "settings.dark"],
  ["light", "settings.light"],
];

const HEIGHTS: [RowHeight, PlainId][] = [
  ["compact", "settings.compact-without-names"],
  ["normal", "common.normal"],
  ["roomy", "common.roomy"],
];

const RECENT: [RecentChoice, PlainId][] = [
  ["listed", "settings.recent-listed"],
  ["off", "settings.recent-off"],
];

export function SettingsForm({ viewer }: { viewer: Viewer }) {
  const saved = useStore(viewer.settings.saved);
  const { theme, options, recent, textSize } = saved;
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
          <legend>{t("settings.theme")}</legend>
          <Choices name="theme" values={titled(THEMES)} value={theme} onChange={(value) => viewer.settings.change({ theme: value })} />
        </fieldset>
        <LanguageChoice viewer={viewer} />
        <fieldset>
          <legend>{t("common.rows")}</legend>
          <Choices name="rows" values={titled(HEIGHTS)} value={heightOf(options)} onChange={(value) => viewer.settings.setHeight(value)} />
        </fieldset>
        <fieldset>
          <legend>{t("settings.dragging")}</legend>
          {choice(ViewOption.DragPans, t("settings.selects-an-area-with"), t("settings.pans-with-shift-it"))}
        </fieldset>
        <fieldset>
          <legend>{t("settings.mouse-wheel")}</legend>
          {choice(ViewOption.WheelZooms, t("settings.scrolls-rows-with-ctrl"), t("settings.zooms-with-ctrl-it"))}
        </fieldset>
        <fieldset>
          <legend>{t("settings.unit-of-times")}</legend>
          <Choices name="time-unit" values={TIME_UNITS.map((unit) => [unit, unit === "automatic" ? t("settings.automatic") : unitName(unit)])} value={unitOf(options)} onChange={(value) => viewer.settings.change({ options: withUnit(options, value) })} />
        </fieldset>
        <fieldset>
          <legend>{t("settings.text-size")}</legend>
          <Choices name="text-size" values={titled(TEXT_SIZES)} value={textSize} onChange={(value) => viewer.settings.change({ textSize: value })} />
        </fieldset>
        <fieldset>
          <legend>{t("recent.recent-files")}</legend>
          <Choices name="recent" values={titled(RECENT)} value={recent} onChange={(value) => viewer.settings.change({ recent: value })} />
        </fieldset>
      </div>
      <fieldset>
        <legend>{t("settings.keys-and-mouse-as")}</legend>
        <div class="settings-presets">
          {PRESETS.map((row) => (
            <button key={row.name} type="button" aria-pressed={row.name === preset} onClick={() => viewer.settings.change(withPreset(saved, row))}>
              {row.name}
            </button>
          ))}
          {preset === "" && <span class="muted">{t("settings.changed-a-preset-replaces")}</span>}
        </div>
      </fieldset>
      <KeysForm viewer={viewer} />
      <SettingsFileButtons viewer={viewer} />
    </form>
  );
}

/** The choice of the language, if the page has several. */
function LanguageChoice({ viewer }: { viewer: Viewer }) {
  const { language } = useStore(viewer.settings.saved);
  const all = languages();
  if (all.length < 2) return null;
  return (
    <fieldset>
      <legend>{t("settings.language")}</legend>
      <select id="language" aria-label={t("settings.language")} value={language} onChange={(event) => viewer.settings.change({ language: event.currentTarget.value })}>
        <option value="system">{t("settings.as-the-browser")}</option>
        {all.map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </fieldset>
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
      viewer.say(t("settings.the-settings-were-imported"));
    } catch (error) {
      setProblem(t("settings.nothing-was-changed", { name: file.name, error: messageOf(error) }));
    }
    if (input.current !== null) input.current.value = ""; // so that the same file can be chosen again
  };
  return (
    <>
      <div class="settings-file">
        <button type="button" onClick={() => saveBytes(viewer, settingsText(viewer.settings.saved.value), "varve-settings.json")}>
          {t("settings.export")}
        </button>
        <button type="button" onClick={() => input.current?.click()}>
          {t("common.import")}
        </button>
        <button type="button" onClick={() => viewer.settings.reset()}>
          {t("settings.reset-all-settings")}
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
