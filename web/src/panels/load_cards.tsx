/** A card for each load in progress, with a button to cancel it, and for each failed load, with the reason. */
import type { Load, LoadStatus } from "../transport/transport.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatBytes, sentence } from "./format.ts";
import { RecentList } from "./recent_list.tsx";

export function LoadCards({ viewer }: { viewer: Viewer }) {
  const loads = useStore(viewer.loading.loads);
  const traces = useStore(viewer.loading.traces);
  const listens = useStore(viewer.listens);
  const isVacant = loads.length === 0 && traces.length === 0;
  return (
    <div class="cards">
      {loads.map((load, i) => !viewer.loading.isBegin(load) && <LoadCard key={i} viewer={viewer} load={load} />)}
      {isVacant && (listens === null ? <NothingOpen viewer={viewer} /> : <Listening where={listens} />)}
    </div>
  );
}

function LoadCard({ viewer, load }: { viewer: Viewer; load: Load }) {
  const status = useStore(load.status);
  const name = fileNameOf(status.name);
  switch (status.state) {
    case "ready":
      return null;
    case "loading":
      return (
        <section class="card" aria-label={`Loading ${name}`}>
          <h2 title={name}>{name}</h2>
          <progress aria-label="Progress" {...(status.total > 0 ? { value: status.done, max: status.total } : {})} />
          <div class="card-row">
            <span>
              {viewer.loading.showsBeginOf(load) && `The first ${formatBytes(viewer.loading.beginRule.bytes)} are shown. `}
              {describe(status)}
            </span>
            <button type="button" class="button" onClick={() => viewer.cancelLoad(load)}>
              Cancel
            </button>
          </div>
        </section>
      );
    case "failed":
    case "cancelled":
      return (
        <section class="card card-error" role="alert">
          <h2 title={name}>{name}</h2>
          <p>{status.state === "cancelled" ? "The load was cancelled." : sentence(status.error ?? "It could not be opened")}</p>
          <div class="card-row">
            <button type="button" class="button" onClick={() => viewer.chooseFiles(null)}>
              Open another
            </button>
            <button type="button" class="button" onClick={() => viewer.loading.dismiss(load)}>
              Dismiss
            </button>
          </div>
        </section>
      );
  }
}

const PHASES: Record<LoadStatus["phase"], string> = {
  downloading: "Downloading",
  decompressing: "Decompressing",
  reading: "Reading",
  sorting: "Sorting",
  indexing: "Indexing",
  done: "Opening",
};

function describe({ phase, done, total }: LoadStatus): string {
  const isBytes = phase === "downloading" || phase === "decompressing" || phase === "reading";
  if (total === 0) return done > 0 && isBytes ? `${PHASES[phase]}: ${formatBytes(done)}` : `${PHASES[phase]}…`;
  if (!isBytes) return `${PHASES[phase]}: ${Math.floor((100 * done) / total)} %`;
  return `${PHASES[phase]}: ${formatBytes(done)} of ${formatBytes(total)}`;
}

function Listening({ where }: { where: string }) {
  return (
    <section class="card" aria-label="Listening">
      <h2>Nothing has been received yet</h2>
      <p>
        Listening at <code>{where}</code>. What is sent there shows here as it comes.
      </p>
      <progress aria-label="Waiting" />
    </section>
  );
}

function NothingOpen({ viewer }: { viewer: Viewer }) {
  return (
    <section class="card">
      <h2>No trace is open</h2>
      <p>Drop a file anywhere on this page, or open one. Nothing is uploaded.</p>
      <div class="card-row">
        <button type="button" class="button button-primary" onClick={() => viewer.chooseFiles(null)}>
          Open
        </button>
      </div>
      <RecentList viewer={viewer} />
    </section>
  );
}
