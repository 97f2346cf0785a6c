/** Any JSON as a tree with expandable branches; long branches are shown page by page. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { ExactNumber, exactText } from "../transport/exact_json.ts";
import type { Mark, Reference } from "../transport/protocol.ts";
import { t } from "../texts.ts";
import { pictureAddress } from "./picture_data.ts";

const PAGE = 100;
/** Objects with at most this number of members are expanded initially. */
const OPEN_AT_MOST = 12;

type Container = unknown[] | Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function entriesOf(value: Container): [string, unknown][] {
  return Array.isArray(value) ? value.map((item, i) => [String(i), item]) : Object.entries(value);
}

/** The snapshots to which references lead, and the actions of links. */
interface Links {
  marks: Map<string, Mark | null>;
  onJump: (mark: Mark) => void;
  /** Saves binary data, identified by its number and the name of the argument. */
  onSave: ((number: number, key: string) => void) | undefined;
  notes: Notes;
}

/**
 * Short texts after values, by path ("mode", "desc.Format", "attribs[2]"): numbers of enums, names of structs, types.
 */
export type Notes = ReadonlyMap<string, string>;

const NO_NOTES: Notes = new Map();

const LinksContext = createContext<Links | null>(null);

function referenceKey(id: unknown, scope: unknown, pid: unknown): string {
  return [id, scope, pid].map((part) => (part === null || part === undefined ? "" : exactText(part))).join("\u0000");
}

interface ArgsTreeProps {
  value: unknown;
  refs?: Reference[];
  onJump?: (mark: Mark) => void;
  onSave?: (number: number, key: string) => void;
  notes?: Notes;
}

export function ArgsTree({ value, refs = [], onJump = () => undefined, onSave, notes = NO_NOTES }: ArgsTreeProps) {
  if (!isContainer(value)) return <Leaf value={value} />;
  const marks = new Map(refs.map((ref) => [referenceKey(ref.id, ref.scope, ref.pid), ref.snapshot]));
  return (
    <LinksContext.Provider value={{ marks, onJump, onSave, notes }}>
      <Entries value={value} path="" depth={0} />
    </LinksContext.Provider>
  );
}

/** The id of an object: a link to its snapshot at that time, if there is one. */
function ReferenceLine({ value }: { value: Record<string, unknown> }) {
  const links = useContext(LinksContext);
  const mark = links?.marks.get(referenceKey(value["id_ref"], value["scope"], value["pid_ref"]));
  if (links === null || mark === undefined) return <Line name="id_ref" path="" value={value["id_ref"]} />;
  return (
    <div class="line">
      <span class="key">id_ref</span>
      {mark === null ? (
        <span class="value value-text">
          {String(value["id_ref"])} <span class="muted">{t("args-tree.no-such-object-then")}</span>
        </span>
      ) : (
        <button type="button" class="link" title={t("args-tree.its-snapshot-at-that")} onClick={() => links.onJump(mark)}>
          {String(value["id_ref"])}
        </button>
      )}
    </div>
  );
}

/** Binary data: its size, its first bytes, and the number for requesting all of it. */
interface BlobValue {
  bytes: number;
  hex: string;
  blob: number;
}

function isBlob(value: Container): value is Record<string, unknown> & BlobValue {
  if (Array.isArray(value) || Object.keys(value).length !== 3) return false;
  return typeof value["bytes"] === "number" && typeof value["hex"] === "string" && typeof value["blob"] === "number";
}

const HEX_ROW = 8;

/** "0008  7f 45 4c 46 ...  .ELF" */
function hexLines(hex: string): string[] {
  const bytes = hex.split(" ").filter((part) => /^[0-9a-f]{2}$/.test(part));
  return Array.from({ length: Math.ceil(bytes.length / HEX_ROW) }, (_, i) => {
    const row = bytes.slice(i * HEX_ROW, (i + 1) * HEX_ROW);
    const text = row.map((byte) => (/^[2-6][0-9a-f]$|^7[0-9a-e]$/.test(byte) ? String.fromCharCode(parseInt(byte, 16)) : ".")).join("");
    return `${(i * HEX_ROW).toString(16).padStart(4, "0")}  ${row.join(" ").padEnd(3 * HEX_ROW - 1)}  ${text}`;
  });
}

