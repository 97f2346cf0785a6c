/** The facts about an open trace, and the properties in its file. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isAbort, messageOf, requestJson } from "../transport/transport.ts";
import type { InfoAnswer, Property } from "../transport/protocol.ts";
import type { AreaKind } from "../areas.ts";
import type { OpenTrace } from "../loading.ts";
import type { Viewer } from "../viewer.ts";
import { ArgsTree } from "./args_tree.tsx";
import { fileNameOf, formatBytes, formatNumber, sliceCount, slicesHint } from "./format.ts";
import { t, word } from "../texts.ts";

/** Returns the name of each count above 0, as the first word of a line, with the key of the engine. Asynchronous slices are slices, too. */
function countsOf(info: InfoAnswer): { key: string; name: string; count: number }[] {
  return Object.entries({ ...info.counts, slices: sliceCount([info]) })
    .filter(([, count]) => count > 0)
    .map(([key, count]) => {
      const name = word(key.replaceAll("_", " "));
      return { key, name: name.charAt(0).toLocaleUpperCase() + name.slice(1), count };
    });
}

function clockOf({ time }: InfoAnswer): string {
  if (time.clock === "calls") return t("trace-info.the-order-of-calls");
  const [num, den] = time.ns_per_tick;
  if (den === 1) return num === 1 ? t("trace-info.1-ns-a-tick") : t("trace-info.ns-a-tick", { num });
  return num === 1 && den === 1000 ? t("trace-info.1-ps-a-tick") : t("trace-info.ns-a-tick-2", { num, den });
}

/** Returns a tooltip for a count: its parts, or the reason why it differs from the number of rows. */
function hintOf(key: string, info: InfoAnswer): string | undefined {
  if (key === "slices") return slicesHint([info]);
  return key === "tracks" ? t("trace-info.tracks-of-the-file") : undefined;
}

/** The ways from a count to its events in the timeline, by the key of the engine. */
const WAYS: Record<string, (viewer: Viewer) => void> = {
  processes: (viewer) => viewer.dialog.set("jump"),
  threads: (viewer) => viewer.dialog.set("jump"),
  tracks: (viewer) => viewer.dialog.set("jump"),
  slices: (viewer) => showTable(viewer, "slices"),
  instants: (viewer) => showTable(viewer, "instants"),
  counters: (viewer) => showTable(viewer, "counters"),
};

function showTable(viewer: Viewer, kind: AreaKind): void {
  viewer.areaKind.set(kind);
  viewer.drawer.show("area");
}

/** `children` are shown between the facts and the properties. */
export function TraceInfo({ viewer, trace, index, children }: { viewer: Viewer; trace: OpenTrace; index: number; children: ComponentChildren }) {
  const { info } = trace;
  const span = String(viewer.view.span(index));
  return (
    <>
      <h3>{fileNameOf(info.file.name)}</h3>
      <dl class="facts-line">
        <Fact name={t("common.format")}>
          <span lang="en">{info.format.version === "" ? info.format.name : `${info.format.name} ${info.format.version}`}</span>
        </Fact>
        <Fact name={t("trace-info.size")}>{info.file.compression === "none" ? formatBytes(info.file.bytes) : `${formatBytes(info.file.bytes)}, ${info.file.compression}`}</Fact>
        <Fact name={t("trace-info.clock")}>{clockOf(info)}</Fact>
        {info.time.begin_utc !== undefined && <Fact name={t("common.begins")}>{info.time.begin_utc}</Fact>}
        <Fact name={t("trace-info.time-range")}>
          <button type="button" class="link" title={t("trace-info.show-the-whole-trace")} onClick={() => viewer.showRange(index, "0", span)}>
            {viewer.view.lengthText(index, span)}
          </button>
        </Fact>
        {countsOf(info).map(({ key, name, count }) => (
          <Fact key={key} name={name} hint={hintOf(key, info)}>
            {WAYS[key] === undefined ? formatNumber(count) : <WayTo viewer={viewer} text={formatNumber(count)} go={WAYS[key]} />}
          </Fact>
        ))}
        <Fact name={t("trace-info.import")}>
          <button type="button" class="link" onClick={() => viewer.dialog.set("report")}>
            {info.warnings.length === 0 ? t("trace-info.nothing-was-wrong") : t("count.warning", { count: info.warnings.length })}
          </button>
        </Fact>
      </dl>
      {children}
      <Properties trace={trace} />
    </>
  );
}

function Fact({ name, hint, children }: { name: string; hint?: string | undefined; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={hint}>{children}</dd>
    </div>
  );
}

function WayTo({ viewer, text, go }: { viewer: Viewer; text: string; go: (viewer: Viewer) => void }) {
  return (
    <button type="button" class="link" onClick={() => go(viewer)}>
      {text}
    </button>
  );
}

/** Requested when the panel opens, because few users need them. */
function Properties({ trace }: { trace: OpenTrace }) {
  const [answer, setAnswer] = useState<Property[] | string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    requestJson(trace.load, "properties", {}, controller.signal)
      .then((found) => setAnswer(found.properties))
      .catch((error: unknown) => !isAbort(error) && setAnswer(messageOf(error)));
    return () => controller.abort();
  }, [trace]);
  if (answer === null || answer.length === 0) return null;
  if (typeof answer === "string") return <p class="error">{answer}</p>;
  return (
    <div class="properties">
      <h4>{t("trace-info.the-file-says")}</h4>
      {answer.map((property, i) => (
        <PropertyLine key={i} trace={trace} index={i} property={property} />
      ))}
    </div>
  );
}

function PropertyLine({ trace, index, property }: { trace: OpenTrace; index: number; property: Property }) {
  const [value, setValue] = useState<unknown>(property.value);
  const [error, setError] = useState<string | null>(null);
  const isAway = value === null && property.bytes > "null".length;
  const fetchAll = () => {
    requestJson(trace.load, "property", { index })
      .then(setValue)
      .catch((problem: unknown) => setError(messageOf(problem)));
  };
  if (error !== null) return <p class="error">{error}</p>;
  if (!isAway) return <ArgsTree value={{ [property.key]: value }} />;
  return (
    <div class="line">
      <span class="key">{property.key}</span>{" "}
      <button type="button" class="link" onClick={fetchAll}>
        {t("trace-info.show-bytes", { bytes: formatBytes(property.bytes) })}
      </button>
    </div>
  );
}
