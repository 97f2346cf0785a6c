/** Buttons beside the title of a row of the timeline, the menu of a row, and the menu of the order of all rows. */
import { useRef } from "preact/hooks";
import { fontScale } from "../font_size.ts";
import { colourOf, COLOURS, paletteOf, PALETTES } from "../settings.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import type { RowHead, ShownRows } from "../wasm/view.ts";
import { Icon, type IconName } from "./icons.tsx";
import { Keys } from "./keys.tsx";
import { Menu } from "./menu.tsx";
import { t, titled } from "../texts.ts";

interface Action {
  command: string;
  text: string;
  icon?: IconName;
}

function actionsOf({ kind, closed, pinned, isolates }: RowHead): Action[] {
  const isTrack = kind === "track";
  return [
    { command: "pin-track", icon: "pin", text: t(pinned ? (isTrack ? "common.unpin" : "row-head.unpin-its-tracks") : isTrack ? "row-head.pin" : "row-head.pin-its-tracks") },
    { command: "isolate-track", icon: "isolate", text: isolates ? t("common.show-the-other-rows") : t("row-head.show-alone") },
    { command: "hide-track", icon: "hide", text: t("row-head.hide") },
    { command: "collapse-track", text: closed ? t("row-head.open") : t("row-head.close") },
    ...(kind === "trace"
      ? []
      : [
          { command: "move-row-up", text: t("row-head.move-up") },
          { command: "move-row-down", text: t("row-head.move-down") },
          { command: "about-track", text: t("row-head.details-of-thread-and") },
        ]),
  ];
}

/** The heights of the rows of a track or group; the chosen one, again, is that of all rows. */
function heightsOf({ height, limit }: RowHead): (Action & { isOn: boolean })[] {
  const heights = { compact: t("row-head.compact"), normal: t("common.normal"), roomy: t("common.roomy") };
  return [
    ...Object.entries(heights).map(([name, text]) => ({ command: `track-${name}`, text, isOn: name === height })),
    ...(limit === "few" ? [] : [{ command: "track-limit", text: t("row-head.first-rows-only"), isOn: limit === "limited" }]),
  ];
}

/** The commands for the chart of a counter. */
function chartOf({ chart, same_scale }: RowHead): (Action & { isOn: boolean })[] {
  if (chart === "none") return [];
  return [
    { command: "join-counter", text: t("row-head.into-the-chart-above"), isOn: false },
    ...(chart === "joined" ? [{ command: "separate-counters", text: t("row-head.separate-its-counters"), isOn: false }] : []),
    { command: "same-scale", text: t("row-head.same-scale-as-others"), isOn: same_scale },
  ];
}

/** Returns the commands for all rows, at the end of each menu. */
function actionsForAll(): Action[] {
  return [
    { command: "collapse-all", text: t("row-head.close-or-open-all") },
    { command: "show-all-tracks", text: t("row-head.show-all-that-is") },
  ];
}

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
  const scale = fontScale.value;
  const [left, top, height] = [(head.place.x + head.place.width) * scale, head.place.y * scale, head.place.height * scale];
  return (
    <div
      class="head-buttons"
      role="toolbar"
      aria-label={head.title}
      onKeyDown={moveFocus}
      style={{ top: `${top}px`, left: `${left}px`, height: `${height}px` }}
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
      <button type="button" class="icon-button" tabIndex={-1} title={t("row-head.more")} aria-label={t("row-head.more-2", { title: head.title })} aria-haspopup="menu" onClick={() => viewer.runOnHead("row-menu")}>
        <Icon name="more" />
      </button>
    </div>
  );
}

/** The choices of the menu of the order of rows. */
function orderChoices({ sort, groups }: ShownRows, options: number): (Action & { isOn: boolean; group: string })[] {
  const sorts = { default: t("common.default"), name: t("common.by-name"), first: t("row-head.by-first-event"), busiest: t("row-head.by-busy-time") };
  const groupings = { process: t("common.by-process"), name: t("common.by-name"), flat: t("row-head.without-groups") };
  return [
    ...Object.entries(sorts).map(([name, text]) => ({ command: `sort-${name}`, text, isOn: name === sort, group: t("row-head.order-of-the-rows") })),
    ...Object.entries(groupings).map(([name, text]) => ({ command: `group-${name}`, text, isOn: name === groups, group: t("row-head.groups") })),
    ...titled(COLOURS).map(([name, text]) => ({ command: `colour-${name}`, text, isOn: name === colourOf(options), group: t("row-head.colours") })),
    ...titled(PALETTES).map(([name, text]) => ({ command: `palette-${name}`, text, isOn: name === paletteOf(options), group: t("row-head.palette") })),
  ];
}

