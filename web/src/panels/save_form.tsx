/** The form of the dialog "Save": the trace, the part of it, the format, and the table if the format has one. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { requestJson } from "../transport/transport.ts";
import type { Loss } from "../transport/protocol.ts";
import { savePicture, type PictureKind } from "../pictures.ts";
import { ALL_TRACES, saveFormats, saveTrace, SHARE_FORMAT, type SaveChoice } from "../saving.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatNumber } from "./format.ts";
import { rich, t } from "../texts.ts";

const USUAL_TABLE = "slice";

/** `shares`: begins with the format of one HTML file. */
export function SaveForm({ viewer, shares = false }: { viewer: Viewer; shares?: boolean }) {
  const formats = saveFormats();
  const traces = useStore(viewer.loading.traces);
  const area = useStore(viewer.area);
  const [choice, setChoice] = useState<SaveChoice>({
    trace: area?.trace ?? (shares && traces.length > 1 ? ALL_TRACES : 0),
    part: area === null ? "trace" : "area",
    format: shares ? SHARE_FORMAT : (formats.find(({ to }) => to === "json") ?? SHARE_FORMAT),
    table: USUAL_TABLE,
  });
  const { share, save: start, cancel } = useSaving(viewer);
  const [losses, setLosses] = useState<Loss[]>([]);
  const tables = useTables(viewer);
  const choose = (part: Partial<SaveChoice>) => setChoice({ ...choice, ...part });
  const canBeAll = choice.format.to === SHARE_FORMAT.to && traces.length > 1;
  const isAll = canBeAll && choice.trace === ALL_TRACES;
  const trace = isAll ? ALL_TRACES : Math.max(choice.trace, 0);
  const hasArea = area?.parts.some((part) => part.trace === trace) ?? false;
  const isWhole = choice.format.isWhole === true || isAll;
  const part = !isWhole && (hasArea || choice.part === "view") ? choice.part : "trace";
  if (traces.length === 0) return <p class="muted">{t("common.no-trace-is-open")}</p>;
  const save = async () => {
    const lost = await start({ ...choice, trace, part });
    if (lost?.length === 0) viewer.dialog.set(null);
    else setLosses(lost ?? []);
  };
  if (losses.length > 0) return <Losses viewer={viewer} title={t(choice.format.title)} losses={losses} />;
  return (
    <form
      class="settings save"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {traces.length > 1 && (
        <label>
          {t("common.trace")}
          <select id="save-trace" value={trace} onChange={(event) => choose({ trace: Number(event.currentTarget.value) })}>
            {canBeAll && <option value={ALL_TRACES}>{t("save.all-traces")}</option>}
            {traces.map((trace, i) => (
              <option key={i} value={i}>
                {fileNameOf(trace.info.file.name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset>
        <legend>{t("save.part")}</legend>
        <label>
          <input type="radio" name="part" id="save-whole" checked={part === "trace"} onChange={() => choose({ part: "trace" })} />
          {isAll ? t("save.whole-traces") : t("common.whole-trace")}
        </label>
        <label>
          <input type="radio" name="part" id="save-view" checked={part === "view"} disabled={isWhole} onChange={() => choose({ part: "view" })} />
          {t("save.time-in-view")}
        </label>
        <label>
          <input type="radio" name="part" id="save-range" checked={part === "range"} disabled={isWhole || !hasArea} onChange={() => choose({ part: "range" })} />
          {t("save.time-of-area")}
        </label>
        <label>
          <input type="radio" name="part" id="save-area" checked={part === "area"} disabled={isWhole || !hasArea} onChange={() => choose({ part: "area" })} />
          {t("save.area")}
        </label>
      </fieldset>
      <label>
        {t("common.format")}
        <select
          id="save-format"
          value={choice.format.to}
          onChange={(event) => choose({ format: formats.find(({ to }) => to === event.currentTarget.value) ?? choice.format })}
        >
          {formats.map(({ to, title }) => (
            <option key={to} value={to}>
              {t(title)}
            </option>
          ))}
        </select>
      </label>
      {choice.format.isTable === true && (
        <label>
          {t("common.table")}
          <select id="save-table" value={choice.table} onChange={(event) => choose({ table: event.currentTarget.value })}>
            {tables.map((table) => (
              <option key={table}>{table}</option>
            ))}
          </select>
        </label>
      )}
      <FormatNote to={choice.format.to} />
      <SaveButtons share={share} cancel={cancel} />
      <PictureButtons viewer={viewer} />
    </form>
  );
}

function PictureButtons({ viewer }: { viewer: Viewer }) {
  const save = (kind: PictureKind) => {
    viewer.dialog.set(null);
    void savePicture(viewer, kind);
  };
  return (
    <div class="save-picture">
      <span>{t("save.picture-of-the-visible")}</span>
      <button type="button" onClick={() => save("png")}>
        PNG
      </button>
      <button type="button" onClick={() => save("svg")}>
        SVG
      </button>
    </div>
  );
}

/** Describes the file of a format. */
function FormatNote({ to }: { to: string }) {
  if (to === SHARE_FORMAT.to)
    return <p class="muted">{t("save.one-file-that-any")}</p>;
  if (to === "varve") return <p class="muted">{t("save.the-whole-trace-with")}</p>;
  return (
    <p class="muted">
      {rich(to === "parquet" ? "save.same-rows" : "save.same-file", { command: <code>varve convert</code> })}
    </p>
  );
}

/** `share`: null = no file is being saved. */
function SaveButtons({ share, cancel }: { share: number | null; cancel: () => void }) {
  const usable = useRef<HTMLButtonElement>(null);
  const isSaving = share !== null;
  const wasSaving = useRef(false);
  useLayoutEffect(() => {
    if (wasSaving.current !== isSaving) usable.current?.focus(); // outside of the dialog, Escape is a key of the timeline
    wasSaving.current = isSaving;
  }, [isSaving]);
  if (!isSaving)
    return (
      <button type="submit" ref={usable}>
        {t("common.save")}
      </button>
    );
  return (
    <div class="save-progress">
      <progress aria-label={t("save.saved")} {...(share > 0 ? { value: share } : {})} />
      <button type="button" ref={usable} onClick={cancel}>
        {t("common.cancel")}
      </button>
    </div>
  );
}

/** Saves one file at a time. Closing the dialog cancels it. */
function useSaving(viewer: Viewer) {
  const controller = useRef<AbortController | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const cancel = () => controller.current?.abort();
  useEffect(() => cancel, []);
  const save = async (choice: SaveChoice) => {
    controller.current = new AbortController();
    setShare(0);
    const losses = await saveTrace(viewer, choice, controller.current.signal, setShare);
    setShare(null);
    return losses;
  };
  return { share, save, cancel };
}

/** Lists the losses after a file was saved. */
function Losses({ viewer, title, losses }: { viewer: Viewer; title: string; losses: Loss[] }) {
  return (
    <div class="settings save" id="save-losses">
      <p>{t("save.losses", { format: title })}</p>
      <ul>
        {losses.map(({ what, kind, count }, i) => (
          <li key={i} lang="en">
            {what}
            {kind === "" ? "" : `: ${kind}`} ({formatNumber(count)})
          </li>
        ))}
      </ul>
      <button type="button" ref={(button) => button?.focus()} onClick={() => viewer.dialog.set(null)}>
        {t("common.close")}
      </button>
    </div>
  );
}

/** Returns the names of the tables in the engine. */
function useTables(viewer: Viewer): string[] {
  const [tables, setTables] = useState([USUAL_TABLE]);
  useEffect(() => {
    const load = viewer.loading.ready[0];
    if (load === undefined) return;
    requestJson(load, "sql-schema").then(
      (schema) => setTables(schema.tables.map(({ table }) => table)),
      () => undefined, // the default table stays in the list
    );
  }, [viewer]);
  return tables;
}
