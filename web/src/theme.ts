/** The theme that the user chose, and the theme of the page. */
export type ThemeChoice = "system" | "dark" | "light";
export type Theme = "dark" | "light";

/** The key of the settings in the storage of the browser. */
export const SETTINGS_KEY = "varve";

/** Returns whether the system prefers light colours, which may change. */
export function lightSystem(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: light)");
}

export function themeOf(choice: ThemeChoice): Theme {
  if (choice === "system") return lightSystem().matches ? "light" : "dark";
  return choice;
}
