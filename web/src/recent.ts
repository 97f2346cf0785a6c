/**
 * The recently opened files, the latest first. The server of `varve open` stores their paths (app/server/recent_files.h); the
 * static page stores handles of files in the browser, which asks the user before the page may read them again.
 */
import type { Settings } from "./settings.ts";
import { isContained, PAGE_ENGINE } from "./page_files.ts";
import { Store } from "./store.ts";
import { t } from "./texts.ts";
import { addRecentFile, clearRecentFiles, openRecentFile, recentPaths } from "./transport/http.ts";
import { openFile } from "./transport/worker.ts";
import { isAbort, type Load } from "./transport/transport.ts";

export interface RecentFile {
  /** The path, or the key of the handle. */
  id: string;
  name: string;
  /** "" = the browser does not tell it */
  folder: string;
}

interface RecentStorage {
  list(): Promise<RecentFile[]>;
  /** Puts the file of a load first, if it can be opened again. */
  add(load: Load): Promise<void>;
  /** `shown`: the name to show. */
  open(file: RecentFile, perspective: string | null, shown: string): Promise<Load>;
  clear(): Promise<void>;
}

class ServerStorage implements RecentStorage {
  async list(): Promise<RecentFile[]> {
    return (await recentPaths()).map((path) => {
      const at = path.lastIndexOf("/");
      return { id: path, name: path.slice(at + 1), folder: path.slice(0, at) || "/" };
    });
  }

  add(load: Load): Promise<void> {
    return addRecentFile(load);
  }

  open({ id, name }: RecentFile): Promise<Load> {
    return Promise.resolve(openRecentFile(id, name));
  }

  clear(): Promise<void> {
    return clearRecentFiles();
  }
}

/** Parts of the File System Access API, which not every browser has. */
interface Handle extends FileSystemFileHandle {
  queryPermission?(mode: { mode: "read" }): Promise<PermissionState>;
  requestPermission?(mode: { mode: "read" }): Promise<PermissionState>;
}
type Picker = (options: { multiple: boolean }) => Promise<Handle[]>;
interface DroppedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

function isHandle(value: unknown): value is Handle {
  return value instanceof FileSystemFileHandle;
}

/** The limit on listed files, as in recent_files.h. */
const MOST = 20;

interface Row {
  key: number;
  handle: Handle;
}

class BrowserStorage implements RecentStorage {
  private handles = new WeakMap<Load, Promise<Handle | null>>();

  /** Sets the handle of the file of a load. */
  expect(load: Load, handle: Promise<FileSystemHandle | null>): void {
    this.handles.set(load, handle.then((found) => (isHandle(found) ? found : null)));
  }

  async list(): Promise<RecentFile[]> {
    return (await this.rows()).map(({ key, handle }) => ({ id: String(key), name: handle.name, folder: "" }));
  }

  async add(load: Load): Promise<void> {
    const handle = (await this.handles.get(load)) ?? null;
    if (handle === null) return;
    const rows = await this.rows();
    const isSame = await Promise.all(rows.map((row) => row.handle.isSameEntry(handle)));
    const gone = rows.filter((_, i) => isSame[i] === true || i >= MOST - 1);
    await inStore("readwrite", (store) => {
      for (const { key } of gone) store.delete(key);
      return store.add(handle);
    });
  }

  async open({ id, name }: RecentFile, perspective: string | null, shown: string): Promise<Load> {
    const row = (await this.rows()).find(({ key }) => String(key) === id);
    if (row === undefined) throw new Error(t("recent.not-listed", { name }));
    const { key, handle } = row;
    const mode = { mode: "read" } as const;
    if ((await handle.queryPermission?.(mode)) !== "granted" && (await handle.requestPermission?.(mode)) !== "granted")
      throw new Error(t("recent.not-allowed", { name }));
    try {
      const load = openFile(PAGE_ENGINE, await handle.getFile(), perspective, shown);
      this.expect(load, Promise.resolve(handle));
      return load;
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "NotFoundError") throw error;
      await inStore("readwrite", (store) => store.delete(key));
      throw new Error(t("recent.not-there", { name }));
    }
  }

  async clear(): Promise<void> {
    await inStore("readwrite", (store) => store.clear());
  }

  /** Returns the stored handles; other values, which another program wrote, are left out. */
  private async rows(): Promise<Row[]> {
    const [keys, values] = await Promise.all([inStore("readonly", (store) => store.getAllKeys()), inStore<unknown[]>("readonly", (store) => store.getAll())]);
    return keys.flatMap((key, i) => (typeof key === "number" && isHandle(values[i]) ? [{ key, handle: values[i] }] : [])).reverse();
  }
}

