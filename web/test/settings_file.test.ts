import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings, settingsText, type FileSettings } from "../src/settings_file.ts";
import { ViewOption } from "generated/border.ts";

const CHANGED: FileSettings = {
  theme: "light",
  language: "de",
  recent: "off",
  textSize: "large",
  options: ViewOption.Compact | ViewOption.ByDuration | ViewOption.SafeColours | ViewOption.WheelZooms | ViewOption.InUs,
  keys: { "zoom-in": "W  Ctrl+[", "pin-track": "" },
};
const DEFAULTS: FileSettings = { theme: "system", language: "system", options: 0, recent: "listed", textSize: "normal", keys: {} };

test("a file has all settings, a list of keys in a line", () => {
  const text = settingsText(CHANGED);
  assert.match(text, /^\{\n {2}"varve_settings": 1,\n {2}"theme": "light",\n {2}"language": "de",\n/);
  assert.match(text, /\n {4}"zoom-in": \["W", "Ctrl\+\["\],\n {4}"pin-track": \[\]\n/);
  assert.deepEqual(readSettings(text), CHANGED);
  assert.deepEqual(readSettings(settingsText(DEFAULTS)), DEFAULTS);
});

test("absent members have their defaults", () => {
  assert.deepEqual(readSettings('{"varve_settings": 1}'), DEFAULTS);
  assert.deepEqual(readSettings('{"varve_settings": 1, "rows": "roomy", "drag": "pans"}'), { ...DEFAULTS, options: ViewOption.Roomy | ViewOption.DragPans });
});

test("bad files are refused with the reason", () => {
  const wrong: [string, RegExp][] = [
    ["{", /^not JSON: /],
    ["[]", /no member "varve_settings"/],
    ["null", /no member "varve_settings"/],
    ['{"varve_view": 1}', /no member "varve_settings"/],
    ['{"varve_settings": 2}', /^the version of the file is 2; this viewer reads version 1$/],
    ['{"varve_settings": 1, "colour": 1}', /^there is no setting "colour"$/],
    ['{"varve_settings": 1, "theme": "blue"}', /^theme: expected "system", "dark" or "light", not "blue"$/],
    ['{"varve_settings": 1, "palette": "bright"}', /^palette: expected "standard" or "safe", not "bright"$/],
    ['{"varve_settings": 1, "theme": null, "drag": 5}', /^drag: expected "selects" or "pans", not 5$/],
    ['{"varve_settings": 1, "recent_files": true}', /^recent_files: expected "listed" or "off", not true$/],
    ['{"varve_settings": 1, "time_unit": "h"}', /^time_unit: expected "automatic", "s", "ms", "us" or "ns", not "h"$/],
    ['{"varve_settings": 1, "text_size": 12}', /^text_size: expected "small", "normal", "large" or "larger", not 12$/],
    ['{"varve_settings": 1, "keys": ["W"]}', /^keys: expected an object/],
    ['{"varve_settings": 1, "keys": {"zoom-in": "W"}}', /^keys: zoom-in: expected a list of keys/],
    ['{"varve_settings": 1, "keys": {"zoom-in": [1]}}', /^keys: zoom-in: expected a list of keys/],
  ];
  for (const [text, reason] of wrong) assert.throws(() => readSettings(text), { message: reason }, text);
});
