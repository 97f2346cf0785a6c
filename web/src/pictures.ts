/** Saves the visible part of the timeline as a picture. */
import { Canvas2dPainter } from "./painter/canvas2d.ts";
import type { Frame } from "./painter/frame.ts";
import { svgOf } from "./painter/svg.ts";
import { saveBytes, stemOf } from "./saving.ts";
import type { TimelineView } from "./wasm/view.ts";
import type { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

export type PictureKind = "png" | "svg";

/** Returns the frame as a PNG file with a pixel for each device pixel. */
async function pngOf(frame: Frame, view: TimelineView): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = frame.width;
  canvas.height = frame.height;
  new Canvas2dPainter(canvas, view).paint(frame);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob === null ? fail(new Error(t("pictures.the-picture-is-too"))) : done(blob)), "image/png"));
}

export async function savePicture(viewer: Viewer, kind: PictureKind): Promise<void> {
  const name = viewer.loading.traces.value[0]?.info.file.name;
  if (name === undefined) return viewer.say(t("common.no-trace-is-open"));
  const frame = viewer.picture();
  if (frame === null) return viewer.say(t("pictures.there-is-not-enough"));
  try {
    const bytes = kind === "png" ? await pngOf(frame, viewer.view) : svgOf(frame, viewer.view, devicePixelRatio);
    saveBytes(viewer, bytes, `${stemOf(name)}.${kind}`);
  } catch (error) {
    viewer.say((error as Error).message);
  }
}
