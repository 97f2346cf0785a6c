/** The state of growing traces: rate and losses, and buttons for following and pausing. */
import { useStore } from "../store.ts";
import type { LiveState } from "../live.ts";
import type { Viewer } from "../viewer.ts";
import { formatBytes, formatNumber } from "./format.ts";
import { Icon } from "./icons.tsx";
import { t } from "../texts.ts";

export function LiveBadge({ viewer }: { viewer: Viewer }) {
  const live = useStore(viewer.live.state);
  if (live === null) return null;
  const isOver = live.state === "ended";
  return (
    <div class="live" role="group" aria-label={t("live.live")} title={everything(live)}>
      <span class={`live-state live-${live.isHeld && !isOver ? "held" : live.state}`} id="live-state">
        <span class="live-dot" aria-hidden="true" />
        {stateOf(live)}
      </span>
      {!isOver && <span class="live-rate">{rateText(live.eventsPerSecond)}</span>}
      {live.lost > 0 && <span class="live-lost">{t("live.lost", { number: live.lost })}</span>}
      {live.dropped > 0 && <span class="live-dropped">{t("live.dropped", { number: live.dropped })}</span>}
      {live.unshown > 0 && (
        <span class="live-unshown" title={t(UNSHOWN)}>
          {t("live.unshown", { number: live.unshown })}
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
            title={t("live.keep-the-latest-time")}
            onClick={() => viewer.run("go-end")}
          >
            <Icon name="follow" />
            {t("live.follow")}
          </button>
        </>
      )}
    </div>
  );
}

const UNSHOWN = "live.arrows-of-long-ago";

function stateOf({ state, isHeld }: LiveState): string {
  if (state === "ended") return t("live.ended");
  if (isHeld) return t("live.held");
  return state === "paused" ? t("live.paused") : t("live.receiving");
}

function holdTitle({ isHeld }: LiveState): string {
  return isHeld ? t("live.go-on-space") : t("live.hold-the-picture-still");
}

function rateText(perSecond: number): string {
  const rounded = perSecond < 100 ? Math.round(perSecond) : Number(perSecond.toPrecision(3));
  return t("live.rate", { number: formatNumber(rounded) });
}

function everything(live: LiveState): string {
  const lines = [t("live.and-received", { events: t("count.event", { count: live.events }), bytes: formatBytes(live.bytes) })];
  lines.push(t("live.lost-on-the-way", { events: t("count.event", { count: live.lost }) }));
  if (live.skipped > 0) lines.push(t("live.were-not-recognised", { skipped: formatBytes(live.skipped) }));
  if (live.dropped > 0) lines.push(t("live.removed-to-limit-memory", { events: t("count.event", { count: live.dropped }) }));
  if (live.unshown > 0) lines.push(t("live.not-shown-yet", { events: t("count.event", { count: live.unshown }), why: t(UNSHOWN) }));
  return lines.join("\n");
}
