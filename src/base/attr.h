/* base/attr.h - compiler attributes, spelled once. */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

#if defined(__GNUC__) || defined(__clang__)
#define WARN_UNUSED __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_index, first_arg) __attribute__((format(printf, format_index, first_arg)))
#define NORETURN __attribute__((noreturn))
#define ALWAYS_INLINE inline __attribute__((always_inline)) /* to be compiled anew for constant arguments */
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PREFETCH(address) __builtin_prefetch(address) /* it will be read soon; may be any address */
#else
#define WARN_UNUSED
#define PRINTF_LIKE(format_index, first_arg)
#define NORETURN
#define ALWAYS_INLINE inline
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define PREFETCH(address) ((void)(address))
#endif

#endif
