/** Passes the input events of the canvas to the view, in the units of view.h. */
import { KeyKind, MOD_ALT, MOD_CTRL, MOD_META, MOD_SHIFT, PointerKind } from "generated/border.ts";
import { fontScale } from "../font_size.ts";
import type { TimelineView } from "../wasm/view.ts";

const LINE_PX = 18;
const DOUBLE_CLICK_MS = 400;
const DOUBLE_CLICK_PX = 5;
/**
 * Characters whose key depends on the keyboard layout are identified by the character, all other keys by their
 * position.
 */
const SIGNS = new Set(["?", "/", "+", "-", "[", "]", ",", "."]);

interface Modifiers {
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

export function modifiersOf(event: Modifiers): number {
  return (
    (event.shiftKey ? MOD_SHIFT : 0) |
    (event.ctrlKey ? MOD_CTRL : 0) |
    (event.altKey ? MOD_ALT : 0) |
    (event.metaKey ? MOD_META : 0)
  );
}

export function keyName(event: KeyboardEvent): string {
  return SIGNS.has(event.key) ? event.key : event.code;
}

/** Returns a place of the window in the pixels of the view (Timeline.resizeView). */
function placeIn(canvas: HTMLCanvasElement, clientX: number, clientY: number): [number, number] {
  const box = canvas.getBoundingClientRect();
  return [(clientX - box.left) / fontScale.value, (clientY - box.top) / fontScale.value];
}

/**
 * Calls `changed` after each event that may have changed the view, until `end`: a browser can keep a removed canvas as the
 * element under the pointer. `leavesWheel`: true if the wheel scrolls the document, not the timeline.
 */
export function forwardPointer(canvas: HTMLCanvasElement, view: TimelineView, leavesWheel: (event: WheelEvent) => boolean, end: AbortSignal, changed: () => void): void {
  const listen = <Type extends keyof HTMLElementEventMap>(type: Type, act: (event: HTMLElementEventMap[Type]) => void): void =>
    canvas.addEventListener(type, act, { signal: end, passive: false });
  let clicks = 0;
  let last = { at: -Infinity, x: 0, y: 0, button: -1 };

  const send = (kind: PointerKind, event: PointerEvent, count = 0): void => {
    const touch = event.pointerType === "touch";
    const [x, y] = placeIn(canvas, event.clientX, event.clientY);
    view.pointer(kind, x, y, Math.max(0, event.button), modifiersOf(event), count, touch, performance.now());
    changed();
  };

  const touches = new Map<number, PointerEvent>();
  const pinch = (event: PointerEvent): boolean => {
    if (touches.size !== 2 || !touches.has(event.pointerId)) return false;
    const before = spread(touches);
    touches.set(event.pointerId, event);
    const now = spread(touches);
    const [x, y] = placeIn(canvas, now.x, now.y);
    view.wheel(x, y, before.x - now.x, before.y - now.y, 0, performance.now());
    view.wheel(x, y, 0, -PINCH_PX * Math.log(now.distance / before.distance), MOD_CTRL, performance.now());
    changed();
    return true;
  };

  listen("pointerdown", (event) => {
    if (event.pointerType === "touch") {
      touches.set(event.pointerId, event);
      if (touches.size === 2) return send(PointerKind.Cancel, event);
    }
    const near = Math.hypot(event.clientX - last.x, event.clientY - last.y) <= DOUBLE_CLICK_PX;
    const soon = event.timeStamp - last.at <= DOUBLE_CLICK_MS;
    clicks = near && soon && event.button === last.button ? clicks + 1 : 1;
    last = { at: event.timeStamp, x: event.clientX, y: event.clientY, button: event.button };
    canvas.setPointerCapture(event.pointerId);
    send(PointerKind.Down, event, clicks);
    if (event.button === 1) event.preventDefault();
  });
  listen("pointermove", (event) => {
    if (!pinch(event)) send(PointerKind.Move, event);
  });
  const up = (kind: PointerKind) => (event: PointerEvent) => {
    const pinched = touches.size === 2;
    touches.delete(event.pointerId);
    if (!pinched) send(kind, event);
  };
  listen("pointerup", up(PointerKind.Up));
  listen("pointercancel", up(PointerKind.Cancel));
  listen("pointerleave", (event) => {
    const isOverButtons = event.relatedTarget instanceof Element && event.relatedTarget.closest(".head-buttons") !== null;
    if (!isOverButtons && !canvas.hasPointerCapture(event.pointerId)) send(PointerKind.Leave, event);
  });
  listen("contextmenu", (event) => event.preventDefault());
  listen("wheel", (event) => {
    if (leavesWheel(event)) return;
    event.preventDefault();
    const unit = [1, LINE_PX, canvas.clientHeight][event.deltaMode] ?? 1;
    const [x, y] = placeIn(canvas, event.clientX, event.clientY);
    view.wheel(x, y, event.deltaX * unit, event.deltaY * unit, modifiersOf(event), performance.now());
    changed();
  });
}

/** The wheel distance in pixels that equals a pinch gesture by a factor of e. */
const PINCH_PX = 500;

function spread(touches: Map<number, PointerEvent>): { x: number; y: number; distance: number } {
  const [a, b] = [...touches.values()] as [PointerEvent, PointerEvent];
  return {
    x: (a.clientX + b.clientX) / 2,
    y: (a.clientY + b.clientY) / 2,
    distance: Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)),
  };
}

/** Keys that a focused widget handles itself. */
const WIDGET_KEYS = new Set([
  "Enter",
  "NumpadEnter",
  "Space",
  "Tab",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
]);

/** True if the timeline must not handle this key: in text fields, in dialogs, and for keys that a widget handles. */
function belongsElsewhere(event: KeyboardEvent, canvas: HTMLElement): boolean {
  if (event.isComposing) return true;
  const target = event.composedPath()[0]; // also inside a shadow root
  if (!(target instanceof HTMLElement) || target === canvas || target === document.body) return false;
  if (target.closest("input, textarea, select, [contenteditable], dialog, [popover]") !== null) return true;
  return WIDGET_KEYS.has(event.code) && !event.ctrlKey && !event.altKey && !event.metaKey;
}

/** `from` receives the keys, until `end`. */
export function forwardKeys(from: EventTarget, canvas: HTMLElement, view: TimelineView, end: AbortSignal, changed: () => void): void {
  /** The held keys by their places. The name of a sign changes when Shift is released before it. */
  const held = new Map<string, string>();
  const listen = (target: EventTarget, type: string, act: (event: KeyboardEvent) => void) =>
    target.addEventListener(type, (event) => act(event as KeyboardEvent), { signal: end });
  listen(from, "keydown", (event) => {
    if (event.defaultPrevented || belongsElsewhere(event, canvas)) return;
    const key = keyName(event);
    const kind = event.repeat ? KeyKind.Repeat : KeyKind.Down;
    if (view.key(kind, key, modifiersOf(event), performance.now())) {
      event.preventDefault();
      held.set(event.code, key);
    }
    changed();
  });
  listen(window, "keyup", (event) => {
    // The release of a key always reaches the view, even if the focus has moved; otherwise the movement would
    // not stop.
    const key = held.get(event.code);
    if (!held.delete(event.code) && (from !== window || belongsElsewhere(event, canvas))) return;
    view.key(KeyKind.Up, key ?? keyName(event), modifiersOf(event), performance.now());
    changed();
  });
  listen(window, "blur", () => {
    for (const key of held.values()) view.key(KeyKind.Up, key, 0, performance.now());
    held.clear();
    changed();
  });
}
