/** The settings as a file: readable JSON, written and read as a whole. */
import { ViewOption } from "generated/border.ts";
import { TEXT_SIZES } from "./font_size.ts";
import { joinKeys, splitKeys } from "./keys.ts";
import { colourOf, COLOURS, heightOf, paletteOf, PALETTES, withColours, withHeight, type RecentChoice, type RowHeight, type Saved } from "./settings.ts";
import type { ThemeChoice } from "./theme.ts";
import { TIME_UNITS, unitOf, withUnit } from "./time_unit.ts";
import { t } from "./texts.ts";

/** The settings that a file has; the others belong to the window of this browser. */
export type FileSettings = Pick<Saved, "theme" | "language" | "options" | "recent" | "textSize" | "keys">;

const THEMES: readonly ThemeChoice[] = ["system", "dark", "light"];
const HEIGHTS: readonly RowHeight[] = ["compact", "normal", "roomy"];
const DRAGS = ["selects", "pans"] as const;
const WHEELS = ["scrolls", "zooms"] as const;
const RECENT: readonly RecentChoice[] = ["listed", "off"];
const SIZE_NAMES = TEXT_SIZES.map(([name]) => name);
const COLOUR_NAMES = COLOURS.map(([name]) => name);
const PALETTE_NAMES = PALETTES.map(([name]) => name);
const MEMBERS = ["varve_settings", "theme", "language", "rows", "colours", "palette", "drag", "wheel", "time_unit", "text_size", "recent_files", "keys"];
const VERSION = 1;

export function settingsText({ theme, language, options, recent, textSize, keys }: FileSettings): string {
  const lists = Object.fromEntries(Object.entries(keys).map(([name, text]) => [name, splitKeys(text)]));
  const file = {
    varve_settings: VERSION,
    theme,
    language,
    rows: heightOf(options),
    colours: colourOf(options),
    palette: paletteOf(options),
    drag: DRAGS[(options & ViewOption.DragPans) === 0 ? 0 : 1],
    wheel: WHEELS[(options & ViewOption.WheelZooms) === 0 ? 0 : 1],
    time_unit: unitOf(options),
    text_size: textSize,
    recent_files: recent,
    keys: lists,
  };
  return `${JSON.stringify(file, null, 2).replace(/\[\s+([^\]]*?)\s+\]/g, (_, items: string) => `[${items.replace(/\s*\n\s*/g, " ")}]`)}\n`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quoted(values: readonly string[]): string {
  const texts = values.map((value) => `"${value}"`);
  return t("settings-file.or", { values: texts.slice(0, -1).join(", "), last: texts.at(-1) ?? "" });
}

/** Returns a member, which is one of the values; the first one if the file does not have it. */
function oneOf<T extends string>(file: Record<string, unknown>, name: string, values: readonly [T, ...T[]] | readonly T[]): T {
  const value = file[name] ?? values[0];
  const found = values.find((one) => one === value);
  if (found === undefined) throw new Error(t("settings-file.expected-not", { name, values: quoted(values), value: JSON.stringify(value) }));
  return found;
}

/** Returns the language, which another version of the viewer may lack. */
function languageOf(value: unknown): string {
  if (typeof value !== "string") throw new Error(t("settings-file.expected-language"));
  return value;
}

function keysOf(value: unknown): Record<string, string> {
  if (!isObject(value)) throw new Error(t("settings-file.keys-expected-an-object"));
  return Object.fromEntries(
    Object.entries(value).map(([name, list]) => {
      if (!Array.isArray(list) || !list.every((key) => typeof key === "string"))
        throw new Error(t("settings-file.expected-list", { name }));
      return [name, joinKeys(list)];
    }),
  );
}

function parse(text: string): Record<string, unknown> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new Error(t("settings-file.not-json", { error: (error as Error).message }));
  }
  if (!isObject(file) || file["varve_settings"] === undefined) throw new Error(t("settings-file.not-a-settings-file"));
  if (file["varve_settings"] !== VERSION) throw new Error(t("settings-file.the-version-of-the", { version: JSON.stringify(file["varve_settings"]), known: VERSION }));
  const unknown = Object.keys(file).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Error(t("settings-file.unknown", { name: unknown }));
  return file;
}

/**
 * Reads a settings file; absent members have their defaults. Throws with the reason if a member is unknown or has a wrong value.
 * The names of commands and the texts of keys are checked by Keys.check.
 */
export function readSettings(text: string): FileSettings {
  const file = parse(text);
  let options = withHeight(0, file["rows"] === undefined ? "normal" : oneOf(file, "rows", HEIGHTS));
  options = withColours(options, oneOf(file, "colours", COLOUR_NAMES), oneOf(file, "palette", PALETTE_NAMES));
  if (oneOf(file, "drag", DRAGS) === "pans") options |= ViewOption.DragPans;
  if (oneOf(file, "wheel", WHEELS) === "zooms") options |= ViewOption.WheelZooms;
  options = withUnit(options, oneOf(file, "time_unit", TIME_UNITS));
  const textSize = file["text_size"] === undefined ? "normal" : oneOf(file, "text_size", SIZE_NAMES);
  return { theme: oneOf(file, "theme", THEMES), language: languageOf(file["language"] ?? "system"), options, textSize, recent: oneOf(file, "recent_files", RECENT), keys: keysOf(file["keys"] ?? {}) };
}
