/**
 * A flame graph with zoom, search and keyboard movement: bars on a canvas, and a tree of the same frames for screen
 * readers.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { ViewOption } from "generated/border.ts";
import { fontScale } from "../font_size.ts";
import { ROOT, type FlameFrame, type FlameGraph, type FlameShown } from "../flame.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import type { NameColour, TimelineView } from "../wasm/view.ts";
import { formatCount, formatNs, formatNumber, nameOf } from "./format.ts";
import { Keys } from "./keys.tsx";
import { Menu } from "./menu.tsx";
import { t } from "../texts.ts";

/** For a rem of 16 px. */
const ROW_PX = 18;
const TEXT_PX = 11.5;
/** The opacity of frames that a search does not find; their names are in the colour of text, with a contrast of 4.5:1. */
const RECEDES_ALPHA = 0.3;
/** Frames of this width have their length and share at the right, if their whole name fits, too: as bars of the timeline. */
const NUMBERS_PX = 140;
const NUMBERS_GAP_PX = 12;
/** The limit on the frames for screen readers: those around the current one. */
const MOST_ITEMS = 200;

/** "up": the first row is at the bottom, with callers above it. */
type Direction = "down" | "up";

interface FlameCanvasProps {
  viewer: Viewer;
  graph: FlameGraph;
  label: string;
  direction: Direction;
  /** The number of rows that are not drawn: the frame "all", or the name that another graph shows. */
  skip: number;
  /** Called when a frame is chosen: its slices are highlighted in the timeline. */
  onChoose: (frame: FlameFrame) => void;
  /** Called when the name of a frame is to be hidden, or to be the middle of a sandwich; undefined = frames have no menu. */
  onHide?: (frame: FlameFrame) => void;
  onCallers?: (frame: FlameFrame) => void;
}

/** The menu of a frame, at a point of the window. */
interface FrameMenu {
  frame: FlameFrame;
  x: number;
  y: number;
}

function lengthText({ answer: { unit } }: FlameShown, value: string): string {
  return unit === "ns" ? formatNs(Number(value)) : formatCount(Number(value), unit);
}

function percentOf({ answer }: FlameShown, frame: FlameFrame): string {
  return `${(100 * frame.share * answer.share).toFixed(1)} %`;
}

export function textOf(shown: FlameShown, frame: FlameFrame): string {
  const { counted, has_cpu: hasCpu } = shown.answer;
  const texts = { total: lengthText(shown, frame.total), percent: percentOf(shown, frame), self: lengthText(shown, frame.self), calls: formatCount(frame.count, counted) };
  return `${t("flame-canvas.frame", texts)}${hasCpu ? t("flame-canvas.cpu", { cpu: formatNs(Number(frame.cpu)) }) : ""}${frame.change?.text ?? ""}`;
}

export function frameName(frame: FlameFrame): string {
  return frame.key === ROOT ? t("flame-canvas.all") : nameOf(frame.name);
}

/** A cache of colours by theme, name and the colour of its label, because pointer movements redraw all frames. */
const colours = new Map<string, NameColour>();
const MOST_COLOURS = 20_000;

function colourOf(view: TimelineView, name: string, own: number, theme: "dark" | "light"): NameColour {
  const key = `${theme} ${view.options & ViewOption.SafeColours} ${own} ${name}`;
  let colour = colours.get(key);
  if (colour === undefined) {
    if (colours.size >= MOST_COLOURS) colours.clear();
    colours.set(key, (colour = view.nameColour(name, own, theme)));
  }
  return colour;
}

/** Returns the colours of a frame from the colour of its change. */
function changeColour(fill: string): NameColour {
  return { fill, edge: fill, hover: fill, dim: fill, text: "#0b0d10" };
}

interface Look {
  canvas: HTMLCanvasElement;
  view: TimelineView;
  theme: "dark" | "light";
  width: number;
  height: number;
  /** Returns the top edge of a row. */
  top: (row: number) => number;
  hover: string | null;
  current: string | null;
  skip: number;
}

