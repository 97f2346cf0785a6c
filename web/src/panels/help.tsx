/** All keys, from the key table of the view. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { ViewOption } from "generated/border.ts";
import { groupTitle, titleOf, type BoundCommand } from "../keys.ts";
import { Keys } from "./keys.tsx";
import { t } from "../texts.ts";

export function groupsOf(commands: readonly BoundCommand[]): [string, BoundCommand[]][] {
  const groups = new Map<string, BoundCommand[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}

function gestures(options: number): [string, string[]][] {
  const dragPans = (options & ViewOption.DragPans) !== 0;
  const wheelZooms = (options & ViewOption.WheelZooms) !== 0;
  return [
    [t("help.select-a-slice"), [t("help.click")]],
    [t("help.zoom-to-a-slice"), [t("help.double-click"), t("help.middle-click")]],
    [t("help.highlight-the-slices-of"), [t("help.alt-held")]],
    [t("help.select-an-area"), [dragPans ? t("common.shift-drag") : t("help.drag")]],
    [t("help.pan"), [dragPans ? t("help.drag") : t("common.shift-drag"), t("help.right-drag"), t("help.space-drag"), t("help.shift-wheel")]],
    [t("help.zoom-at-the-pointer"), [wheelZooms ? t("help.wheel") : t("help.ctrl-wheel"), t("help.pinch")]],
    [t("help.scroll-rows"), [wheelZooms ? t("help.ctrl-wheel") : t("help.wheel")]],
    [t("help.zoom-to-a-range"), [t("help.drag-in-the-ruler")]],
    [t("help.mark-a-moment-on"), [t("help.click-in-the-ruler")]],
    [t("help.move-the-visible-range"), [t("help.drag-in-the-overview")]],
  ];
}

function Gestures({ viewer }: { viewer: Viewer }) {
  return (
    <section>
      <h3>{t("help.mouse-and-touch")}</h3>
      <dl>
        {gestures(useStore(viewer.settings.options)).map(([title, ways]) => (
          <div key={title} class="help-row">
            <dt>{title}</dt>
            <dd>
              {ways.map((way) => (
                <kbd key={way}>{way}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Help({ viewer }: { viewer: Viewer }) {
  return (
    <div class="help">
      {groupsOf(useStore(viewer.keys.commands).filter((command) => command.keys !== "")).map(([group, commands]) => (
        <section key={group}>
          <h3>{groupTitle(group)}</h3>
          <dl>
            {commands.map((command) => (
              <div key={command.name} class="help-row">
                <dt>{titleOf(command)}</dt>
                <dd>
                  <Keys keys={command.keys} context={command.context} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Gestures viewer={viewer} />
    </div>
  );
}
