/** Starts a WebAssembly module of Varve: the few system calls that libc needs, and its memory as typed arrays. */
import { instantiate, type FileSource } from "../worker/file_source.ts";

export class Memory {
  private bytes = new Uint8Array(0);
  private data = new DataView(this.bytes.buffer);

  constructor(private memory: WebAssembly.Memory) {}

  /** The whole memory; valid until the next call of the module, which may replace it by growing. */
  get all(): Uint8Array<ArrayBuffer> {
    if (this.bytes.buffer !== this.memory.buffer) this.bytes = new Uint8Array(this.memory.buffer);
    return this.bytes;
  }

  /** Valid as `all`. */
  view(): DataView {
    if (this.data.buffer !== this.memory.buffer) this.data = new DataView(this.memory.buffer);
    return this.data;
  }

  /** Returns a copy. */
  copy(at: number, size: number): ArrayBuffer {
    const start = at >>> 0;
    return this.memory.buffer.slice(start, start + size);
  }

  text(at: number, size: number): string {
    const start = at >>> 0;
    return new TextDecoder().decode(this.all.subarray(start, start + size));
  }
}

export interface Started<Exports> {
  exports: Exports;
  memory: Memory;
}

const ERRNO_BADF = 8;

/** The part of WASI for a module without files: output goes to the console, an abort becomes an exception. */
function wasi(memory: () => Memory): WebAssembly.ModuleImports {
  return {
    proc_exit(code: number): never {
      throw new WebAssembly.RuntimeError(`the module ended itself (${code})`);
    },
    fd_write(_fd: number, vectors: number, count: number, written: number): number {
      const view = memory().view();
      let size = 0;
      let text = "";
      for (let i = 0; i < count; i++) {
        const at = view.getUint32(vectors + 8 * i, true);
        const length = view.getUint32(vectors + 8 * i + 4, true);
        text += memory().text(at, length);
        size += length;
      }
      view.setUint32(written, size, true);
      console.error(text);
      return 0;
    },
    fd_read: () => ERRNO_BADF,
    fd_close: () => ERRNO_BADF,
    fd_seek: () => ERRNO_BADF,
    fd_fdstat_get: () => ERRNO_BADF,
    environ_get: () => 0,
    environ_sizes_get(count: number, size: number): number {
      memory().view().setUint32(count, 0, true);
      memory().view().setUint32(size, 0, true);
      return 0;
    },
    clock_time_get(_id: number, _precision: bigint, result: number): number {
      memory().view().setBigUint64(result, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    random_get(at: number, size: number): number {
      crypto.getRandomValues(memory().all.subarray(at, at + size));
      return 0;
    },
  };
}

/** `imports` receives the memory, which is available before the module calls an import. */
export async function startModule<Exports>(
  file: FileSource,
  imports: (memory: () => Memory) => WebAssembly.ModuleImports = () => ({}),
): Promise<Started<Exports>> {
  let memory: Memory | null = null;
  const theMemory = (): Memory => {
    if (memory === null) throw new Error("the module runs before it has memory");
    return memory;
  };
  const instance = await instantiate(file, {
    wasi_snapshot_preview1: wasi(theMemory),
    varve: imports(theMemory),
  });
  const exports = instance.exports as Record<string, unknown>;
  memory = new Memory(exports["memory"] as WebAssembly.Memory);
  (exports["_initialize"] as (() => void) | undefined)?.();
  return { exports: exports as Exports, memory };
}
