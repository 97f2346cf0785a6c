/** The state of growing traces: rate and losses, and buttons for following and pausing. */
import { useStore } from "../store.ts";
import type { LiveState } from "../live.ts";
import type { Viewer } from "../viewer.ts";
import { formatBytes, formatCount, formatNumber } from "./format.ts";
import { Icon } from "./icons.tsx";

export function LiveBadge({ viewer }: { viewer: Viewer }) {
  const live = useStore(viewer.live.state);
  if (live === null) return null;
  const isOver = live.state === "ended";
  return (
    <div class="live" role="group" aria-label="Live" title={everything(live)}>
      <span class={`live-state live-${live.isHeld && !isOver ? "held" : live.state}`} id="live-state">
        <span class="live-dot" aria-hidden="true" />
        {stateOf(live)}
      </span>
      {!isOver && <span class="live-rate">{rateText(live.eventsPerSecond)}</span>}
      {live.lost > 0 && <span class="live-lost">{formatNumber(live.lost)} lost</span>}
      {live.dropped > 0 && <span class="live-dropped">{formatNumber(live.dropped)} dropped</span>}
      {live.unshown > 0 && (
        <span class="live-unshown" title={UNSHOWN}>
          {formatNumber(live.unshown)} not shown yet
        </span>
      )}
      {!isOver && (
        <>
          <button type="button" class="icon-button" id="live-pause" title={holdTitle(live)} aria-label={holdTitle(live)} onClick={() => viewer.run("pause")}>
            <Icon name={live.isHeld ? "play" : "pause"} />
          </button>
          <button
            type="button"
            class="button"
            id="live-follow"
            aria-pressed={live.follows}
            title="Keep the latest time in sight (End)"
            onClick={() => viewer.run("go-end")}
          >
            <Icon name="follow" />
            Follow
          </button>
        </>
      )}
    </div>
  );
}

const UNSHOWN = "Arrows of long ago are drawn once nothing has come for a moment.";

function stateOf({ state, isHeld }: LiveState): string {
  if (state === "ended") return "Ended";
  if (isHeld) return "Held";
  return state === "paused" ? "Paused" : "Receiving";
}

function holdTitle({ isHeld }: LiveState): string {
  return isHeld ? "Go on (Space)" : "Hold the picture still; receiving goes on (Space)";
}

function rateText(perSecond: number): string {
  const rounded = perSecond < 100 ? Math.round(perSecond) : Number(perSecond.toPrecision(3));
  return `${formatNumber(rounded)} events/s`;
}

function everything(live: LiveState): string {
  const lines = [`${formatCount(live.events, "event")} and ${formatBytes(live.bytes)} received`];
  lines.push(`${formatCount(live.lost, "event")} lost on the way`);
  if (live.skipped > 0) lines.push(`${formatBytes(live.skipped)} were not recognised`);
  if (live.dropped > 0) lines.push(`${formatCount(live.dropped, "event")} removed to limit memory`);
  if (live.unshown > 0) lines.push(`${formatCount(live.unshown, "event")} not shown yet. ${UNSHOWN}`);
  return lines.join("\n");
}
