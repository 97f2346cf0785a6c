/** The page of a link without the secret: goes to the viewer if this browser has the secret, else shows the way to it. */
import { keptSecret } from "./secret.ts";

async function findViewer(): Promise<string | null> {
  const secret = keptSecret();
  if (secret === null) return null;
  const response = await fetch(`/${secret}/api/status`, { cache: "no-store" });
  return response.ok ? `/${secret}/${location.hash}` : null;
}

function explain(): void {
  const state = document.getElementById("state") as HTMLElement;
  const commands = document.createElement("pre");
  commands.textContent = `varve open FILE '${location.href}'`;
  state.textContent =
    "This browser has no access to the traces of this server. Open the address that varve printed once, and the link again. " +
    "On another machine, or with another server, open the trace with this view:";
  state.after(commands);
}

async function start(): Promise<void> {
  const viewer = await findViewer().catch(() => null);
  if (viewer === null) explain();
  else location.replace(viewer);
}

void start();
