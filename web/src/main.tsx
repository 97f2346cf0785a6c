/** Starts the page: the view module, the components, and then the first trace. */
import { render } from "preact";
import { openServed, servedView, type Served } from "./transport/http.ts";
import { messageOf } from "./transport/transport.ts";
import { App } from "./panels/app.tsx";
import { keepSecret, secretOf } from "./secret.ts";
import { TimelineView } from "./wasm/view.ts";
import { Viewer } from "./viewer.ts";

const EXAMPLE = "example.json.gz";

declare global {
  interface Window {
    /** For tests. */
    varve?: Viewer;
  }
}

async function start(root: HTMLElement): Promise<void> {
  const engine = urls().length > 0 ? null : findEngine(); // asked while the view module arrives
  const view = await TimelineView.start(new URL("./view.wasm", document.baseURI));
  const viewer = new Viewer(view);
  window.varve = viewer;
  render(<App viewer={viewer} />, root);
  viewer.link.restoreLater(location.hash);
  addEventListener("hashchange", () => {
    viewer.link.restoreLater(location.hash);
    viewer.link.restore();
  });
  if (engine === null) viewer.loading.openUrls(urls());
  else openFirst(viewer, await engine);
}

function urls(): string[] {
  return new URLSearchParams(location.search).getAll("url");
}

/** Returns the native engine of this page, and the view file that was given to it. */
async function findEngine(): Promise<{ served: Served; view: string } | null> {
  const isNative = secretOf(location.pathname) !== null; // only its server has a view file
  const [served, view] = await Promise.all([openServed(), isNative ? servedView() : ""]);
  return served === null ? null : { served, view };
}

function openFirst(viewer: Viewer, engine: { served: Served; view: string } | null): void {
  if (engine !== null) viewer.notes.useServer();
  if (viewer.loading.loads.value.length > 0) return; // a file was dropped in the meantime
  if (engine !== null) {
    const secret = secretOf(location.pathname);
    if (secret !== null) keepSecret(secret);
    if (engine.view !== "" && !viewer.views.isPending) viewer.views.applyLater(engine.view, "The view");
    return viewer.openServed(engine.served);
  }
  viewer.loading.openUrls([EXAMPLE]);
  viewer.isExample.set(true);
  viewer.drawer.follow("overview"); // the introduction
}

const root = document.getElementById("app") as HTMLElement;
start(root).catch((error: unknown) => {
  root.textContent = `Varve could not start: ${messageOf(error)}`;
  root.setAttribute("role", "alert");
});
