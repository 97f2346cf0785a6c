/* app/wasm/export.h - exports of a WebAssembly module.
 *
 * The modules are view.wasm (view_exports.c, on the page's main thread) and engine.wasm (engine_exports.c, in
 * a worker). Their functions only convert: bytes arrive in a buffer that the module lends to the page,
 * results are an address and a size in its memory. web/src/wasm/ calls them. */
#ifndef APP_WASM_EXPORT_H
#define APP_WASM_EXPORT_H
#include "base/attr.h" /* WASM_IMPORT */

/* Before the definition of a function, which is its only declaration in C. */
#define WASM_EXPORT(name) __attribute__((export_name(#name)))
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#endif