function draw(shown: FlameShown, look: Look): void {
  const { canvas, view, theme, width, height } = look;
  const context = canvas.getContext("2d");
  const [rowPx, textPx] = [ROW_PX * fontScale.value, TEXT_PX * fontScale.value];
  if (context === null) return;
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.scale(ratio, ratio);
  context.font = `400 ${textPx}px "Inter Varve"`;
  context.textBaseline = "middle";
  const style = getComputedStyle(canvas);
  const isForced = matchMedia("(forced-colors: active)").matches;
  const isSearch = shown.answer.found !== null;
  for (const frame of shown.frames) {
    const y = look.top(frame.row);
    if (frame.row < look.skip || y + rowPx < 0 || y > height) continue;
    const [x, w] = [frame.begin * width, Math.max(1, frame.share * width - 1)];
    const colour = frame.change === null ? colourOf(view, frameName(frame), frame.colour, theme) : changeColour(frame.change.fill);
    const isRoot = frame.key === ROOT;
    const isHover = look.hover === frame.key;
    const recedes = isSearch && !frame.isMatch;
    context.globalAlpha = recedes && !isForced ? RECEDES_ALPHA : 1;
    context.fillStyle = isForced ? "Canvas" : isRoot ? style.getPropertyValue("--hover") : isHover ? colour.hover : recedes ? colour.dim : colour.fill;
    context.fillRect(x, y, w, rowPx - 1);
    const edge = isForced ? "CanvasText" : theme === "light" && !isRoot ? colour.edge : null;
    if (edge !== null && w > 3) {
      context.strokeStyle = edge;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, w - 1, rowPx - 2);
    }
    if (isSearch && frame.isMatch) {
      context.fillStyle = isForced ? "Highlight" : style.getPropertyValue("--warning");
      context.fillRect(x, y + rowPx - 3, w, 2);
    }
    context.globalAlpha = 1;
    const pad = view.labelPad(w);
    if (pad >= 0) {
      context.fillStyle = isForced ? "CanvasText" : isRoot || recedes ? style.getPropertyValue("--text") : colour.text;
      context.fillText(view.fitName(frameName(frame), (w - 2 * pad) / textPx), x + pad, y + rowPx / 2);
      if (w >= NUMBERS_PX) drawNumbers(context, shown, frame, { x: x + pad, end: x + w - pad, y: y + rowPx / 2 });
    }
    if (frame.isSelected || look.current === frame.key) {
      context.strokeStyle = isForced ? "Highlight" : style.getPropertyValue(look.current === frame.key ? "--text" : "--accent");
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(1, w - 2), rowPx - 3);
    }
  }
}

/** Draws the length and the share of a frame, or the share alone, between the end of its name and `end`. */
function drawNumbers(context: CanvasRenderingContext2D, shown: FlameShown, frame: FlameFrame, { x, end, y }: { x: number; end: number; y: number }): void {
  const room = end - x - context.measureText(frameName(frame)).width - NUMBERS_GAP_PX;
  const share = percentOf(shown, frame);
  const text = [`${lengthText(shown, frame.total)}  ${share}`, share].find((numbers) => context.measureText(numbers).width <= room);
  if (text === undefined) return;
  context.textAlign = "right";
  context.fillText(text, end, y);
  context.textAlign = "left";
}

/** Returns the frame in the direction of an arrow key; `up` and `down` are towards the root and away from it. */
function neighbour(frames: FlameFrame[], at: FlameFrame, to: "root" | "inner" | "left" | "right", skip: number): FlameFrame | undefined {
  const inRow = (row: number) => frames.filter((frame) => frame.row === row && row >= skip);
  const middle = at.begin + at.share / 2;
  if (to === "root") return inRow(at.row - 1).find((frame) => frame.begin <= middle && middle <= frame.begin + frame.share);
  if (to === "inner") return inRow(at.row + 1).find((frame) => frame.begin >= at.begin - 1e-9 && frame.begin + frame.share <= at.begin + at.share + 1e-9);
  const row = inRow(at.row);
  return row[row.indexOf(at) + (to === "left" ? -1 : 1)];
}

