/** The page: top bar, timeline, drawer, and the dialogs and cards above them. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { splitKeys } from "../keys.ts";
import { droppedHandles } from "../recent.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { Chips } from "./chips.tsx";
import { Dialogs } from "./dialogs.tsx";
import { Drawer } from "./drawer.tsx";
import { nameOf } from "./format.ts";
import { LoadCards } from "./load_cards.tsx";
import { NoRows } from "./no_rows.tsx";
import { HeadButtons, OrderMenu, RowMenu } from "./row_head.tsx";
import { sampleText } from "./sample_details.tsx";
import { TopBar } from "./top_bar.tsx";
import { language, t } from "../texts.ts";

export function App({ viewer }: { viewer: Viewer }) {
  useStore(language); // renders all texts again
  const saved = useStore(viewer.settings.saved);
  const side = useStore(viewer.drawer.isOpen) ? saved.side : "bottom"; // the tabs of a closed drawer
  const isCovered = useStore(viewer.drawer.isWhole);
  return (
    <div class={`app dock-${side} ${isCovered ? "covered" : ""}`}>
      <TopBar viewer={viewer} />
      <Stage viewer={viewer} />
      <Drawer viewer={viewer} />
      <Dialogs viewer={viewer} />
      <DropTarget viewer={viewer} />
      <Notice viewer={viewer} />
    </div>
  );
}

/** The description of the timeline for screen readers. */
function hintOf({ keys }: Viewer): string {
  const first = (name: string) => (splitKeys(keys.of(name))[0] ?? t("app.no-key")).replaceAll("+", " ");
  return t("app.hint", { zoomIn: first("zoom-in"), zoomOut: first("zoom-out"), left: first("pan-left"), right: first("pan-right"), all: first("select-all"), menu: first("row-menu"), help: first("help") });
}

function Stage({ viewer }: { viewer: Viewer }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const mirror = useRef<HTMLDivElement>(null);
  const isVacant = useStore(viewer.loading.traces).length === 0;
  const isCovered = useStore(viewer.drawer.isWhole);
  useStore(viewer.keys.commands); // for the hint
  const wasCovered = useRef(isCovered);
  useEffect(() => {
    if (wasCovered.current && !isCovered) viewer.focusTimeline();
    wasCovered.current = isCovered;
  }, [viewer, isCovered]);
  // Before the page is painted: its first frame has the timeline.
  useLayoutEffect(() => {
    if (canvas.current === null || mirror.current === null) return;
    viewer.attach(canvas.current, mirror.current);
  }, [viewer]);
  return (
    <main class={isVacant ? "stage vacant" : "stage"}>
      <Chips viewer={viewer} />
      <div class="canvas-box">
        <OrderMenu viewer={viewer} />
        <canvas
          id="timeline"
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={t("app.timeline")}
          aria-describedby="timeline-hint"
        />
        <HeadButtons viewer={viewer} />
        <p id="timeline-hint" class="unseen">
          {hintOf(viewer)}
        </p>
        <Selected viewer={viewer} />
        <div ref={mirror} class="unseen" role="treegrid" aria-label={t("app.visible-rows-of-the")} />
        <NoRows viewer={viewer} />
        <LoadCards viewer={viewer} />
        <RowMenu viewer={viewer} />
      </div>
    </main>
  );
}

/** Read out by screen readers: the event that was selected. */
function Selected({ viewer }: { viewer: Viewer }) {
  const details = useStore(viewer.details);
  const text =
    details.kind === "slice"
      ? `${nameOf(details.slice.name)}, ${viewer.view.lengthText(details.trace, details.slice.duration.ticks)}`
      : details.kind === "instant"
        ? nameOf(details.instant.name)
        : details.kind === "sample"
          ? sampleText(details.sample)
          : "";
  return (
    <div role="status" class="unseen" id="selected-event">
      {text}
    </div>
  );
}

type OpenMode = "replace" | "add";

/** Returns the zone under the pointer; Shift adds anywhere. */
function modeOf(event: DragEvent): OpenMode {
  const zone = event.target instanceof Element ? event.target.closest<HTMLElement>(".drop-zone") : null;
  return event.shiftKey || zone?.dataset["mode"] === "add" ? "add" : "replace";
}

/** Files can be dropped anywhere. If a trace is open, one half of the page replaces it and the other adds to it. */
function DropTarget({ viewer }: { viewer: Viewer }) {
  const [over, setOver] = useState<OpenMode | null>(null);
  const isUsed = useStore(viewer.loading.traces).length > 0;
  const isExample = useStore(viewer.isExample);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const drag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(modeOf(event));
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(null);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      viewer.openFiles([...(event.dataTransfer?.files ?? [])], modeOf(event), droppedHandles(event.dataTransfer?.items));
      setOver(null);
    };
    addEventListener("dragenter", drag);
    addEventListener("dragover", drag);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", drag);
      removeEventListener("dragover", drag);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [viewer]);
  if (over === null) return null;
  const zones: [OpenMode, string][] = isUsed && !isExample ? [["replace", t("app.replace-the-open-traces")], ["add", t("app.add-to-the-open")]] : [["replace", t("common.open")]];
  return (
    <div class="drop-target" aria-hidden="true">
      {zones.map(([mode, text]) => (
        <div key={mode} class={mode === over || zones.length === 1 ? "drop-zone over" : "drop-zone"} data-mode={mode}>
          <p>{text}</p>
          <p class="muted">{t("app.nothing-is-uploaded")}</p>
        </div>
      ))}
    </div>
  );
}

function Notice({ viewer }: { viewer: Viewer }) {
  const text = useStore(viewer.notice);
  return (
    <div role="status" class={text === "" ? "notice unseen" : "notice"}>
      {text}
    </div>
  );
}
