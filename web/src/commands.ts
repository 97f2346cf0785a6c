/** The commands of the key table that the page handles. */
import { runFlameCommand } from "./flame_actions.ts";
import { savePicture } from "./pictures.ts";
import { openTab } from "./panels/tabs.tsx";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

/** Runs a command of the key table that the page handles. */
export function carryOut(viewer: Viewer, command: string): void {
  switch (command) {
    case "help":
    case "palette":
    case "report":
    case "save":
    case "share":
    case "settings":
    case "go-to":
    case "jump":
    case "filter-tracks":
      return viewer.dialog.set(command);
    case "row-menu":
      return viewer.rowMenu.set(viewer.view.head());
    case "open":
      return viewer.chooseFiles(null);
    case "search": {
      const field = document.getElementById("search") as HTMLInputElement | null;
      field?.focus();
      return field?.select();
    }
    case "equal-widths":
      return viewer.captureAxes.toggle();
    case "pause":
      return viewer.live.toggleHold();
    case "theme":
      return viewer.settings.nextTheme();
    case "nothing-in-sight":
      return viewer.say(t("commands.no-slice-or-instant"));
    case "nothing-to-note":
      return viewer.say(t("commands.select-an-area-or"));
    case "timeline":
      if (viewer.drawer.isWhole.value) viewer.drawer.shrink();
      else viewer.drawer.close();
      return viewer.focusTimeline();
    case "toggle-drawer":
      return viewer.drawer.toggle();
    case "enlarge-drawer":
      return viewer.drawer.toggleWhole();
    case "save-png":
      return void savePicture(viewer, "png");
    case "save-svg":
      return void savePicture(viewer, "svg");
    case "copy-link":
      return viewer.copyLink();
    case "save-view":
      return viewer.views.save();
  }
  if (!runFlameCommand(viewer, command)) openTab(viewer, command);
}
