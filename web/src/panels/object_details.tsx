/** Objects, contexts and memory dumps in the details, with links between them. */
import type { ContextAnswer, InstantAnswer, Mark, ObjectAnswer } from "../transport/protocol.ts";
import type { Viewer } from "../viewer.ts";
import { formatNumber, nameOf, unbroken } from "./format.ts";
import { t } from "../texts.ts";

interface MarkLinkProps {
  viewer: Viewer;
  trace: number;
  mark: Mark | null;
  text: string;
}

/** A button that goes to an instant; empty without an instant. */
function MarkLink({ viewer, trace, mark, text }: MarkLinkProps) {
  if (mark === null) return null;
  return (
    <button type="button" class="link" onClick={() => viewer.selection.selectInstant({ ...mark, trace })}>
      {text}
    </button>
  );
}

function lifeText(object: ObjectAnswer): string {
  const life = object.lives > 1 ? t("object-details.life-of-of-this", { life: object.life, lives: object.lives }) : "";
  return `${life}${object.created ? t("object-details.from-its-creation-on") : t("object-details.its-creation-was-not")}`;
}

/** The object of the selected slice or snapshot. */
export function ObjectDetails({ viewer, trace, object }: { viewer: Viewer; trace: number; object: ObjectAnswer | null }) {
  if (object === null) return null;
  const go = { viewer, trace };
  const isSnapshot = object.snapshot > 0;
  return (
    <section id="object">
      <h3>{t("object-details.object")}</h3>
      <dl class="facts-list">
        <dt>{t("common.type")}</dt>
        <dd>
          {nameOf(object.type)}
          {object.base_type !== null && <span class="muted"> {t("object-details.base-type", { type: object.base_type })}</span>}
        </dd>
        <dt>{t("common.id")}</dt>
        <dd>
          {object.id} <span class="muted">{t("object-details.scope", { scope: object.scope ?? "" })}</span>
        </dd>
        <dt>{t("object-details.life")}</dt>
        <dd>
          {isSnapshot ? (
            <button type="button" class="link" onClick={() => viewer.selection.select({ ...object.place, trace })}>
              {lifeText(object)}
            </button>
          ) : (
            lifeText(object)
          )}
        </dd>
        <dt>{t("object-details.snapshots")}</dt>
        <dd class="links">
          <span>{isSnapshot ? t("object-details.snapshot-of", { number: object.snapshot, all: object.snapshots }) : formatNumber(object.snapshots)}</span>
          <MarkLink {...go} mark={object.previous} text={t("object-details.previous")} />
          <MarkLink {...go} mark={object.next} text={t("object-details.next")} />
          {!isSnapshot && object.snapshots > 1 && <MarkLink {...go} mark={object.first} text={t("object-details.first")} />}
          {!isSnapshot && <MarkLink {...go} mark={object.last} text={t("object-details.latest")} />}
        </dd>
      </dl>
    </section>
  );
}

/** The contexts that were active on its thread at the begin of the slice. */
export function Contexts({ viewer, trace, contexts }: { viewer: Viewer; trace: number; contexts: ContextAnswer[] }) {
  if (contexts.length === 0) return null;
  return (
    <section>
      <h3>{t("object-details.contexts")}</h3>
      <ul class="parents">
        {contexts.map((context, i) => (
          <li key={i}>
            <span>
              {nameOf(context.name)} {context.id}
            </span>
            <span class="muted">{t("object-details.since", { time: unbroken(viewer.view.timeText(trace, context.begin.offset)) })}</span>
            <MarkLink viewer={viewer} trace={trace} mark={context.snapshot} text={t("object-details.its-object-then")} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The parts of a memory dump, one for each process. */
export function DumpParts({ viewer, trace, instant }: { viewer: Viewer; trace: number; instant: InstantAnswer }) {
  const dump = instant.dump;
  if (dump === null || dump.parts.length < 2) return null;
  return (
    <section>
      <h3>{t("object-details.memory-dump", { id: dump.id ?? "" })}</h3>
      <ul class="parents">
        {dump.parts.map((part) => (
          <li key={part.mark.instant}>
            {part.mark.instant === instant.instant ? (
              <span>{t("object-details.this-process", { process: part.process?.title ?? "?" })}</span>
            ) : (
              <MarkLink viewer={viewer} trace={trace} mark={part.mark} text={part.process?.title ?? "?"} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
