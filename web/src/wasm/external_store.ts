/** Bytes that the engine keeps outside of its memory during a load: src/base/external_store.h. */

declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/**
 * Stores bytes in blobs. Unlike files of the origin-private file system they exist in every browser and window, also for
 * pages from the disk, and the browser removes them with the tab.
 */
export class ExternalStore {
  private blobs: Blob[] = [];
  private reader = new FileReaderSync();

  /** Returns the place of the copy, -1 without room. */
  put(bytes: Uint8Array<ArrayBuffer>): number {
    try {
      return this.blobs.push(new Blob([bytes])) - 1;
    } catch {
      return -1;
    }
  }

  get(place: number, into: Uint8Array<ArrayBuffer>): boolean {
    const blob = this.blobs[place];
    if (blob?.size !== into.length) return false;
    try {
      into.set(new Uint8Array(this.reader.readAsArrayBuffer(blob)));
      return true;
    } catch {
      return false;
    }
  }

  clear(): void {
    this.blobs = [];
  }
}
