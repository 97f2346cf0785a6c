/** The marks and notes of the user: those of the view, stored by the identity of their traces. */
import { axisNamed, convertAxis } from "./timeline/axis.ts";
import { requestJson, messageOf, type Load } from "./transport/transport.ts";
import { sentence } from "./panels/format.ts";
import { saveBytes, stemOf } from "./saving.ts";
import { Latest, Store } from "./store.ts";
import type { Viewer } from "./viewer.ts";
import { ViewFilePart, ViewFileUse } from "generated/border.ts";
import type { Note, Notes as NoteList } from "./wasm/view.ts";
import { t } from "./texts.ts";

/** Stores a text for each identity of a trace; "" = none. */
export interface NotesStorage {
  read(identity: string): Promise<string>;
  write(identity: string, text: string): Promise<void>;
}

/** The storage of the browser, for the static page. */
export class BrowserStorage implements NotesStorage {
  read(identity: string): Promise<string> {
    return Promise.resolve(localStorage.getItem(`marks ${identity}`) ?? "");
  }

  /** Rejects if the storage is full. */
  write(identity: string, text: string): Promise<void> {
    return new Promise((resolve) => {
      if (text === "") localStorage.removeItem(`marks ${identity}`);
      else localStorage.setItem(`marks ${identity}`, text);
      resolve();
    });
  }
}

/** The user's folder for state, by way of `varve open`, whose address and therefore browser storage changes from run to run. */
export class ServerStorage implements NotesStorage {
  async read(identity: string): Promise<string> {
    return (await this.send(identity, { cache: "no-store" })).text();
  }

  async write(identity: string, text: string): Promise<void> {
    // The browser sends short bodies even if the page is being closed.
    await this.send(identity, { method: "POST", body: text, keepalive: text.length < 30_000 });
  }

  private async send(identity: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`./marks/${identity}`, init);
    if (!response.ok) throw new Error((await response.text()).trim());
    return response;
  }
}

/** The time between two marks, or the range of a note. */
export interface Measure {
  trace: number;
  begin: bigint;
  end: bigint;
  /** The count of the area statistics; null = being counted. */
  slices: number | null;
}

type Page = Pick<Viewer, "view" | "loading" | "drawer" | "categories" | "say" | "schedule" | "showRange">;

export class Notes {
  readonly list = new Store<NoteList>({ selected: 0, colours: [], notes: [] });
  /** The ids of the two notes between which time is measured, 0 = none. */
  readonly ends = new Store<{ from: number; to: number }>({ from: 0, to: 0 });
  readonly measured = new Store<Measure | null>(null);
  private storage: NotesStorage = new BrowserStorage();
  /** The identity of each open trace, null = not known: its notes are not stored. */
  private identities: (string | null)[] = [];
  /** The stored text of each identity, to write only changes. */
  private stored = new Map<string, string>();
  private counting = new Latest();
  private writing = 0;

  constructor(private page: Page) {
    this.ends.subscribe(() => void this.measure());
  }

  get isRunning(): boolean {
    return this.counting.isRunning || this.writing > 0;
  }

  /** Stores in the folder of the user from now on. */
  useServer(): void {
    this.storage = new ServerStorage();
  }

  reset(): void {
    this.identities = [];
    this.stored.clear();
    this.counting.abort();
    this.measured.set(null);
    this.changed("");
  }

  /** Follows the removal of a trace from the view. If its file is open twice, the other one takes its notes, unless it has others. */
  removed(trace: number): void {
    const [identity] = this.identities.splice(trace, 1);
    if (identity !== null && identity !== undefined) this.stored.delete(identity);
    this.changed("");
    this.page.loading.ready.forEach((load, other) => {
      if (this.identities[other] === null && !this.list.value.notes.some((note) => note.trace === other)) void this.added(other, load);
    });
  }

  /** Loads the stored notes of a trace that was added to the view. */
  async added(number: number, load: Load): Promise<void> {
    this.identities[number] = null;
    if (load.grows) return;
    const { ready } = this.page.loading; // others may be closed meanwhile
    this.writing++;
    try {
      const { identity } = await requestJson(load, "identity");
      if (identity === null || !ready.includes(load)) return;
      const text = await this.storage.read(identity);
      if (!ready.includes(load)) return;
      this.page.view.setIdentity(ready.indexOf(load), identity);
      if (this.identities.includes(identity)) return; // the file is open twice: the first one has the notes
      this.identities[ready.indexOf(load)] = identity;
      const axis = axisNamed(this.page.view.axis(ready.indexOf(load)));
      const own = text === "" || axis === null ? text : await convertAxis(text, axis, () => load);
      if (!ready.includes(load)) return;
      if (own !== "") this.page.view.load(own, ViewFileUse.Stored);
      this.stored.set(identity, text);
      this.changed("");
      this.page.schedule();
    } catch (error) {
      this.page.say(t("notes.the-marks-of-this", { error: sentence(messageOf(error)) }));
    } finally {
      this.writing--;
    }
  }

