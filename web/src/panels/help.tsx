/** All keys, from the key table of the view. */
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { ViewOption } from "generated/border.ts";
import type { BoundCommand } from "../keys.ts";
import { Keys } from "./keys.tsx";

export function groupsOf(commands: readonly BoundCommand[]): [string, BoundCommand[]][] {
  const groups = new Map<string, BoundCommand[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}

function gestures(options: number): [string, string[]][] {
  const dragPans = (options & ViewOption.DragPans) !== 0;
  const wheelZooms = (options & ViewOption.WheelZooms) !== 0;
  return [
    ["Select a slice", ["Click"]],
    ["Zoom to a slice", ["Double-click", "Middle-click"]],
    ["Highlight the slices of the name under the pointer", ["Alt (held)"]],
    ["Select an area", [dragPans ? "Shift+drag" : "Drag"]],
    ["Pan", [dragPans ? "Drag" : "Shift+drag", "Right-drag", "Space+drag", "Shift+wheel"]],
    ["Zoom at the pointer", [wheelZooms ? "Wheel" : "Ctrl+wheel", "Pinch"]],
    ["Scroll rows", [wheelZooms ? "Ctrl+wheel" : "Wheel"]],
    ["Zoom to a range", ["Drag in the ruler"]],
    ["Mark a moment; on a flag: select the mark", ["Click in the ruler"]],
    ["Move the visible range, or its edges", ["Drag in the overview"]],
  ];
}

function Gestures({ viewer }: { viewer: Viewer }) {
  return (
    <section>
      <h3>Mouse and touch</h3>
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
          <h3>{group}</h3>
          <dl>
            {commands.map((command) => (
              <div key={command.name} class="help-row">
                <dt>{command.title}</dt>
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
