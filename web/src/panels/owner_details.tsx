/** The metadata of a process or a thread. */
import type { OwnerAnswer } from "../transport/protocol.ts";
import { ArgsTree } from "./args_tree.tsx";
import { formatNumber, nameOf } from "./format.ts";
import { t, type PlainId } from "../texts.ts";

/** Returns earlier names: if metadata has several names, the last one is valid. */
function earlierNames(owner: OwnerAnswer): string[] {
  const key = owner.thread === null ? "process_name" : "thread_name";
  const now = owner.thread === null ? owner.process?.name : owner.thread.name;
  const names = owner.metadata.filter((event) => event.name === key).map((event) => (event.args as { name?: unknown } | null)?.name);
  return [...new Set(names.filter((name): name is string => typeof name === "string" && name !== now))];
}

const NOUNS: Record<string, PlainId> = { thread: "owner-details.threads", goroutine: "common.goroutines", processor: "owner-details.processors" };

function nounTitle(owner: OwnerAnswer): string {
  const noun = owner.thread_noun ?? "thread";
  const id = NOUNS[noun];
  return id === undefined ? `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s` : t(id);
}

export function OwnerDetails({ owner }: { owner: OwnerAnswer }) {
  const isProcess = owner.thread === null;
  const earlier = earlierNames(owner);
  const facts: [string, string | null][] = [
    [t("common.process"), isProcess ? null : (owner.process?.title ?? null)],
    [t("common.id"), (isProcess ? owner.process?.id : owner.thread?.id) ?? null],
    [t("owner-details.earlier-names"), earlier.length > 0 ? earlier.join(", ") : null],
    [t("owner-details.labels"), owner.labels],
    [nounTitle(owner), isProcess ? formatNumber(owner.threads) : null],
    [t("common.slices"), formatNumber(owner.slices)],
    [t("common.instants"), owner.instants > 0 ? formatNumber(owner.instants) : null],
    [t("owner-details.sort-index"), owner.sort_index === 0 ? null : String(owner.sort_index)],
  ];
  const left = owner.metadata_count - owner.metadata.length;
  return (
    <article class="details" id="details">
      <div class="details-head">
        <h2>{isProcess ? owner.process?.title : owner.thread?.title}</h2>
        <p class="muted">{isProcess ? t("common.process") : t("owner-details.track-of-a-process")}</p>
      </div>
      <section>
        <dl class="facts-list">
          {facts.map(
            ([name, value]) =>
              value !== null && (
                <>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </>
              ),
          )}
        </dl>
      </section>
      <section id="metadata">
        <h3>{t("owner-details.metadata")}</h3>
        {owner.metadata.length === 0 && <p class="muted">{t("owner-details.none")}</p>}
        {owner.metadata.map((event, i) => (
          <div key={i} class="metadata">
            <h4>
              {nameOf(event.name)} {isProcess && <span class="muted">{event.thread.title}</span>}
            </h4>
            {event.args !== null && <ArgsTree value={event.args} />}
            {event.other !== null && <ArgsTree value={event.other} />}
            {event.details_error !== null && <p class="error">{event.details_error}</p>}
          </div>
        ))}
        {left > 0 && <p class="muted">{t("common.and-more", { number: left })}</p>}
      </section>
    </article>
  );
}
