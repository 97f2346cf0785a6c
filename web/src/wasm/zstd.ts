/** zstd for engine.wasm: the blocks of `.varve` files. The C side is src/codec/zstd_block_wasm.c. */
import { decompress } from "fzstd";

/** Returns the functions that the module imports. `memory` is called in each of them, because the memory may grow. */
export function zstdImports(memory: () => Uint8Array): WebAssembly.ModuleImports {
  return {
    /** Decompresses a frame to exactly `plainSize` bytes. Returns 1, or 0 if it is damaged or has another size. */
    zstd_decode(frame: number, size: number, out: number, plainSize: number): number {
      const bytes = memory();
      try {
        const plain = decompress(bytes.slice(frame >>> 0, (frame >>> 0) + size), new Uint8Array(plainSize));
        if (plain.length !== plainSize) return 0;
        bytes.set(plain, out >>> 0);
        return 1;
      } catch {
        return 0;
      }
    },
  };
}
