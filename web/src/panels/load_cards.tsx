/** A card for each load in progress, with a button to cancel it, and for each failed load, with the reason; without a trace, a card to open one. */
import type { Load, LoadStatus } from "../transport/transport.ts";
import { useStore, useStores } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatBytes, sentence } from "./format.ts";
import { RecentList } from "./recent_list.tsx";
import { rich, t, type PlainId } from "../texts.ts";

export function LoadCards({ viewer }: { viewer: Viewer }) {
  const loads = useStore(viewer.loading.loads);
  const traces = useStore(viewer.loading.traces);
  const listens = useStore(viewer.listens);
  useStores(loads.map(({ status }) => status));
  const isVacant = traces.length === 0 && loads.every(({ status }) => status.value.state === "failed" || status.value.state === "cancelled");
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
        <section class="card" aria-label={t("load.loading", { name })}>
          <h2 title={name}>{name}</h2>
          <progress aria-label={t("load.progress")} {...(status.total > 0 ? { value: status.done, max: status.total } : {})} />
          <div class="card-row">
            <span>
              {viewer.loading.showsBeginOf(load) && !viewer.loading.isWhole(load) && t("load.the-first-are-shown", { bytes: formatBytes(viewer.loading.beginRule.bytes) })}
              {describe(status)}
            </span>
            <button type="button" class="button" onClick={() => viewer.cancelLoad(load)}>
              {t("common.cancel")}
            </button>
          </div>
        </section>
      );
    case "failed":
    case "cancelled":
      return (
        <section class="card card-error" role="alert">
          <h2 title={name}>{name}</h2>
          {status.state === "failed" && status.error !== null ? <p lang="en">{sentence(status.error)}</p> : <p>{t(status.state === "cancelled" ? "load.the-load-was-cancelled" : "load.it-could-not-be")}</p>}
          <div class="card-row">
            {status.wholeBytes !== null && (
              <button type="button" class="button" onClick={() => viewer.loading.retryWhole(load)}>
                {wholeText(status.wholeBytes)}
              </button>
            )}
            <button type="button" class="button" onClick={() => viewer.chooseFiles(null)}>
              {t("load.open-another")}
            </button>
            <button type="button" class="button" onClick={() => viewer.loading.dismiss(load)}>
              {t("load.dismiss")}
            </button>
          </div>
        </section>
      );
  }
}

/** The traces that are read by ranges, with the offer to load the whole file. */
export function WholeOffers({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  useStore(viewer.loading.loads); // a load of the whole file may be in progress
  return (
    <>
      {traces.map(({ load }, i) => {
        const { name, wholeBytes } = load.status.value;
        if (wholeBytes === null || viewer.loading.isBegin(load)) return null;
        return (
          <p key={i} class="whole-offer">
            <span>{t("load.is-read-by-ranges", { name: fileNameOf(name) })}</span>
            <button type="button" class="button" onClick={() => viewer.loading.loadWhole(i)}>
              {wholeText(wholeBytes)}
            </button>
          </p>
        );
      })}
    </>
  );
}

function wholeText(bytes: number): string {
  return bytes === 0 ? t("load.the-whole-file") : t("load.the-whole-file-of", { bytes: formatBytes(bytes) });
}

const PHASES: Record<LoadStatus["phase"], PlainId> = {
  downloading: "load.downloading",
  decompressing: "load.decompressing",
  reading: "load.reading",
  sorting: "load.sorting",
  indexing: "load.indexing",
  done: "load.opening",
};

function describe({ phase, done, total }: LoadStatus): string {
  const isBytes = phase === "downloading" || phase === "decompressing" || phase === "reading";
  const name = t(PHASES[phase]);
  if (total === 0) return done > 0 && isBytes ? `${name}: ${formatBytes(done)}` : `${name}…`;
  if (!isBytes) return `${name}: ${Math.floor((100 * done) / total)} %`;
  return t("load.of", { phase: name, done: formatBytes(done), total: formatBytes(total) });
}

function Listening({ where }: { where: string }) {
  return (
    <section class="card" aria-label={t("load.listening")}>
      <h2>{t("load.nothing-has-been-received")}</h2>
      <p>
        {rich("load.listening-at", { address: <code>{where}</code> })}
      </p>
      <progress aria-label={t("load.waiting")} />
    </section>
  );
}

function NothingOpen({ viewer }: { viewer: Viewer }) {
  return (
    <section class="card">
      <h2>{t("common.no-trace-is-open-2")}</h2>
      <p>{t("load.drop-a-file-anywhere")}</p>
      <div class="card-row">
        <button type="button" class="button button-primary" onClick={() => viewer.chooseFiles(null)}>
          {t("common.open")}
        </button>
      </div>
      <RecentList viewer={viewer} />
    </section>
  );
}
