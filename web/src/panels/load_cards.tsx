/** A card for each load in progress, with a button to cancel it; one for the failed loads, with the reasons; without a trace, one to open a file. */
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
  const own = loads.filter((load) => !viewer.loading.isBegin(load));
  const failed = own.filter(({ status }) => status.value.state === "failed" || status.value.state === "cancelled");
  const isVacant = traces.length === 0 && failed.length === loads.length;
  return (
    <div class="cards">
      {own.map((load) => load.status.value.state === "loading" && <LoadingCard key={loads.indexOf(load)} viewer={viewer} load={load} />)}
      <FailedCard viewer={viewer} loads={failed} />
      {isVacant && (listens === null ? <NothingOpen viewer={viewer} /> : <Listening where={listens} />)}
    </div>
  );
}

function LoadingCard({ viewer, load }: { viewer: Viewer; load: Load }) {
  const status = useStore(load.status);
  const name = fileNameOf(status.name);
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
}

/** One card for all loads that failed or were cancelled: with a card for each, many of them would cover the timeline. */
function FailedCard({ viewer, loads }: { viewer: Viewer; loads: Load[] }) {
  const [first] = loads;
  if (first === undefined) return null;
  const name = fileNameOf(first.status.value.name);
  const isOne = loads.length === 1;
  return (
    <section class="card card-error" role="alert">
      <h2 title={isOne ? name : undefined}>{isOne ? name : t("load.files-not-opened", { count: loads.length })}</h2>
      <div class="card-reasons">
        {loads.map((load, i) => (
          <FailedLoad key={i} viewer={viewer} load={load} hasName={!isOne} />
        ))}
      </div>
      <div class="card-row">
        <button type="button" class="button" onClick={() => viewer.chooseFiles(null)}>
          {t("load.open-another")}
        </button>
        <button type="button" class="button" onClick={() => viewer.loading.dismiss(loads)}>
          {t("load.dismiss")}
        </button>
      </div>
    </section>
  );
}

function FailedLoad({ viewer, load, hasName }: { viewer: Viewer; load: Load; hasName: boolean }) {
  const { name, state, error, wholeBytes } = load.status.value;
  return (
    <>
      {hasName && <h3 title={fileNameOf(name)}>{fileNameOf(name)}</h3>}
      {state === "failed" && error !== null ? <p lang="en">{sentence(error)}</p> : <p>{t(state === "cancelled" ? "load.the-load-was-cancelled" : "load.it-could-not-be")}</p>}
      {wholeBytes !== null && (
        <div class="card-row">
          <button type="button" class="button" onClick={() => viewer.loading.retryWhole(load)}>
            {wholeText(wholeBytes)}
          </button>
        </div>
      )}
    </>
  );
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
