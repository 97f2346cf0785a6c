/** Starts the page: the view module, the components, and then the first trace. */
import { render } from "preact";
import { openNative, openServed, type NativeEngine } from "./transport/http.ts";
import { messageOf } from "./transport/transport.ts";
import { isContained, pageFile, startFirstWorker, unpackPageFiles } from "./page_files.ts";
import { answerFrames } from "./embedding/frames.ts";
import { App } from "./panels/app.tsx";
import { keepSecret, secretOf } from "./secret.ts";
import { TimelineView } from "./wasm/view.ts";
import { openContained, takeContained } from "./contained.ts";
import { Viewer } from "./viewer.ts";
import { t } from "./texts.ts";

/** The page does not wait longer for the outline of a large trace. */
const FIRST_TRACE_MS = 50;
const EXAMPLE = "example.json.gz";

declare global {
  interface Window {
    /** For tests. */
    varve?: Viewer;
  }
}

async function start(root: HTMLElement): Promise<void> {
  const isServed = secretOf(location.pathname) !== null;
  const engine = urls().length > 0 || isContained() ? null : findEngine(); // asked while the view module arrives
  if (!isServed && !isContained()) startFirstWorker();
  await unpackPageFiles();
  const [view, served] = await Promise.all([TimelineView.start(pageFile("view.wasm")), isServed ? engine : null]);
  const viewer = new Viewer(view); // the stored settings follow at once: the page is not painted without them
  window.varve = viewer;
  viewer.link.restoreLater(location.hash);
  if (served !== null) {
    openFirst(viewer, served);
    await firstTrace(viewer);
  }
  root.replaceChildren();
  render(<App viewer={viewer} />, root);
  addEventListener("hashchange", () => {
    viewer.link.restoreLater(location.hash);
    viewer.link.restore();
  });
  if (isContained()) void openContained(viewer, takeContained(document), "add");
  else if (engine === null) viewer.openUrls(urls(), "add");
  else if (!isServed) openFirst(viewer, await engine);
  if (isContained() || isServed) return;
  if ((await engine) === null) void answerFrames(viewer);
  workOffline();
}

/**
 * Resolves when the first trace is in the view, so that the page is made once, with it, and its tiles arrive meanwhile. Does not wait
 * for a load in progress: the page shows it.
 */
function firstTrace(viewer: Viewer): Promise<void> {
  const { loads, traces } = viewer.loading;
  if (!loads.value.some((load) => load.status.value.state === "ready")) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      end();
      clearTimeout(timer);
      resolve();
    };
    const end = traces.subscribe(() => {
      viewer.requestFirst(); // not after the time: the timeline has its own size then
      done();
    });
    const timer = setTimeout(done, FIRST_TRACE_MS);
  });
}

function urls(): string[] {
  return new URLSearchParams(location.search).getAll("url");
}

async function findEngine(): Promise<NativeEngine | null> {
  if (secretOf(location.pathname) !== null) return openNative();
  const served = await openServed();
  return served === null ? null : { served, view: "", settings: "" };
}

/** Opens the traces of the native engine. Without one, opens the example. */
function openFirst(viewer: Viewer, engine: NativeEngine | null): void {
  if (engine !== null) {
    viewer.notes.useServer();
    viewer.recent.useServer();
    viewer.useStoredSettings(engine.settings);
  }
  const isLoaded = engine?.served.all.some((load) => load.status.value.state === "ready" && !load.grows) ?? false;
  if (!isLoaded) void viewer.recent.read(); // otherwise the list is read when the trace is added to it
  if (viewer.loading.loads.value.length > 0) return; // a file was dropped in the meantime
  if (engine !== null) {
    const secret = secretOf(location.pathname);
    if (secret !== null) keepSecret(secret);
    if (engine.view !== "" && !viewer.views.isPending) viewer.views.applyLater(engine.view, t("common.the-view"));
    return viewer.openServed(engine.served);
  }
  viewer.openUrls([EXAMPLE], "add");
  viewer.isExample.set(true);
  viewer.drawer.follow("overview"); // the introduction
}

/** Lets the static page work without a network, where the browser can (static/sw.js). */
function workOffline(): void {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  const manifest = document.createElement("link");
  manifest.rel = "manifest";
  manifest.href = "manifest.webmanifest";
  document.head.append(manifest);
  navigator.serviceWorker.register("sw.js").catch(() => undefined); // storage is forbidden: the page needs the network
}

const root = document.getElementById("app") as HTMLElement;
start(root).catch((error: unknown) => {
  root.textContent = t("main.varve-could-not-start", { error: messageOf(error) });
  root.setAttribute("role", "alert");
});