const DATABASE = "varve";
const RECENT = "recent";

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error(t("recent.storage-failed")));
  });
}

/** Opens the store of handles, whose keys are numbers in the order of opening, and returns the result of a request to it. */
async function inStore<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(RECENT, { autoIncrement: true });
  const database = await resultOf(opening);
  try {
    return await resultOf(ask(database.transaction(RECENT, mode).objectStore(RECENT)));
  } finally {
    database.close();
  }
}

/** Returns the handle of each dropped file. Call it in the handler of the event. */
export function droppedHandles(items: DataTransferItemList | undefined): Promise<FileSystemHandle | null>[] {
  return [...(items ?? [])].filter(({ kind }) => kind === "file").map((item: DroppedItem) => item.getAsFileSystemHandle?.().catch(() => null) ?? Promise.resolve(null));
}

export class Recent {
  readonly files = new Store<RecentFile[]>([]);
  private browser = new BrowserStorage();
  private server: ServerStorage | null = null;
  /** The loads that were added, so that a trace that is shown again is not. */
  private added = new WeakSet<Load>();
  private running = 0;

  constructor(private settings: Settings) {
    settings.saved.subscribe(({ recent }) => {
      if (recent === "off" && this.files.value.length > 0) void this.clear();
    });
  }

  get isRunning(): boolean {
    return this.running > 0;
  }

  /** Stores in the folder of the user from now on. */
  useServer(): void {
    this.server = new ServerStorage();
  }

  private get storage(): RecentStorage {
    return this.server ?? this.browser;
  }

  /** False if the user wants no list, or the browser cannot store it. */
  private get isUsed(): boolean {
    const hasStorage = this.server !== null || ("FileSystemFileHandle" in window && !isContained());
    return hasStorage && this.settings.saved.value.recent === "listed";
  }

  private async run<T>(work: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }

  private async renew(): Promise<void> {
    this.files.set(await this.storage.list());
  }

  /** Reads the list. Without storage it is empty. */
  async read(): Promise<void> {
    if (this.isUsed) await this.run(() => this.renew()).catch(() => undefined);
  }

  /** Sets the handles of the files of loads: the browser may store them. */
  expect(loads: readonly Load[], handles: readonly Promise<FileSystemHandle | null>[]): void {
    handles.forEach((handle, i) => {
      const load = loads[i];
      if (load !== undefined) this.browser.expect(load, handle);
    });
  }

  /** Puts the file of a trace that is shown first, and reads the list. */
  async opened(load: Load): Promise<void> {
    if (load.grows || this.added.has(load) || !this.isUsed) return;
    this.added.add(load);
    const add = async () => {
      await this.storage.add(load).catch(() => undefined); // the trace is open; only the list lacks it
      await this.renew();
    };
    await this.run(add).catch(() => undefined);
  }

  /** Returns a load of a listed file. Throws with the reason if it cannot be opened. */
  open(file: RecentFile, perspective: string | null, shown: string): Promise<Load> {
    return this.run(async () => {
      try {
        return await this.storage.open(file, perspective, shown);
      } catch (error) {
        await this.renew();
        throw error;
      }
    });
  }

  async clear(): Promise<void> {
    this.files.set([]);
    await this.run(() => this.storage.clear()).catch(() => undefined);
  }

  /** Lets the user choose files whose handles can be stored. null: the browser cannot, or does not have to. */
  async pick(): Promise<{ files: File[]; handles: Promise<Handle>[] } | null> {
    const picker = (window as { showOpenFilePicker?: Picker }).showOpenFilePicker;
    if (picker === undefined || this.server !== null || !this.isUsed) return null;
    try {
      const handles = await picker({ multiple: true });
      return { files: await Promise.all(handles.map((handle) => handle.getFile())), handles: handles.map((handle) => Promise.resolve(handle)) };
    } catch (error) {
      return isAbort(error) ? { files: [], handles: [] } : null; // the user closed the dialog; otherwise the page may not open it
    }
  }
}
