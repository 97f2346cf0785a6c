/* app/cli/hide.h - which categories of traces a command leaves out: --category and --hide-category. */
#ifndef APP_CLI_HIDE_H
#define APP_CLI_HIDE_H
#include "trace/categories.h"

typedef struct HideOptions {
    const char *only; /* names with commas between, "(none)" for events without a category; NULL = all ... */
    const char *hide; /* ... but these, and those hidden at first when there is no `only` */
} HideOptions;

/* Appends the hidden set of each of `count` traces to hidden[] (text of trace/categories.h). Fails with ERR_USAGE if a
 * name is not a category of any trace. */
bool hide_sets(const HideOptions *options, const Trace *const *traces, size_t count, Bytes *hidden,
               Err *err) WARN_UNUSED;

#endif
