/** The top bar: the open traces, the search field, and buttons. */
import { useRef } from "preact/hooks";
import { searchTerms } from "../search.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { Icon, IconButton, Mark } from "./icons.tsx";
import { fileNameOf, formatBytes, sentence, slicesHint, slicesText } from "./format.ts";
import { LiveBadge } from "./live_badge.tsx";
import { Switch } from "./parts.tsx";
import { t } from "../texts.ts";

export function TopBar({ viewer }: { viewer: Viewer }) {
  const theme = useStore(viewer.settings.theme);
  useStore(viewer.keys.commands); // for the tooltips
  return (
    <header class="top-bar">
      <span class="brand">
        <Mark />
        Varve
      </span>
      <OpenButton viewer={viewer} />
      <Names viewer={viewer} />
      <LiveBadge viewer={viewer} />
      <ReportBadge viewer={viewer} />
      <PerspectiveSwitch viewer={viewer} />
      <AxisSwitch viewer={viewer} />
      <SearchBox viewer={viewer} />
      <button type="button" class="button" title={viewer.keys.tip(t("top-bar.show-the-whole-trace"), "fit-all")} onClick={() => viewer.run("fit-all")}>
        <Icon name="fit" />
        {t("top-bar.fit")}
      </button>
      <IconButton icon="share" label={t("top-bar.share-the-viewer-and")} onClick={() => viewer.dialog.set("share")} />
      <IconButton
        icon={theme === "dark" ? "light" : "dark"}
        label={theme === "dark" ? t("top-bar.use-the-light-theme") : t("top-bar.use-the-dark-theme")}
        onClick={() => viewer.settings.nextTheme()}
      />
      <IconButton icon="settings" label={viewer.keys.tip(t("common.settings"), "settings")} onClick={() => viewer.dialog.set("settings")} />
      <button type="button" class="icon-button" title={viewer.keys.tip(t("top-bar.help-all-keys"), "help")} aria-label={t("top-bar.help")} onClick={() => viewer.dialog.set("help")}>
        ?
      </button>
    </header>
  );
}

function OpenButton({ viewer }: { viewer: Viewer }) {
  const input = useRef<HTMLInputElement>(null);
  const opened = () => {
    const field = input.current;
    if (field === null) return;
    viewer.openFiles([...(field.files ?? [])], viewer.openMode);
    viewer.openMode = "replace";
    field.value = ""; // so that the same file can be chosen again
    viewer.focusTimeline();
  };
  return (
    <>
      <button type="button" class="button" title={t("top-bar.with-shift-add-them", { tip: viewer.keys.tip(t("top-bar.open-traces"), "open") })} onClick={(event) => viewer.chooseFiles(event.shiftKey ? "add" : null)}>
        <Icon name="open" />
        {t("common.open")}
      </button>
      <input ref={input} id="file-input" type="file" multiple hidden onChange={opened} />
    </>
  );
}

