#include "app/cli/convert_targets.h"

#include "export/writers.h"

#include <string.h>

bool convert_target_at(size_t i, ConvertTarget *target)
{
    size_t writers = 0;
    while (writer_at(writers) != NULL)
        writers++;
    if (i < writers) {
        const FormatWriter *writer = writer_at(i);
        *target =
            (ConvertTarget){ TARGET_TRACE, writer->name, writer->suffix, writer->what, .writer = writer };
    } else if (i < writers + CONVERT_KINDS) {
        const ConvertKind kind = (ConvertKind)(i - writers);
        *target = (ConvertTarget){ TARGET_TABLES, convert_kind_name(kind), convert_kind_suffix(kind),
                                   "a table, as `varve query --schema` lists them", .kind = kind };
    } else {
        *target = (ConvertTarget){ TARGET_HTML, "html", "html",
                                   "the viewer and the trace in one file, for a browser without network",
                                   .writer = NULL };
    }
    return i <= writers + CONVERT_KINDS;
}

bool convert_target_find(const char *to, const char *path, ConvertTarget *target)
{
    ConvertTarget each;
    size_t        found_size = 0;
    for (size_t i = 0; convert_target_at(i, &each); i++) {
        if (to != NULL && strcmp(to, each.name) == 0) {
            *target = each;
            return true;
        }
        if (to != NULL || each.suffix == NULL || !path_has_suffix(path, each.suffix)) continue;
        if (strlen(each.suffix) <= found_size) continue;
        found_size = strlen(each.suffix);
        *target = each;
    }
    return found_size > 0;
}
