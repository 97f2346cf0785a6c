/**
 * Sets the theme of the page before it is painted: the first picture has the colours of the later ones. page.mjs copies this script
 * into the head of the pages.
 */
import { SETTINGS_KEY, themeOf, type ThemeChoice } from "./theme.ts";

function storedChoice(): ThemeChoice {
  try {
    const { theme } = JSON.parse(localStorage.getItem(SETTINGS_KEY) ?? "{}") as { theme?: unknown };
    return theme === "dark" || theme === "light" ? theme : "system";
  } catch {
    return "system"; // storage is forbidden or contains other data
  }
}

document.documentElement.dataset["theme"] ??= themeOf(storedChoice()); // the page of varve open has the theme that it stores