/** The point of the timeline in the window. */
function timelineBox(): DOMRect {
  return document.getElementById("timeline")?.getBoundingClientRect() ?? new DOMRect();
}

/** The button above the names, and its menu. */
export function OrderMenu({ viewer }: { viewer: Viewer }) {
  const rows = useStore(viewer.rows);
  const isOpen = useStore(viewer.orderMenu);
  const options = useStore(viewer.settings.options);
  const button = useRef<HTMLButtonElement>(null);
  if (rows.column === 0 || !rows.has_events) return null;
  const close = () => {
    if (!viewer.orderMenu.value) return;
    viewer.orderMenu.set(false);
    viewer.focusTimeline();
  };
  const run = (command: string) => {
    viewer.orderMenu.set(false);
    viewer.run(command);
  };
  const choices = orderChoices(rows, options);
  const box = button.current?.getBoundingClientRect() ?? timelineBox();
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-button order-button"
        style={{ left: `${(rows.column - 29) * fontScale.value}px` }}
        title={t("row-head.order-groups-and-colours")}
        aria-label={t("common.rows")}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => viewer.orderMenu.set(!isOpen)}
      >
        <Icon name="sort" />
      </button>
      {isOpen && (
        <Menu label={t("row-head.order-of-the-rows")} x={box.left} y={box.bottom + 2} onClose={close}>
          {choices.map(({ command, text, isOn, group }, i) => (
            <>
              {choices[i - 1]?.group !== group && (
                <p class="menu-title" role="presentation">
                  {group}
                </p>
              )}
              <button key={command} type="button" role="menuitemradio" aria-checked={isOn} tabIndex={-1} onClick={() => run(command)}>
                <span>{text}</span>
                <span aria-hidden="true">{isOn ? "✓" : ""}</span>
              </button>
            </>
          ))}
        </Menu>
      )}
    </>
  );
}

/** The menu of a row: opened by a right click, the keyboard's menu key or the button "More". */
export function RowMenu({ viewer }: { viewer: Viewer }) {
  const head = useStore(viewer.rowMenu);
  if (head === null) return null;
  const close = () => {
    if (viewer.rowMenu.value !== head) return;
    viewer.rowMenu.set(null);
    viewer.focusTimeline();
  };
  const run = (command: string) => {
    viewer.rowMenu.set(null);
    viewer.runOnFocus(command);
  };
  const item = ({ command, text }: Action) => (
    <button key={command} type="button" role="menuitem" tabIndex={-1} onClick={() => run(command)}>
      <span>{text}</span>
      <span>
        <Keys keys={viewer.keys.of(command)} />
      </span>
    </button>
  );
  const choice = ({ command, text, isOn }: Action & { isOn: boolean }) => (
    <button key={command} type="button" role="menuitemcheckbox" aria-checked={isOn} tabIndex={-1} onClick={() => run(command)}>
      <span>{text}</span>
      <span aria-hidden="true">{isOn ? "✓" : ""}</span>
    </button>
  );
  const box = timelineBox();
  return (
    <Menu key={`${head.menu_x} ${head.menu_y} ${head.title}`} label={head.title} x={box.left + head.menu_x} y={box.top + head.menu_y} onClose={close}>
      <p class="menu-title" role="presentation">
        {head.title}
      </p>
      {actionsOf(head).map(item)}
      <p class="menu-title" role="presentation">
        {t("row-head.height-of-its-rows")}
      </p>
      {heightsOf(head).map(choice)}
      {head.chart !== "none" && (
        <p class="menu-title" role="presentation">
          {t("row-head.chart")}
        </p>
      )}
      {chartOf(head).map(choice)}
      <hr />
      {actionsForAll().map(item)}
    </Menu>
  );
}
