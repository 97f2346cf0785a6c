#include "format/format.h"

#include "format/unknown.h"

#include <stdio.h>
#include <string.h>

const FormatReader *format_at(size_t i)
{
    return i < FORMAT_COUNT ? FORMATS[i] : NULL;
}

const FormatReader *format_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(FORMATS[i]->name, name) == 0) return FORMATS[i];
    }
    return NULL;
}

static const FormatReader *surest(const uint8_t *head, size_t size, int *best_sure)
{
    const FormatReader *best = NULL;
    *best_sure = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        int sure = FORMATS[i]->probe(head, size);
        if (sure > *best_sure) {
            best = FORMATS[i];
            *best_sure = sure;
        }
    }
    return best;
}

int format_probe_sure(const uint8_t *head, size_t size)
{
    int sure;
    (void)surest(head, size, &sure);
    return sure;
}

const FormatReader *format_probe(const uint8_t *head, size_t size, Err *err)
{
    int                 sure;
    const FormatReader *best = surest(head, size, &sure);
    if (best == NULL) {
        char found[UNKNOWN_TEXT];
        describe_unknown(head, size, found);
        err_set_at(
            err, ERR_UNKNOWN, 0, ERR_NOWHERE,
            "not a trace of a known format: it is %s; expected JSON, .spall, Heph, Go, apitrace, perf, "
            "ftrace, strace, Perfetto, pprof, folded or .varve",
            found);
    }
    return best;
}
