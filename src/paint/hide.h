/* paint/hide.h - the options --category and --hide-category: the categories that a command omits. */
#ifndef PAINT_HIDE_H
#define PAINT_HIDE_H
#include "trace/store/categories.h"

typedef struct HideOptions {
    const char *only; /* names separated by commas, "(none)" for events without a category; NULL = all ... */
    const char *hide; /* ... except these, and except the initially hidden ones if `only` is NULL */
} HideOptions;

/* Appends the hidden set of each of `count` traces to hidden[] (text of trace/store/categories.h). Fails with ERR_USAGE if a
 * name is not a category of any trace. */
bool hide_sets(const HideOptions *options, const Trace *const *traces, size_t count, Bytes *hidden,
               Err *err) WARN_UNUSED;

#endif
