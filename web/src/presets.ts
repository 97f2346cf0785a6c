/** The keys and the mouse of other viewers, for their users. */
import { ViewOption } from "generated/border.ts";
import type { Saved } from "./settings.ts";

export interface Preset {
  name: string;
  /** The bits of ViewOption about the mouse. */
  mouse: number;
  /** The keys that differ from the defaults. */
  keys: Record<string, string>;
}

const MOUSE = ViewOption.DragPans | ViewOption.WheelZooms;

/**
 * Perfetto, Spall and Varve have the letters W, A, S and D in common. Spall has no other keys. Perfetto marks the selected
 * range with M. Tracy measures with the left button, pans with the right one, and zooms with the wheel. In speedscope W and S
 * scroll, R collapses recursion and T chooses a thread.
 */
export const PRESETS: readonly Preset[] = [
  { name: "Varve", mouse: 0, keys: {} },
  { name: "Perfetto", mouse: 0, keys: { mark: "", note: "M  Shift+M" } },
  { name: "Spall", mouse: ViewOption.DragPans | ViewOption.WheelZooms, keys: {} },
  { name: "Tracy", mouse: ViewOption.WheelZooms, keys: {} },
  {
    name: "speedscope",
    mouse: ViewOption.DragPans,
    keys: {
      "zoom-in": "+",
      "zoom-out": "-",
      "zoom-in-fast": "",
      "zoom-out-fast": "",
      "scroll-up": "W",
      "scroll-down": "S",
      "collapse-recursion": "R",
      "area-from-selection": "Shift+R",
      jump: "Ctrl+P  T",
    },
  },
];

function sameKeys(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Returns the name of the preset in use, "" = the user has changed keys. */
export function presetOf({ options, keys }: Saved): string {
  return PRESETS.find((preset) => preset.mouse === (options & MOUSE) && sameKeys(preset.keys, keys))?.name ?? "";
}

/** Returns the settings with the mouse and the keys of a preset. */
export function withPreset({ options }: Saved, { mouse, keys }: Preset): Pick<Saved, "options" | "keys"> {
  return { options: (options & ~MOUSE) | mouse, keys };
}