function Names({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const first = traces[0];
  if (first === undefined)
    return (
      <h1 class="names">
        <span class="unseen">{t("common.no-trace-is-open-2")}</span>
      </h1>
    );
  const names = traces.map((trace) => fileNameOf(trace.info.file.name)).join(", ");
  const infos = traces.map((trace) => trace.info);
  const bytes = infos.reduce((sum, info) => sum + info.file.bytes, 0);
  return (
    <h1 class="names" title={names}>
      {traces.length === 1 && <FileName name={names} />}
      {traces.length > 1 && (
        <span class="file-names">
          {traces.map((trace, i) => (
            <TraceName key={i} name={fileNameOf(trace.info.file.name)} onClose={() => viewer.closeTrace(i)} />
          ))}
        </span>
      )}
      <span class="facts" title={slicesHint(infos)}>
        {slicesText(infos)} · {formatBytes(bytes)}
      </span>
    </h1>
  );
}

/**
 * The last words of a name, or its last characters: cut off last, because the names of recordings of one program often differ
 * there.
 */
const NAME_ENDS = [/(?<=[-_. ]).{10,20}$/u, /.{16}$/u];
/** Shorter names are cut off at their ends, but not the number that distinguishes equal names. */
const LONG_NAME = 26;
const NUMBER = / \(\d+\)$/;

/** A name that is cut in the middle if there is no room. */
function FileName({ name }: { name: string }) {
  const ends = name.length < LONG_NAME ? [NUMBER] : NAME_ENDS;
  const at = ends.map((end) => end.exec(name)).find((found) => found !== null)?.index ?? name.length;
  const [begin, end] = [name.slice(0, at), name.slice(at)];
  return (
    <span class="file-name" title={name}>
      <span class="unseen">{name}</span>
      <span class="file-name-begin" aria-hidden="true">{begin}</span>
      {end !== "" && <span class="file-name-end" aria-hidden="true">{end}</span>}
    </span>
  );
}

/** The name of one of several traces, with a cross. */
function TraceName({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <span class="trace-name">
      <FileName name={name} />
      <IconButton icon="close" label={t("top-bar.close", { name })} onClick={onClose} />
    </span>
  );
}

function ReportBadge({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  if (traces.length === 0) return null;
  const kinds = traces.reduce((sum, t) => sum + t.info.warnings.length + (t.load.status.value.note === null ? 0 : 1), 0);
  const whole = traces.every((trace) => trace.info.complete);
  if (kinds === 0 && whole)
    return (
      <button type="button" class="badge" id="report-badge" onClick={() => viewer.dialog.set("report")}>
        {t("top-bar.report")}
      </button>
    );
  return (
    <button type="button" class="badge badge-warning" id="report-badge" onClick={() => viewer.dialog.set("report")}>
      <Icon name="warning" />
      {whole ? t("count.warning", { count: kinds }) : t("top-bar.incomplete")}
    </button>
  );
}

/** Shown only if there are several perspectives: the same events by processor, by goroutine, ... */
function PerspectiveSwitch({ viewer }: { viewer: Viewer }) {
  const { names, shown } = useStore(viewer.perspectives.state);
  if (names.length === 0) return null;
  const values = ["", ...names].map((name) => [name, name === "" ? t("top-bar.all") : name] as const);
  return <Switch label={t("top-bar.perspective")} title={viewer.keys.tip(t("top-bar.perspective-the-next"), "perspective")} values={values} value={shown} onChange={(name) => viewer.perspectives.lookFrom(name)} />;
}

/** Shown only for captures, which have an order instead of times. */
function AxisSwitch({ viewer }: { viewer: Viewer }) {
  useStore(viewer.loading.traces);
  const { shown } = viewer.captureAxes;
  if (shown === null) return null;
  const values = [
    ["events", t("top-bar.events")],
    ["calls", t("top-bar.calls")],
  ] as const;
  return <Switch label={t("top-bar.axis")} title={viewer.keys.tip(t("top-bar.axis-of-captures"), "equal-widths")} values={values} value={shown} onChange={(axis) => void viewer.captureAxes.show(axis)} />;
}

function SearchBox({ viewer }: { viewer: Viewer }) {
  const { text, result, searching, scanning, share, matches, error } = useStore(viewer.search.state);
  const { searchValues } = useStore(viewer.settings.saved);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault();
      viewer.moveSearch(event.shiftKey ? "previous" : "next");
    } else if (event.key === "Escape") {
      event.preventDefault();
      viewer.endSearch();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      viewer.focusTimeline(); // the match stays in view
    }
  };
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        id="search"
        type="text"
        placeholder={searchValues ? t("top-bar.search-names-and-arguments") : t("top-bar.search-names")}
        aria-label={searchValues ? t("top-bar.search-names-categories-and") : t("top-bar.search-names-and-categories")}
        title={t("top-bar.enter-goes-on-shift", { search: viewer.keys.tip(t("top-bar.search"), "search"), terms: searchTerms().join("  ") })}
        aria-invalid={error !== null}
        aria-errormessage={error === null ? undefined : "search-error"}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => viewer.typeSearch(event.currentTarget.value)}
        onBlur={() => viewer.keepSearch()}
        onKeyDown={onKeyDown}
      />
      {error !== null && (
        <p class="search-error" id="search-error" role="alert">
          {sentence(error)}
        </p>
      )}
      {matches.length === 0 ? (
        <output id="search-result">{searching ? "…" : result}</output>
      ) : (
        <button type="button" class="link" title={t("top-bar.list-all-matches")} onClick={() => viewer.drawer.show("search")}>
          <output id="search-result">{searching ? "…" : result}</output>
        </button>
      )}
      <button
        type="button"
        class="toggle"
        id="search-values"
        aria-pressed={searchValues}
        title={searchValues ? t("top-bar.arguments-are-looked-through") : t("top-bar.look-through-arguments-too")}
        onClick={() => viewer.settings.change({ searchValues: !searchValues })}
      >
        {t("top-bar.args")}
      </button>
      {scanning && (
        <>
          <progress value={share} max={1} aria-label={t("top-bar.arguments-looked-through")} />
          <IconButton icon="close" label={t("top-bar.look-through-no-more")} id="search-stop" onClick={() => viewer.search.stop()} />
        </>
      )}
      {text !== "" && (
        <>
          <IconButton icon="up" label={t("top-bar.previous-match-shift-enter")} onClick={() => viewer.moveSearch("previous")} />
          <IconButton icon="down" label={t("top-bar.next-match-enter")} onClick={() => viewer.moveSearch("next")} />
        </>
      )}
    </div>
  );
}