function BlobView({ name, value }: { name: string; value: BlobValue }) {
  const links = useContext(LinksContext);
  const lines = hexLines(value.hex);
  return (
    <div class="blob">
      <span class="key">{name}</span> <span class="value">{t("count.byte", { count: value.bytes })}</span>{" "}
      {links?.onSave !== undefined && value.bytes > 0 && (
        <button type="button" class="link" title={t("args-tree.save-all-bytes-as")} onClick={() => links.onSave?.(value.blob, name)}>
          {t("common.save")}
        </button>
      )}
      {lines.length > 0 && <pre class="hex">{lines.join("\n")}</pre>}
      {value.bytes > lines.length * HEX_ROW && <span class="muted">{t("args-tree.first-bytes", { number: lines.length * HEX_ROW })}</span>}
    </div>
  );
}

/** A picture, which the browser decodes; a click shows it in full size. Its text is among the copied arguments. */
function Picture({ name, address, text }: { name: string; address: string; text: string }) {
  const [isDamaged, setDamaged] = useState(false);
  const [isFull, setFull] = useState(false);
  if (isDamaged) return <Line name={name} path="" value={text} />;
  return (
    <div class="picture">
      <span class="key">{name}</span>
      <button type="button" title={isFull ? t("args-tree.reduce") : t("args-tree.full-size")} aria-pressed={isFull} onClick={() => setFull(!isFull)}>
        <img src={address} alt={t("args-tree.picture", { name })} onError={() => setDamaged(true)} />
      </button>
    </div>
  );
}

/** One member: a branch, a line, a link, or a picture. */
function Item({ parent, name, path, value, depth }: { parent: Container; name: string; path: string; value: unknown; depth: number }) {
  if (isContainer(value) && isBlob(value)) return <BlobView name={name} value={value} />;
  if (isContainer(value)) return <Branch name={name} path={path} value={value} depth={depth} />;
  const address = typeof value === "string" ? pictureAddress(value) : null;
  if (address !== null) return <Picture key={address} name={name} address={address} text={String(value)} />;
  if (name === "id_ref" && !Array.isArray(parent)) return <ReferenceLine value={parent} />;
  return <Line name={name} path={path} value={value} />;
}

function pathOf(parent: Container, path: string, key: string): string {
  if (Array.isArray(parent)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function Entries({ value, path, depth }: { value: Container; path: string; depth: number }) {
  const [shown, setShown] = useState(PAGE);
  const entries = entriesOf(value);
  return (
    <ul class="tree">
      {entries.slice(0, shown).map(([key, item]) => (
        <li key={key}>
          <Item parent={value} name={key} path={pathOf(value, path, key)} value={item} depth={depth} />
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" class="link" onClick={() => setShown(shown + PAGE)}>
            {t("count.more", { count: entries.length - shown })}
          </button>
        </li>
      )}
    </ul>
  );
}

/** The note of the value at `path`, unless it only repeats the text of the value. */
function NoteOf({ path, text }: { path: string; text: string }) {
  const note = useContext(LinksContext)?.notes.get(path);
  if (note === undefined || note === text) return null;
  return (
    <>
      {" "}
      <span class="muted">{note}</span>
    </>
  );
}

function Branch({ name, path, value, depth }: { name: string; path: string; value: Container; depth: number }) {
  const count = entriesOf(value).length;
  const [open, setOpen] = useState(depth < 2 && count <= OPEN_AT_MOST);
  if (count === 0) return <Line name={name} path={path} value={Array.isArray(value) ? "[]" : "{}"} plain />;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="key">{name}</span>
        <NoteOf path={path} text="" />{" "}
        <span class="muted">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      {open && <Entries value={value} path={path} depth={depth + 1} />}
    </details>
  );
}

function Line({ name, path, value, plain = false }: { name: string; path: string; value: unknown; plain?: boolean }) {
  return (
    <div class="line">
      <span class="key">{name}</span>
      {plain ? <span class="muted">{String(value)}</span> : <Leaf value={value} note={<NoteOf path={path} text={String(value)} />} />}
    </div>
  );
}

function Leaf({ value, note }: { value: unknown; note?: ComponentChildren }) {
  const isText = typeof value === "string";
  return (
    <span class={`value ${isText ? "value-text" : "value-number"}`}>
      {isText && value === "" ? "\u201c\u201d" : String(value)}
      {note}
    </span>
  );
}
