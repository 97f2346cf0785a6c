/** Buttons beside the title of a row of the timeline, and the menu of a row. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import type { RowHead } from "../wasm/view.ts";
import { Icon, type IconName } from "./icons.tsx";
import { Keys } from "./keys.tsx";

interface Action {
  command: string;
  text: string;
  icon?: IconName;
}

function actionsOf({ kind, closed, pinned, isolates }: RowHead): Action[] {
  const isTrack = kind === "track";
  const pin = isTrack ? "to the top" : "its tracks to the top";
  return [
    { command: "pin-track", icon: "pin", text: pinned ? (isTrack ? "Unpin" : "Unpin its tracks") : `Pin ${pin}` },
    { command: "isolate-track", icon: "isolate", text: isolates ? "Show the other rows, too" : "Show alone" },
    { command: "hide-track", icon: "hide", text: "Hide" },
    { command: "collapse-track", text: closed ? "Open" : "Close" },
    ...(kind === "trace" ? [] : [{ command: "about-track", text: "Details of thread and process" }]),
  ];
}

/** The commands for all rows, at the end of each menu. */
const FOR_ALL: Action[] = [
  { command: "collapse-all", text: "Close or open all tracks" },
  { command: "show-all-tracks", text: "Show all that is hidden" },
];

/** Moves the focus between the buttons of a toolbar, which is one stop of the key Tab. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  buttons[(buttons.indexOf(document.activeElement as HTMLButtonElement) + step + buttons.length) % buttons.length]?.focus();
}

/** Buttons over the head of the row under the pointer, or of the row that the keyboard has chosen. */
export function HeadButtons({ viewer }: { viewer: Viewer }) {
  const head = useStore(viewer.head);
  if (head === null || head.place === undefined) return null;
  const { x, y, width, height } = head.place;
  return (
    <div
      class="head-buttons"
      role="toolbar"
      aria-label={head.title}
      onKeyDown={moveFocus}
      style={{ top: `${y}px`, left: `${x + width}px`, height: `${height}px` }}
      onWheel={(event) => document.getElementById("timeline")?.dispatchEvent(new WheelEvent("wheel", event))}
      onPointerLeave={(event) => viewer.leaveHead(event.relatedTarget)}
    >
      {actionsOf(head).map(
        ({ command, icon, text }, i) =>
          icon !== undefined && (
            <button
              key={command}
              type="button"
              class="icon-button"
              tabIndex={i === 0 ? 0 : -1}
              title={text}
              aria-label={`${text}: ${head.title}`}
              aria-pressed={command === "pin-track" ? head.pinned : undefined}
              onClick={() => viewer.runOnHead(command)}
            >
              <Icon name={icon} />
            </button>
          ),
      )}
      <button type="button" class="icon-button" tabIndex={-1} title="More" aria-label={`More: ${head.title}`} aria-haspopup="menu" onClick={() => viewer.runOnHead("row-menu")}>
        <Icon name="more" />
      </button>
    </div>
  );
}

/** The menu of a row: opened by a right click, the keyboard's menu key or the button "More". */
export function RowMenu({ viewer }: { viewer: Viewer }) {
  const head = useStore(viewer.rowMenu);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null || head === null) return;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    const box = document.getElementById("timeline")?.getBoundingClientRect() ?? new DOMRect();
    element.style.left = `${Math.max(0, Math.min(box.left + head.menu_x, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(0, Math.min(box.top + head.menu_y, innerHeight - height - 4))}px`;
    element.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [head]);
  if (head === null) return null;
  const close = () => {
    viewer.rowMenu.set(null);
    viewer.focusTimeline();
  };
  const run = (command: string) => {
    viewer.rowMenu.set(null);
    viewer.runOnFocus(command);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") close();
    if (next === undefined && event.key !== "Tab") return;
    event.preventDefault();
    if (next !== undefined) items[(next + items.length) % items.length]?.focus();
  };
  const onToggle = (event: ToggleEvent) => {
    if (event.newState === "closed" && viewer.rowMenu.value === head) close(); // by Escape or a click elsewhere
  };
  const item = ({ command, text }: Action) => (
    <button key={command} type="button" role="menuitem" tabIndex={-1} onClick={() => run(command)}>
      <span>{text}</span>
      <span>
        <Keys keys={viewer.commands.find(({ name }) => name === command)?.keys ?? ""} />
      </span>
    </button>
  );
  return (
    <div ref={menu} class="row-menu" popover="auto" role="menu" aria-label={head.title} onKeyDown={onKeyDown} onToggle={onToggle}>
      <p class="row-menu-title" role="presentation">
        {head.title}
      </p>
      {actionsOf(head).map(item)}
      <hr />
      {FOR_ALL.map(item)}
    </div>
  );
}
