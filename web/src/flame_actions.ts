/** Actions on flame graphs, for keys, panels and the palette. */
import { parametersOf, partInside, type AreaPart, type AreaScope } from "./areas.ts";
import { isPast, messageOf, type Parameters } from "./transport/transport.ts";
import { ROOT, type FlameChoice, type FlameFrame, type FlameGraph, type FlameScope, type FlameView } from "./flame.ts";
import { fileNameOf, sentence } from "./panels/format.ts";
import { saveBytes } from "./saving.ts";
import type { Details } from "./selection.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

/** Runs a command of the key table; false = the command is not about flame graphs. */
export function runFlameCommand(viewer: Viewer, command: string): boolean {
  const { flames } = viewer;
  if (command === "left-heavy") showFlame(viewer, "left-heavy", "trace");
  else if (command === "sandwich") showFlame(viewer, "sandwich", flames.choice.value.scope);
  else if (command === "area-flame") showFlame(viewer, "left-heavy", "area");
  else if (command === "collapse-recursion") flames.choose({ isCollapsed: !flames.choice.value.isCollapsed });
  else return false;
  return true;
}

/** Opens the tab with a view. `of`: the name for a sandwich; null = the name of the last selected slice or frame. */
export function showFlame(viewer: Viewer, view: FlameView, scope: FlameScope, of: { trace: number; name: string } | null = null): void {
  const { choice } = viewer.flames;
  const details = viewer.details.value;
  const selected = details.kind === "slice" ? details : null;
  const area = viewer.area.value;
  if (scope === "area" && area === null) return viewer.say(`${viewer.keys.tip(t("flame-actions.select-an-area-first"), "select-all")}.`);
  const trace = of?.trace ?? (scope === "area" ? area?.trace : selected?.trace) ?? choice.value.trace;
  viewer.flames.choose({ view, ...scopeChoice(viewer, scope), trace, ...(of === null ? {} : { name: of.name }) });
  viewer.drawer.show("flame", "tab-flame");
}

/** Returns the choice for a scope. The scope "matches" keeps the present search text when the search changes later. */
export function scopeChoice(viewer: Viewer, scope: FlameScope): Partial<FlameChoice> {
  const { text, error } = viewer.search.state.value;
  return scope === "matches" && text !== "" && error === null ? { scope, search: text } : { scope };
}

/** Makes the name of a selected slice the name of the sandwich. */
export function followSelection(viewer: Viewer, details: Details): void {
  if (details.kind !== "slice") return;
  const name = details.slice.name ?? "";
  if (viewer.flames.choice.value.view === "sandwich") viewer.flames.choose({ name });
  else viewer.flames.choice.update((choice) => ({ ...choice, name }));
}

/** Returns the parameters of a request that choose the time and the tracks. */
export function scopeParameters(viewer: Viewer, scope: FlameScope, trace: number): Parameters {
  const details = viewer.details.value;
  const part = viewer.area.value?.parts.find((of) => of.trace === trace);
  if (scope === "area" && part !== undefined) return { begin: part.begin, end: part.end, tracks: part.tracks.join(",") };
  const { search } = viewer.flames.choice.value;
  if (scope === "matches" && search !== "") return { search, ...(viewer.search.inValues ? {} : { in: "names" }) };
  const inside = scope === "slice" ? selectedPart(viewer, trace) : null;
  if (inside !== null) return parametersOf(inside);
  if (scope === "thread" && details.kind === "slice" && details.trace === trace) return { tracks: details.slice.place.track };
  return {};
}

/** Returns the id of the selected slice; null = no slice of this trace is selected, or the ids of this trace change. */
export function selectedSlice(viewer: Viewer, trace: number): number | null {
  const details = viewer.details.value;
  const isThere = details.kind === "slice" && details.trace === trace && viewer.loading.ready[trace]?.grows === false;
  return isThere ? details.slice.place.slice : null;
}

/** Returns the selected slice and the slices inside it as a part of an area; null as for selectedSlice. */
export function selectedPart(viewer: Viewer, trace: number): AreaPart | null {
  const details = viewer.details.value;
  return details.kind === "slice" && selectedSlice(viewer, trace) !== null ? partInside({ ...details.slice.place, trace }) : null;
}

/** Returns the scope of the area panel for the selected slice; null as for selectedSlice. */
export function insideSelected(viewer: Viewer): AreaScope | null {
  const details = viewer.details.value;
  const part = details.kind === "slice" ? selectedPart(viewer, details.trace) : null;
  return details.kind === "slice" && part !== null ? { kind: "slice", part, name: details.slice.name ?? "" } : null;
}

/** Highlights the slices of a frame in the timeline and makes its name the name of the next sandwich. */
export function chooseFrame(viewer: Viewer, graph: FlameGraph, frame: FlameFrame): void {
  const { choice } = viewer.flames;
  if (frame.key !== ROOT && (choice.value.view !== "sandwich" || choice.value.name === null)) choice.update((old) => ({ ...old, name: frame.name ?? "" }));
  viewer.highlightFrame(choice.value.trace, frame.key === ROOT ? 0 : frame.label, (signal) => graph.slices(frame.key, signal));
}

export async function copyFolded(viewer: Viewer, graph: FlameGraph): Promise<void> {
  try {
    viewer.copy(new TextDecoder().decode(await graph.bytes("folded", viewer.settings.theme.value)), t("flame-actions.the-folded-lines"));
  } catch (error) {
    if (!isPast(error)) viewer.say(sentence(messageOf(error)));
  }
}

/** Saves the whole graph as a picture, for example "page-load.json.gz.sandwich.svg". */
export async function saveSvg(viewer: Viewer, graph: FlameGraph, trace: number, what: string): Promise<void> {
  const name = fileNameOf(viewer.loading.traces.value[trace]?.info.file.name ?? "");
  try {
    saveBytes(viewer, await graph.bytes("svg", viewer.settings.theme.value), `${name.replace(/[^\w.-]+/g, "_")}.${what}.svg`);
  } catch (error) {
    if (!isPast(error)) viewer.say(sentence(messageOf(error)));
  }
}
