/* app/wasm/export.h - how a function leaves a WebAssembly module under its own name, and how one comes in.
 *
 * The modules are view.wasm (view_exports.c, on the page's main thread) and engine.wasm (engine_exports.c, in a
 * worker). Both only pass on: bytes come in through a buffer that the module lends to the page, answers go out as
 * a place and a size in its memory. web/src/wasm/ is the other side. */
#ifndef APP_WASM_EXPORT_H
#define APP_WASM_EXPORT_H

#define WASM_EXPORT(name) __attribute__((export_name(#name)))
#define WASM_IMPORT(name) __attribute__((import_module("varve"), import_name(#name)))

#endif
