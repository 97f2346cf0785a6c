/** The filter by category: an event is visible if at least one of its categories is visible. */
import { useState } from "preact/hooks";
import type { Category } from "../transport/protocol.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatCount, formatNumber } from "./format.ts";

/** Typing a name finds the categories beyond this limit. */
const MOST = 500;

export function categoryName(category: Category): string {
  return category.name ?? "(none)";
}

export function CategoryPanel({ viewer }: { viewer: Viewer }) {
  const traces = useStore(viewer.loading.traces);
  const [text, setText] = useState("");
  return (
    <div class="categories">
      <input
        type="text"
        id="category-filter"
        aria-label="Only categories with this text in their name"
        placeholder="Find a category"
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
  const what = text === "" ? "all" : "those found";
  return (
    <section aria-label={title ?? "Categories"}>
      {title !== null && <h3>{title}</h3>}
      <div class="card-row">
        <button type="button" class="button" title={`Show ${what}`} onClick={() => viewer.categories.toggle(trace, ids, true)}>
          All
        </button>
        <button type="button" class="button" title={`Hide ${what}`} onClick={() => viewer.categories.toggle(trace, ids, false)}>
          None
        </button>
        <span class="muted">
          {hidden.size === 0 ? formatCountOf(all.length) : `${all.filter((c) => hidden.has(c.id)).length} of ${all.length} hidden`}
        </span>
      </div>
      <ul onKeyDown={onKeyDown}>
        {found.slice(0, MOST).map((category) => (
          <Line key={category.id} viewer={viewer} trace={trace} category={category} shown={!hidden.has(category.id)} />
        ))}
      </ul>
      {found.length > MOST && <p class="muted">{formatCount(found.length - MOST, "more")}: type to find them.</p>}
      {found.length === 0 && <p class="muted">There is no such category.</p>}
    </section>
  );
}

function formatCountOf(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? "category" : "categories"}`;
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
    slices > 0 ? formatCount(slices, "slice") : "",
    instants > 0 ? formatCount(instants, "instant") : "",
    counters > 0 ? formatCount(counters, "counter") : "",
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
        aria-label={`Only ${categoryName(category)}`}
        onClick={() => viewer.categories.only(trace, category.id)}
      >
        only
      </button>
    </li>
  );
}
