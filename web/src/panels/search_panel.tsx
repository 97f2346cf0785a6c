/** All that a search has found: what it is, what of it matches, and when it is. */
import { useState } from "preact/hooks";
import type { Match } from "../search.ts";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { formatCount, formatNumber, nameOf } from "./format.ts";

const PAGE = 200;

export function SearchPanel({ viewer }: { viewer: Viewer }) {
  const { text, matches, scanning, share, isPartial, unread } = useStore(viewer.search.state);
  const [shown, setShown] = useState({ text, rows: PAGE });
  const rows = shown.text === text ? shown.rows : PAGE;
  if (text === "")
    return (
      <p class="empty">
        Press <kbd>/</kbd> and type: what is found by name or in an argument is listed here. <code>key=text</code> looks in the
        arguments of that name alone.
      </p>
    );
  return (
    <div class="matches">
      <div class="matches-bar">
        <span>{matches.length === 1 ? "1 match" : `${formatNumber(matches.length)} matches`}</span>
        {scanning && <span class="muted">{Math.floor(100 * share)} % of the arguments looked through</span>}
        {scanning && (
          <button type="button" class="link" onClick={() => viewer.search.stop()}>
            Stop
          </button>
        )}
        {!scanning && isPartial && (
          <button type="button" class="link" id="look-further" onClick={() => viewer.search.lookFurther()}>
            Look further
          </button>
        )}
        {unread > 0 && <span class="muted">arguments of {formatCount(unread, "event")} could not be read</span>}
      </div>
      <ol class="match-list" id="matches">
        {matches.slice(0, rows).map((match) => (
          <li key={`${match.trace} ${match.place?.slice ?? "i"} ${match.mark?.instant ?? ""}`}>
            <MatchLine viewer={viewer} match={match} text={text} />
          </li>
        ))}
      </ol>
      {matches.length > rows && (
        <button type="button" class="link" onClick={() => setShown({ text, rows: rows + 5 * PAGE })}>
          {formatNumber(matches.length - rows)} more
        </button>
      )}
    </div>
  );
}

function MatchLine({ viewer, match, text }: { viewer: Viewer; match: Match; text: string }) {
  return (
    <button type="button" onClick={() => viewer.search.select(match)}>
      <span class="match-at muted">{match.at}</span>
      <span class="match-name">{match.inValue ? nameOf(match.name) : <Marked text={nameOf(match.name)} part={text} />}</span>
      {match.value !== null && (
        <span class="match-value">
          {match.key !== null && <span class="muted">{match.key} = </span>}
          <Marked text={match.value} part={text.slice(text.indexOf("=") + 1).trim()} />
        </span>
      )}
    </button>
  );
}

/** The part that matches stands out. */
function Marked({ text, part }: { text: string; part: string }) {
  const at = part === "" ? -1 : text.toLowerCase().indexOf(part.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + part.length)}</mark>
      {text.slice(at + part.length)}
    </>
  );
}
