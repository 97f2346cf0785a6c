/** Starts the page: the view module, the components, and then the first trace. */
import { render } from "preact";
import { openServed, servedView } from "./transport/http.ts";
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
  const view = await TimelineView.start(new URL("./view.wasm", document.baseURI));
  const viewer = new Viewer(view);
  window.varve = viewer;
  render(<App viewer={viewer} />, root);
  viewer.link.restoreLater(location.hash);
  addEventListener("hashchange", () => {
    viewer.link.restoreLater(location.hash);
    viewer.link.restore();
  });
  await openFirst(viewer);
}

async function openFirst(viewer: Viewer): Promise<void> {
  const urls = new URLSearchParams(location.search).getAll("url");
  if (urls.length > 0) return viewer.loading.openUrls(urls);
  const served = await openServed();
  if (served !== null) viewer.notes.useServer();
  if (viewer.loading.loads.value.length > 0) return; // a file was dropped in the meantime
  if (served !== null) {
    const secret = secretOf(location.pathname);
    if (secret !== null) keepSecret(secret);
    const view = await servedView();
    if (view !== "" && !viewer.views.isPending) viewer.views.applyLater(view, "The view");
    return viewer.openServed(served);
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