  /** Follows the notes of the view. `command` is that of its event. */
  changed(command: string): void {
    const before = this.list.value;
    const now = this.page.view.notes();
    if (JSON.stringify(now) !== JSON.stringify(before)) this.list.set(now);
    this.keepEnds();
    this.store();
    if (command === "show") this.page.drawer.show("marks");
    if (command === "name") this.page.drawer.show("marks", "mark-text");
  }

  /** Keeps the ends of the measurement on existing notes: at first the selected one and the one after it. */
  private keepEnds(): void {
    const { notes, selected } = this.list.value;
    const { from, to } = this.ends.value;
    const has = (id: number) => notes.some((note) => note.id === id);
    const at = notes.findIndex((note) => note.id === selected);
    const first = has(from) ? from : notes[Math.max(0, at)]?.id ?? 0;
    const other = notes.find((note) => note.id !== first && (at < 0 || notes.indexOf(note) > at)) ?? notes.find((note) => note.id !== first);
    const second = has(to) && to !== first ? to : (other?.id ?? 0);
    if (first !== from || second !== to) this.ends.set({ from: first, to: second });
    else void this.measure();
  }

  private textOf(trace: number): string {
    const text = this.page.view.save(ViewFilePart.Marks, trace);
    return this.list.value.notes.some((note) => note.trace === trace) ? text : "";
  }

  /** Writes the notes of traces whose notes have changed. */
  private store(): void {
    this.identities.forEach((identity, trace) => {
      if (identity === null || !this.stored.has(identity)) return;
      const text = this.textOf(trace);
      if (text === this.stored.get(identity)) return;
      this.stored.set(identity, text);
      this.writing++;
      this.storage
        .write(identity, text)
        .catch((error: unknown) => this.page.say(t("notes.the-marks-cannot-be", { error: sentence(messageOf(error)) })))
        .finally(() => this.writing--);
    });
  }

  // ---- changes ----

  select(note: Note): void {
    this.page.view.selectNote(note.id);
    this.follow();
  }

  /** Selects a note and brings it into view. */
  goTo(note: Note): void {
    this.select(note);
    const { begin, end } = this.page.view.range(note.trace);
    const [from, to] = [BigInt(note.begin), BigInt(note.end)];
    if (to > from && (from < begin || to > end)) return this.page.showRange(note.trace, note.begin, note.end);
    if (from >= begin && from <= end) return;
    const half = (end - begin) / 2n;
    this.page.view.setRange(note.trace, from - half, from - half + (end - begin), performance.now());
    this.page.schedule();
  }

  change(note: Note, change: Partial<Pick<Note, "text" | "colour">>): void {
    const { text, colour } = { ...note, ...change };
    this.page.view.changeNote(note.id, colour, text);
    this.follow();
  }

  remove(note: Note): void {
    this.page.view.removeNote(note.id);
    this.follow();
  }

  private follow(): void {
    this.changed("");
    this.page.schedule();
  }

  // ---- measuring ----

  private async measure(): Promise<void> {
    const { notes } = this.list.value;
    const ends = [this.ends.value.from, this.ends.value.to].map((id) => notes.find((note) => note.id === id));
    const [a, b] = ends;
    if (a === undefined || b === undefined || a.trace !== b.trace) {
      this.counting.abort();
      return this.measured.set(null);
    }
    const [first, second] = BigInt(a.begin) <= BigInt(b.begin) ? [a, b] : [b, a];
    const [begin, end] = [BigInt(first.begin), BigInt(second.begin)];
    const before = this.measured.value;
    if (before !== null && before.trace === a.trace && before.begin === begin && before.end === end) return;
    this.measured.set({ trace: a.trace, begin, end, slices: null });
    const load = this.page.loading.ready[a.trace];
    if (load === undefined) return;
    await this.counting.run(async (signal) => {
      const range = { begin: String(begin), end: String(end) };
      try {
        const { slices } = await requestJson(load, "stats", { ...range, ...this.page.categories.parameters(a.trace), top: 1 }, signal);
        if (!signal.aborted) this.measured.update((measure) => (measure === null ? null : { ...measure, slices }));
      } catch {
        // The time between the marks is known without the count.
      }
    });
  }

  // ---- files ----

  /** Saves the notes of all traces as a view file. */
  save(): void {
    const name = this.page.loading.traces.value[0]?.info.file.name ?? "";
    saveBytes(this.page, this.page.view.save(ViewFilePart.Marks), `${stemOf(name)}.varve-view`);
  }
}
