/** Any JSON as a tree that opens and closes; large ones a page at a time. */
import { useState } from "preact/hooks";
import { ExactNumber } from "../carrier/exact_json.ts";

const PAGE = 100;
/** Objects this small stand open from the start. */
const OPEN_AT_MOST = 12;

type Container = unknown[] | Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function entriesOf(value: Container): [string, unknown][] {
  return Array.isArray(value) ? value.map((item, i) => [String(i), item]) : Object.entries(value);
}

export function ArgsTree({ value }: { value: unknown }) {
  if (!isContainer(value)) return <Leaf value={value} />;
  return <Entries value={value} depth={0} />;
}

function Entries({ value, depth }: { value: Container; depth: number }) {
  const [shown, setShown] = useState(PAGE);
  const entries = entriesOf(value);
  return (
    <ul class="tree">
      {entries.slice(0, shown).map(([key, item]) => (
        <li key={key}>{isContainer(item) ? <Branch name={key} value={item} depth={depth} /> : <Line name={key} value={item} />}</li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" class="link" onClick={() => setShown(shown + PAGE)}>
            {(entries.length - shown).toLocaleString("en")} more
          </button>
        </li>
      )}
    </ul>
  );
}

function Branch({ name, value, depth }: { name: string; value: Container; depth: number }) {
  const count = entriesOf(value).length;
  const [open, setOpen] = useState(depth < 2 && count <= OPEN_AT_MOST);
  if (count === 0) return <Line name={name} value={Array.isArray(value) ? "[]" : "{}"} plain />;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="key">{name}</span> <span class="muted">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      {open && <Entries value={value} depth={depth + 1} />}
    </details>
  );
}

function Line({ name, value, plain = false }: { name: string; value: unknown; plain?: boolean }) {
  return (
    <div class="line">
      <span class="key">{name}</span>
      {plain ? <span class="muted">{String(value)}</span> : <Leaf value={value} />}
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === "string") return <span class="value value-text">{value === "" ? "\u201c\u201d" : value}</span>;
  return <span class="value value-number">{String(value)}</span>;
}