export function FlameCanvas({ viewer, graph, label, direction, skip, onChoose, onHide, onCallers }: FlameCanvasProps) {
  const shown = useStore(graph.shown);
  const theme = useStore(viewer.settings.theme);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [scroll, setScroll] = useState(0);
  const [hover, setHover] = useState<{ frame: FlameFrame; x: number; y: number } | null>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const [menu, setMenu] = useState<FrameMenu | null>(null);
  const scale = useStore(fontScale);
  const rowPx = ROW_PX * scale;
  const rows = Math.max(1, (shown?.answer.rows ?? 0) - skip);
  const whole = Math.max(rows * rowPx, size.height);
  const top = (row: number) => (direction === "down" ? (row - skip) * rowPx : whole - (row - skip + 1) * rowPx) - scroll;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (box.current !== null && direction === "up") box.current.scrollTop = box.current.scrollHeight;
  }, [direction, shown?.answer.path.length, rows]);
  useEffect(() => {
    if (shown === null || canvas.current === null || size.width === 0) return;
    const hovered = hover?.frame.key ?? null;
    draw(shown, { canvas: canvas.current, view: viewer.view, theme, ...size, top, hover: hovered, current, skip });
    const last = direction === "down" ? (scroll + size.height) / rowPx : (whole - scroll) / rowPx;
    if (last + skip + 1 >= shown.nextRow) graph.more();
  });
  const frames = shown?.frames ?? [];
  const at = frames.find((frame) => frame.key === current);
  const frameAt = (event: MouseEvent): FlameFrame | undefined => {
    const bounds = canvas.current?.getBoundingClientRect();
    if (bounds === undefined) return undefined;
    const [x, y] = [(event.clientX - bounds.left) / bounds.width, event.clientY - bounds.top];
    return frames.find((frame) => {
      const edge = top(frame.row);
      return frame.row >= skip && y >= edge && y < edge + rowPx && x >= frame.begin && x < frame.begin + Math.max(frame.share, 1 / bounds.width);
    });
  };
  const choose = (frame: FlameFrame) => {
    setCurrent(frame.key);
    onChoose(frame);
    const edge = top(frame.row);
    if (box.current !== null && edge < 0) box.current.scrollTop += edge;
    if (box.current !== null && edge + rowPx > size.height) box.current.scrollTop += edge + rowPx - size.height;
  };
  const zoom = (frame: FlameFrame) => {
    graph.front.set(frame.key);
    setHover(null);
    if (box.current !== null) box.current.scrollTop = 0;
  };
  const hide = (frame: FlameFrame) => {
    setCurrent(null);
    onHide?.(frame);
  };
  /** Opens the menu of the frame at the pointer or, for the keyboard, of the current frame. */
  const openMenu = (event: MouseEvent) => {
    const isKey = event.target === box.current;
    const frame = isKey ? at : frameAt(event);
    const bounds = canvas.current?.getBoundingClientRect();
    if (onHide === undefined || frame === undefined || frame.key === ROOT || bounds === undefined) return;
    event.preventDefault();
    choose(frame);
    const edge = { x: bounds.left + frame.begin * bounds.width, y: bounds.top + top(frame.row) + rowPx };
    setHover(null);
    setMenu({ frame, ...(isKey ? edge : { x: event.clientX, y: event.clientY }) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || shown === null) return;
    const ways = direction === "down" ? { ArrowUp: "root", ArrowDown: "inner" } as const : { ArrowUp: "inner", ArrowDown: "root" } as const;
    const to = { ...ways, ArrowLeft: "left", ArrowRight: "right" } as const;
    const way = to[event.key as keyof typeof to];
    if (way !== undefined) {
      const next = at === undefined ? frames.find((frame) => frame.row >= skip) : neighbour(frames, at, way, skip);
      if (next !== undefined) choose(next);
    } else if (event.key === "Enter" && at !== undefined) {
      zoom(at);
    } else if (event.key === "Delete" && at !== undefined && at.key !== ROOT && onHide !== undefined) {
      hide(at);
    } else if ((event.key === "Escape" || event.key === "Backspace") && graph.front.value !== ROOT) {
      graph.front.set(event.key === "Escape" ? ROOT : (shown.answer.path.at(-2)?.key ?? ROOT));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const first = Math.max(0, (at === undefined ? 0 : frames.indexOf(at)) - MOST_ITEMS / 2);
  const items = frames.slice(first, first + MOST_ITEMS).filter((frame) => frame.row >= skip);
  const id = (frame: FlameFrame) => `flame-${label.replace(/\W/g, "-")}-${frame.key}`;
  const closeMenu = () => {
    setMenu(null);
    box.current?.focus();
  };
  return (
    <>
      <div
        class="flame"
        ref={box}
        tabIndex={0}
        role="tree"
        aria-label={label}
        aria-activedescendant={at === undefined ? undefined : id(at)}
        onKeyDown={onKeyDown}
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
        onContextMenu={openMenu}
      >
        <div class="flame-whole" aria-hidden="true" ref={(element) => element?.style.setProperty("height", `${rows * rowPx}px`)}>
          <canvas
            ref={canvas}
            onMouseMove={(event) => {
              const frame = frameAt(event);
              setHover(frame === undefined ? null : { frame, x: event.clientX, y: event.clientY });
            }}
            onMouseLeave={() => setHover(null)}
            onClick={(event) => {
              const frame = frameAt(event);
              if (frame !== undefined) choose(frame);
            }}
            onDblClick={(event) => {
              const frame = frameAt(event);
              if (frame !== undefined) zoom(frame);
            }}
          />
        </div>
        {items.map((frame) => (
          <div
            key={frame.key}
            id={id(frame)}
            class="unseen"
            role="treeitem"
            aria-level={frame.row - skip + 1}
            aria-selected={frame.key === current}
            aria-label={shown === null ? "" : `${frameName(frame)}, ${textOf(shown, frame)}`}
          />
        ))}
        {hover !== null && shown !== null && <FlameTip frame={hover.frame} shown={shown} x={hover.x} y={hover.y} />}
      </div>
      {menu !== null && (
        <FrameItems
          menu={menu}
          onClose={closeMenu}
          actions={[
            { text: t("flame-canvas.widen"), keys: "Enter", run: zoom },
            { text: t("flame-canvas.callers-and-callees"), keys: "", run: (frame) => onCallers?.(frame) },
            { text: t("flame-canvas.hide"), keys: "Delete", run: hide },
          ]}
        />
      )}
    </>
  );
}

interface FrameItemsProps {
  menu: FrameMenu;
  onClose: () => void;
  actions: { text: string; keys: string; run: (frame: FlameFrame) => void }[];
}

function FrameItems({ menu: { frame, x, y }, onClose, actions }: FrameItemsProps) {
  const title = frameName(frame);
  return (
    <Menu label={title} x={x} y={y} onClose={onClose}>
      <p class="menu-title" role="presentation">
        {title}
      </p>
      {actions.map(({ text, keys, run }) => (
        <button
          key={text}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            onClose();
            run(frame);
          }}
        >
          <span>{text}</span>
          <span>{keys !== "" && <Keys keys={keys} />}</span>
        </button>
      ))}
    </Menu>
  );
}

