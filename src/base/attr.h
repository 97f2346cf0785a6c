/* base/attr.h - compiler attributes. */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

#if defined(__GNUC__) || defined(__clang__)
#define WARN_UNUSED __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_index, first_arg) __attribute__((format(printf, format_index, first_arg)))
#define NORETURN __attribute__((noreturn))
#define ALWAYS_INLINE inline __attribute__((always_inline)) /* for specialisation on constant arguments */
#define NOINLINE __attribute__((noinline)) /* for rare cases: the frequent ones then need fewer registers */
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PREFETCH(address) __builtin_prefetch(address) /* an invalid address is allowed */
#else
#define WARN_UNUSED
#define PRINTF_LIKE(format_index, first_arg)
#define NORETURN
#define ALWAYS_INLINE inline
#define NOINLINE
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define PREFETCH(address) ((void)(address))
#endif

/* Declares a function that the page defines for a module (web/src/wasm/). Only for files of the WebAssembly build. */
#define WASM_IMPORT(name) __attribute__((import_module("varve"), import_name(#name)))

#endif
