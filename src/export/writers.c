#include "export/writers.h"

#include "base/file.h"
#include "export/folded.h"
#include "export/pprof.h"
#include "export/speedscope.h"
#include "format/heph/writer.h"
#include "format/spall/writer.h"
#include "format/trace_event/write/writer.h"
#include "format/varve/writer.h"

#include <string.h>

/* The only list of writers. */
static const FormatWriter *const WRITERS[] = { &TRACE_EVENT_WRITER, &SPALL_WRITER,  &SPALL_V1_WRITER,
                                               &HEPH_WRITER,        &FOLDED_WRITER, &PPROF_WRITER,
                                               &SPEEDSCOPE_WRITER,  &VARVE_WRITER };

enum { WRITER_COUNT = sizeof WRITERS / sizeof WRITERS[0] };

const FormatWriter *writer_at(size_t i)
{
    return i < WRITER_COUNT ? WRITERS[i] : NULL;
}

const FormatWriter *writer_find(const char *name)
{
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        if (strcmp(WRITERS[i]->name, name) == 0) return WRITERS[i];
    }
    return NULL;
}

const char *export_format_by_other_suffix(const char *path)
{
    static const struct {
        const char *suffix, *format;
    } OTHERS[] = {
        { "pprof", "pprof" }, { "pb", "pprof" }, { "collapsed", "folded" }, { "ndjson", "jsonl" }
    };
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        if (path_has_suffix(path, OTHERS[i].suffix)) return OTHERS[i].format;
    }
    return NULL;
}

const FormatWriter *writer_for_path(const char *path)
{
    const FormatWriter *found = NULL;
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        const char *suffix = WRITERS[i]->suffix;
        if (suffix == NULL || !path_has_suffix(path, suffix)) continue;
        if (found == NULL || strlen(suffix) > strlen(found->suffix)) found = WRITERS[i];
    }
    return found;
}
