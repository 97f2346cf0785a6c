/** The marks and notes of the user: a list, the text and colour of the selected one, and the time between two. */
import { useEffect, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import type { Note } from "../wasm/view.ts";
import { nsOfTicks } from "./aligned.ts";
import { FilteredTable } from "./filtered_table.tsx";
import { fileNameOf, formatRate } from "./format.ts";
import { IconButton } from "./icons.tsx";
import { compareTexts, compareValues, type Column } from "./table.tsx";
import type { Lines } from "./table_tools.tsx";
import { t, word } from "../texts.ts";

const NAME_PX = 200;

export function MarksPanel({ viewer }: { viewer: Viewer }) {
  const { notes, selected, colours } = useStore(viewer.notes.list);
  const traces = useStore(viewer.loading.traces);
  const traceOf = (note: Note) => fileNameOf(traces[note.trace]?.info.file.name ?? "");
  const chosen = notes.find((note) => note.id === selected);
  const time = (note: Note) => viewer.view.timeText(note.trace, note.begin);
  const length = (note: Note) => BigInt(note.end) - BigInt(note.begin);
  const lengthText = (note: Note) => (length(note) > 0n ? viewer.view.lengthText(note.trace, length(note)) : "");
  const ns = (note: Note, ticks: bigint) => nsOfTicks(ticks, traces[note.trace]?.info.time);
  const columns: Column<Note>[] = [
    {
      key: "text",
      title: t("marks.mark"),
      kind: "text",
      text: ({ text }) => text,
      cell: ({ text, colour }) => (
        <>
          <Swatch fill={colours[colour]?.fill ?? ""} /> {text}
        </>
      ),
      compare: (a, b) => compareTexts(a.text, b.text),
      width: { least: NAME_PX },
    },
    { key: "time", title: t("common.time"), kind: "number", text: time, exact: time, amount: (note) => ns(note, BigInt(note.begin)), quantity: "time", compare: (a, b) => a.trace - b.trace || compareValues(BigInt(a.begin), BigInt(b.begin)) },
    {
      key: "length",
      title: t("common.length"),
      kind: "number",
      text: lengthText,
      exact: lengthText,
      amount: (note) => (length(note) > 0n ? ns(note, length(note)) : null),
      compare: (a, b) => compareValues(length(a), length(b)),
    },
  ];
  if (traces.length > 1) columns.push({ key: "trace", title: t("common.trace"), kind: "text", text: traceOf, compare: (a, b) => compareTexts(traceOf(a), traceOf(b)) });
  const linesOf = (rows: readonly Note[]): Lines => [["trace", "begin_ticks", "end_ticks", "text", "colour"], ...rows.map((note) => [traceOf(note), note.begin, note.end, note.text, colours[note.colour]?.name ?? ""])];
  return (
    <FilteredTable
      viewer={viewer}
      label={t("marks.marks-and-notes")}
      rows={notes}
      columns={columns}
      order={{ key: "time", order: "ascending" }}
      keyOf={({ id }) => String(id)}
      onRow={(note) => viewer.notes.goTo(note)}
      isLit={({ id }) => id === selected}
      hintOf={() => t("marks.select-the-mark-and")}
      action={{ icon: "close", labelOf: ({ text }) => t("marks.delete", { text }), run: (note) => viewer.notes.remove(note) }}
      lead={<FileButtons viewer={viewer} any={notes.length > 0} />}
      summary={t("count.mark", { count: notes.length })}
      above={
        <>
          {chosen !== undefined && <Editor key={chosen.id} viewer={viewer} note={chosen} />}
          {notes.length > 1 && <MeasureLine viewer={viewer} />}
        </>
      }
      empty={t("marks.m-marks-the-moment")}
      textOf={({ text }) => text}
      linesOf={linesOf}
      file="marks.csv"
    />
  );
}

function Swatch({ fill }: { fill: string }) {
  return <span class="mark-swatch" aria-hidden="true" ref={(element) => element?.style.setProperty("background-color", fill)} />;
}

function FileButtons({ viewer, any }: { viewer: Viewer; any: boolean }) {
  const pick = () => document.getElementById("marks-file")?.click();
  return (
    <>
      <button type="button" class="button" title={viewer.keys.tip(t("marks.note-on-the-selected"), "note")} onClick={() => viewer.run("note")}>
        {t("marks.note-on-the-area")}
      </button>
      <button type="button" class="button" onClick={pick}>
        {t("marks.open-marks")}
      </button>
      <button type="button" class="button" disabled={!any} onClick={() => viewer.notes.save()}>
        {t("marks.save-marks")}
      </button>
      <input
        id="marks-file"
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-label={t("marks.file-of-marks")}
        accept=".varve-view,.json"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) void viewer.views.open(file);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

/** The text and the colour of the selected mark. */
function Editor({ viewer, note }: { viewer: Viewer; note: Note }) {
  const { colours } = useStore(viewer.notes.list);
  const [text, setText] = useState(note.text);
  useEffect(() => setText(note.text), [note.text]);
  const keep = () => viewer.notes.change(note, { text });
  const onSubmit = (event: Event) => {
    event.preventDefault();
    keep();
    viewer.focusTimeline();
  };
  return (
    <form class="mark-line" aria-label={t("marks.the-selected-mark")} onSubmit={onSubmit}>
      <label for="mark-text">{t("marks.text")}</label>
      <input id="mark-text" type="text" autocomplete="off" value={text} onFocus={(event) => event.currentTarget.select()} onInput={(event) => setText(event.currentTarget.value)} onBlur={keep} />
      <span class="mark-colours" role="radiogroup" aria-label={t("marks.colour")}>
        {colours.map(({ name, fill }, colour) => (
          <button key={name} type="button" role="radio" aria-checked={colour === note.colour} aria-label={word(name)} title={word(name)} onClick={() => viewer.notes.change(note, { text, colour })}>
            <Swatch fill={fill} />
          </button>
        ))}
      </span>
      <IconButton icon="close" label={viewer.keys.tip(t("marks.delete-the-mark"), "delete-mark")} onClick={() => viewer.notes.remove(note)} />
    </form>
  );
}

/** Returns how often the time fits into a second; "" in traces without time. */
function rateText(ticks: bigint, nsPerTick: readonly number[] | undefined): string {
  const [num = 0, den = 1] = nsPerTick ?? [];
  return ticks === 0n || num === 0 ? "" : formatRate(1e9 / (Number(ticks) * (num / den)));
}

function MeasureLine({ viewer }: { viewer: Viewer }) {
  const { notes } = useStore(viewer.notes.list);
  const { from, to } = useStore(viewer.notes.ends);
  const measured = useStore(viewer.notes.measured);
  const traces = useStore(viewer.loading.traces);
  const time = traces[measured?.trace ?? 0]?.info.time;
  const choose = (label: string, value: number, set: (id: number) => void) => (
    <select aria-label={label} value={String(value)} onChange={(event) => set(Number(event.currentTarget.value))}>
      {notes.map(({ id, text }) => (
        <option key={id} value={String(id)}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <div class="mark-line" id="marks-measure">
      <span>{t("marks.from")}</span>
      {choose(t("marks.measure-from"), from, (id) => viewer.notes.ends.set({ from: id, to }))}
      <span>{t("marks.to")}</span>
      {choose(t("marks.measure-to"), to, (id) => viewer.notes.ends.set({ from, to: id }))}
      {measured === null ? (
        <span class="muted">{t("marks.choose-two-marks-of")}</span>
      ) : (
        <output>
          {[
            viewer.view.lengthText(measured.trace, measured.end - measured.begin),
            time?.clock === "calls" ? "" : rateText(measured.end - measured.begin, time?.ns_per_tick),
            measured.slices === null ? "" : t("count.slice", { count: measured.slices }),
          ]
            .filter((text) => text !== "")
            .join(" · ")}
        </output>
      )}
    </div>
  );
}
