/** The filter by category: an event is visible if at least one of its categories is visible. */
import { useState } from "preact/hooks";
import type { Category } from "../transport/protocol.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf } from "./format.ts";
import { t } from "../texts.ts";

/** Typing a name finds the categories beyond this limit. */
const MOST = 500;

export function categoryName(category: Category): string {
  return category.name ?? t("category.no-name");
}

export function CategoryPanel({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const [text, setText] = useState("");
  return (
    <div class="categories">
      <input
        type="text"
        id="category-filter"
        aria-label={t("category.only-categories-with-this")}
        placeholder={t("category.find-a-category")}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {traces.map((trace, i) => (
        <TraceCategories
          key={i}
          viewer={viewer}
          trace={i}
          title={traces.length > 1 ? fileNameOf(trace.info.file.name) : null}
          all={trace.categories}
          text={text.toLowerCase()}
        />
      ))}
    </div>
  );
}

function byCount(a: Category, b: Category): number {
  const events = (c: Category) => c.slices + c.instants;
  return events(b) - events(a) || categoryName(a).localeCompare(categoryName(b), "en", { numeric: true });
}

/** Arrow keys move between check boxes. */
function onKeyDown(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return;
  const boxes = [...event.currentTarget.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  const at = boxes.indexOf(event.target as HTMLInputElement);
  if (at < 0) return;
  event.preventDefault();
  boxes[Math.max(0, Math.min(boxes.length - 1, at + step))]?.focus();
}

interface Props {
  viewer: Viewer;
  trace: number;
  title: string | null;
  all: Category[];
  text: string;
}

function TraceCategories({ viewer, trace, title, all, text }: Props) {
  const hidden = useStore(viewer.categories.hidden)[trace] ?? new Set<number>();
  const found = all.filter((c) => categoryName(c).toLowerCase().includes(text)).sort(byCount);
  const ids = found.map((c) => c.id);
  return (
    <section aria-label={title ?? t("common.categories")}>
      {title !== null && <h3>{title}</h3>}
      <div class="card-row">
        <button type="button" class="button" title={t(text === "" ? "category.show-all" : "category.show-found")} onClick={() => viewer.categories.toggle(trace, ids, true)}>
          {t("category.all")}
        </button>
        <button type="button" class="button" title={t(text === "" ? "category.hide-all" : "category.hide-found")} onClick={() => viewer.categories.toggle(trace, ids, false)}>
          {t("category.none")}
        </button>
        <span class="muted">
          {hidden.size === 0 ? t("count.category", { count: all.length }) : t("category.of-hidden", { hidden: all.filter((c) => hidden.has(c.id)).length, all: all.length })}
        </span>
      </div>
      <ul onKeyDown={onKeyDown}>
        {found.slice(0, MOST).map((category) => (
          <Line key={category.id} viewer={viewer} trace={trace} category={category} shown={!hidden.has(category.id)} />
        ))}
      </ul>
      {found.length > MOST && <p class="muted">{t("category.more", { count: found.length - MOST })}</p>}
      {found.length === 0 && <p class="muted">{t("category.there-is-no-such")}</p>}
    </section>
  );
}

interface LineProps {
  viewer: Viewer;
  trace: number;
  category: Category;
  shown: boolean;
}

function Line({ viewer, trace, category, shown }: LineProps) {
  const { slices, instants, counters } = category;
  const counts = [
    slices > 0 ? t("count.slice", { count: slices }) : "",
    instants > 0 ? t("count.instant", { count: instants }) : "",
    counters > 0 ? t("count.counter", { count: counters }) : "",
  ];
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={shown}
          onChange={(event) => viewer.categories.toggle(trace, [category.id], event.currentTarget.checked)}
        />
        <span class="category-name">{categoryName(category)}</span>
        <span class="muted">{counts.filter((text) => text !== "").join(" · ")}</span>
      </label>
      <button
        type="button"
        class="link"
        aria-label={t("category.only", { category: categoryName(category) })}
        onClick={() => viewer.categories.only(trace, category.id)}
      >
        {t("category.only-2")}
      </button>
    </li>
  );
}