interface FlameTipProps {
  frame: FlameFrame;
  shown: FlameShown;
  x: number;
  y: number;
}

function FlameTip({ frame, shown, x, y }: FlameTipProps) {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = tip.current;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - width - 4))}px`;
    element.style.top = `${y + 18 + height < innerHeight ? y + 18 : y - height - 10}px`;
  });
  return (
    <div class="flame-tip" ref={tip} aria-hidden="true">
      <strong>{frameName(frame)}</strong>
      <span>{textOf(shown, frame)}</span>
    </div>
  );
}

/** The frames from the root to the front frame, each with a link. */
export function FlamePath({ graph }: { graph: FlameGraph }) {
  const shown = useStore(graph.shown);
  const path = shown?.answer.path ?? [];
  if (path.length === 0) return null;
  return (
    <nav class="flame-path" aria-label={t("flame-canvas.frames-around-the-widened")}>
      <button type="button" class="link" onClick={() => graph.front.set(ROOT)}>
        {t("flame-canvas.all")}
      </button>
      {path.map(({ key, name }, i) => (
        <span key={key}>
          {" › "}
          <button type="button" class="link" aria-current={i === path.length - 1 ? "true" : undefined} onClick={() => graph.front.set(key)}>
            {nameOf(name)}
          </button>
        </span>
      ))}
      <span class="muted"> {t("flame-canvas.of-all", { share: formatNumber(Math.round(1000 * (shown?.answer.share ?? 1)) / 10) })}</span>
    </nav>
  );
}
