/** The user's settings, stored in this browser. */
import { setTextSize, type TextSize } from "./font_size.ts";
import { Store } from "./store.ts";
import type { TableFormat } from "./table_text.ts";
import { SETTINGS_KEY, lightSystem, themeOf, type Theme, type ThemeChoice } from "./theme.ts";
import { setTimeUnit, unitOf } from "./time_unit.ts";
import { ViewOption } from "generated/border.ts";
import { setLanguage, type PlainId } from "./texts.ts";

export type Side = "bottom" | "right";
/** "listed": opened files are listed as recent ones. */
export type RecentChoice = "listed" | "off";

export interface Saved {
  theme: ThemeChoice;
  /** The tag of a language, or "system" for those of the browser. */
  language: string;
  /** ViewOption bits without ReducedMotion, which is a setting of the system. */
  options: number;
  side: Side;
  bottomPx: number;
  rightPx: number;
  /** True if searches include arguments. */
  searchValues: boolean;
  /** Of copied tables. */
  tableFormat: TableFormat;
  recent: RecentChoice;
  textSize: TextSize;
  /** The keys of commands that differ from the defaults (keys.ts). */
  keys: Record<string, string>;
}

const DEFAULTS: Omit<Saved, "bottomPx"> = {
  theme: "system",
  language: "system",
  options: 0,
  side: "bottom",
  rightPx: 380,
  searchValues: true,
  tableFormat: "text",
  recent: "listed",
  textSize: "normal",
  keys: {},
};

/** Returns the height of the drawer: a quarter of a tall window, and at most a third of a small one, so that the timeline stays visible. */
function defaultDrawerPx(windowPx: number): number {
  return Math.round(Math.min(Math.max(260, windowPx / 4), windowPx / 3, 480));
}

function read(): Saved {
  const defaults = { ...DEFAULTS, bottomPx: defaultDrawerPx(innerHeight) };
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(SETTINGS_KEY) ?? "{}") as Partial<Saved>) };
  } catch {
    return defaults; // storage is forbidden or contains other data
  }
}

export type RowHeight = "compact" | "normal" | "roomy";
const HEIGHT_OPTIONS: Record<RowHeight, number> = { compact: ViewOption.Compact, normal: 0, roomy: ViewOption.Roomy };

export function heightOf(options: number): RowHeight {
  if ((options & ViewOption.Compact) !== 0) return "compact";
  return (options & ViewOption.Roomy) !== 0 ? "roomy" : "normal";
}

/** Returns the options with another height of rows. */
export function withHeight(options: number, height: RowHeight): number {
  return (options & ~(ViewOption.Compact | ViewOption.Roomy)) | HEIGHT_OPTIONS[height];
}

export type ColourMode = "name" | "category" | "thread" | "process" | "duration" | "file";
/** The modes with their titles. */
export const COLOURS: [ColourMode, PlainId][] = [
  ["name", "common.by-name"],
  ["category", "settings.by-category"],
  ["thread", "settings.by-thread"],
  ["process", "common.by-process"],
  ["duration", "settings.by-duration"],
  ["file", "settings.by-file"],
];
const COLOUR_OPTIONS: Record<ColourMode, number> = {
  name: 0,
  category: ViewOption.ByCategory,
  thread: ViewOption.ByThread,
  process: ViewOption.ByProcess,
  duration: ViewOption.ByDuration,
  file: ViewOption.ByFile,
};

export type Palette = "standard" | "safe";
export const PALETTES: [Palette, PlainId][] = [
  ["standard", "settings.standard"],
  ["safe", "settings.for-colour-blind-people"],
];

/** Returns the options with other colours. */
export function withColours(options: number, mode: ColourMode, palette: Palette): number {
  return (options & ~(ViewOption.ColourBy | ViewOption.SafeColours)) | COLOUR_OPTIONS[mode] | (palette === "safe" ? ViewOption.SafeColours : 0);
}

export function colourOf(options: number): ColourMode {
  return COLOURS.find(([mode]) => COLOUR_OPTIONS[mode] === (options & ViewOption.ColourBy))?.[0] ?? "name";
}

export function paletteOf(options: number): Palette {
  return (options & ViewOption.SafeColours) !== 0 ? "safe" : "standard";
}

export class Settings {
  readonly saved = new Store<Saved>(read());
  readonly theme: Store<Theme>;
  readonly options: Store<number>;
  private readonly light = lightSystem(); // a list without a reference does not report changes
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)");

  constructor() {
    this.theme = new Store(themeOf(this.saved.value.theme));
    this.options = new Store(this.currentOptions());
    setLanguage(this.saved.value.language);
    const renew = () => {
      this.theme.set(themeOf(this.saved.value.theme));
      this.options.set(this.currentOptions());
      this.applyToTexts();
    };
    this.applyToTexts();
    this.light.addEventListener("change", renew);
    this.still.addEventListener("change", renew);
    addEventListener("languagechange", () => setLanguage(this.saved.value.language));
    this.saved.subscribe((saved) => {
      renew();
      setLanguage(saved.language);
      try {
        localStorage.setItem(SETTINGS_KEY, JSON.stringify(saved));
      } catch {
        // without storage the settings last until the page is closed
      }
    });
  }

  change(part: Partial<Saved>): void {
    this.saved.update((saved) => ({ ...saved, ...part }));
  }

  setOption(option: ViewOption, on: boolean): void {
    const { options } = this.saved.value;
    this.change({ options: on ? options | option : options & ~option });
  }

  setHeight(height: RowHeight): void {
    this.change({ options: withHeight(this.saved.value.options, height) });
  }

  /** Stores all options as the view has them now. */
  keepOptions(options: number): void {
    const kept = options & ~ViewOption.ReducedMotion;
    if (kept !== this.saved.value.options) this.change({ options: kept });
  }

  /** Gives the settings of a settings file their defaults. */
  reset(): void {
    const { theme, language, options, recent, textSize, keys } = DEFAULTS;
    this.change({ theme, language, options, recent, textSize, keys });
  }

  nextTheme(): void {
    this.change({ theme: this.theme.value === "dark" ? "light" : "dark" });
  }

  private applyToTexts(): void {
    setTextSize(this.saved.value.textSize);
    setTimeUnit(unitOf(this.saved.value.options));
  }

  private currentOptions(): number {
    const { options } = this.saved.value;
    return this.still.matches ? options | ViewOption.ReducedMotion : options & ~ViewOption.ReducedMotion;
  }
}
