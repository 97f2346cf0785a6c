/** Stacks as a flame graph: a frame is as wide as what was waited in it and below, callers stand above. */
import { useState } from "preact/hooks";
import { MOST_ROWS, type GoStack } from "../go.ts";
import type { Viewer } from "../viewer.ts";
import { formatCount, formatNs, formatNumber } from "./format.ts";
import { functionName } from "./go_tables.tsx";

interface Frame {
  name: string;
  ns: number;
  count: number;
  /** Of what is waited in it itself. */
  place: string;
  below: Map<string, Frame>;
}

/** A frame on the screen: from where to where of the one in front, 0 to 1. */
interface Box {
  frame: Frame;
  path: Frame[];
  begin: number;
  end: number;
  depth: number;
}

const LEAST_SHARE = 0.001;
const NO_STACK = "(no stack)";

function newFrame(name: string, place: string): Frame {
  return { name, ns: 0, count: 0, place, below: new Map() };
}

function treeOf(stacks: GoStack[]): Frame {
  const root = newFrame("all", "");
  for (const stack of stacks) {
    let frame = root;
    const add = (to: Frame) => {
      to.ns += Number(stack.ns);
      to.count += stack.count;
    };
    add(root);
    if (stack.frames.length === 0) {
      const none = frame.below.get(NO_STACK) ?? newFrame(NO_STACK, "");
      frame.below.set(NO_STACK, none);
      add(none);
    }
    for (const { function: name, file, line } of [...stack.frames].reverse()) {
      const key = functionName(name);
      let next = frame.below.get(key);
      if (next === undefined) frame.below.set(key, (next = newFrame(key, file === null ? "" : `${file}:${line}`)));
      add((frame = next));
    }
  }
  return root;
}

function boxesOf(path: Frame[]): Box[] {
  const boxes: Box[] = [];
  path.forEach((frame, depth) => boxes.push({ frame, path: path.slice(0, depth + 1), begin: 0, end: 1, depth }));
  const put = (frame: Frame, way: Frame[], begin: number, share: number, depth: number) => {
    let at = begin;
    for (const below of [...frame.below.values()].sort((a, b) => b.ns - a.ns)) {
      const width = share * (frame.ns === 0 ? 0 : below.ns / frame.ns);
      const next = [...way, below];
      if (width < LEAST_SHARE) break;
      boxes.push({ frame: below, path: next, begin: at, end: at + width, depth });
      put(below, next, at, width, depth + 1);
      at += width;
    }
  };
  put(path.at(-1) as Frame, path, 0, 1, path.length);
  return boxes;
}

/** Packages keep their colour: the part of the name before the first dot behind the last slash; an address has one of its own. */
function hueOf(name: string): number {
  const from = name.slice(0, name.indexOf(".", name.lastIndexOf("/")) + 1) || name;
  let hash = 7;
  for (const letter of from) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
  return hash;
}

interface GoFlameProps {
  viewer: Viewer;
  what: Profile;
  stacks: GoStack[];
}

export type Profile = "net" | "sync" | "syscall" | "sched";

export function GoFlame({ viewer, what, stacks }: GoFlameProps) {
  const [names, setNames] = useState<string[]>([]);
  const root = treeOf(stacks);
  if (stacks.length === 0) return <p class="empty">Nothing waited like this in this time.</p>;
  const path = [root];
  for (const name of names) {
    const next = path.at(-1)?.below.get(name);
    if (next === undefined) break;
    path.push(next);
  }
  const boxes = boxesOf(path);
  const onKeyDown = (event: KeyboardEvent) => {
    const button = event.target instanceof HTMLElement ? event.target.closest("button") : null;
    const at = button === null ? undefined : boxes[Number(button.dataset["box"])];
    if (at === undefined) return;
    const next = neighbour(boxes, at, event.key);
    if (next < 0) return;
    event.preventDefault();
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-box="${next}"]`)?.focus();
  };
  const depth = Math.max(...boxes.map((box) => box.depth)) + 1;
  return (
    <>
      <p class="go-sum">
        {formatNs(root.ns)} in {formatCount(root.count, what === "syscall" ? "syscall" : "wait")}
        {stacks.length >= MOST_ROWS && <span class="muted"> of the {formatNumber(MOST_ROWS)} longest stacks</span>}
        <button type="button" class="link" title="A file for `go tool pprof`, as `varve go --pprof` writes it" onClick={() => void viewer.saveProfile(what)}>
          Save for pprof
        </button>
      </p>
      <div class="flame" role="group" aria-label="Flame graph; arrow keys move, Enter widens a frame" onKeyDown={onKeyDown}>
        <div ref={(element) => element?.style.setProperty("height", `${depth * 20}px`)}>
          {boxes.map((box, i) => (
            <FlameBox key={box.path.map((frame) => frame.name).join(";")} box={box} index={i} total={root.ns} onWiden={setNames} front={path.length} />
          ))}
        </div>
      </div>
    </>
  );
}

/** Where an arrow key leads: the index of the box, -1 = nowhere. */
function neighbour(boxes: Box[], at: Box, key: string): number {
  const middle = (at.begin + at.end) / 2;
  const inRow = (depth: number) => boxes.filter((box) => box.depth === depth);
  const row = inRow(at.depth);
  let next: Box | undefined;
  if (key === "ArrowUp") next = inRow(at.depth - 1).find((box) => box.begin <= middle && middle <= box.end);
  if (key === "ArrowDown") next = inRow(at.depth + 1).find((box) => box.begin >= at.begin && box.end <= at.end + 1e-9);
  if (key === "ArrowLeft") next = row[row.indexOf(at) - 1];
  if (key === "ArrowRight") next = row[row.indexOf(at) + 1];
  return next === undefined ? -1 : boxes.indexOf(next);
}

interface BoxProps {
  box: Box;
  index: number;
  total: number;
  /** How many of the boxes are those the graph is widened to. */
  front: number;
  onWiden(names: string[]): void;
}

function FlameBox({ box, index, total, front, onWiden }: BoxProps) {
  const { frame, path, begin, end, depth } = box;
  const share = total === 0 ? 0 : (100 * frame.ns) / total;
  const text = `${formatNs(frame.ns)}, ${share.toFixed(1)} %, ${formatCount(frame.count, "wait")}`;
  return (
    <button
      type="button"
      class={depth === 0 ? "flame-root" : ""}
      data-box={index}
      tabIndex={index === front - 1 ? 0 : -1}
      title={`${frame.name}\n${frame.place === "" ? "" : `${frame.place}\n`}${text}`}
      aria-label={`${frame.name}, ${text}`}
      ref={(element) => {
        element?.style.setProperty("left", `${begin * 100}%`);
        element?.style.setProperty("width", `${(end - begin) * 100}%`);
        element?.style.setProperty("top", `${depth * 20}px`);
        element?.style.setProperty("--hue", `${hueOf(frame.name)}`);
      }}
      onClick={() => onWiden(path.slice(1).map((above) => above.name))}
    >
      <span>{frame.name}</span>
    </button>
  );
}
