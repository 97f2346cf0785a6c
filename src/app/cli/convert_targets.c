#include "app/cli/convert_targets.h"

#include "base/file.h"
#include "export/writers.h"

#include <string.h>

bool convert_target_at(uint32_t i, ConvertTarget *target)
{
    VarveOutputFormat format;
    if (varve_output_format(i, &format)) {
        *target = (ConvertTarget){ format.kind == VARVE_OF_TABLE ? TARGET_TABLES : TARGET_TRACE, format.name,
                                   format.suffix, format.about };
        return true;
    }
    *target = (ConvertTarget){ TARGET_HTML, "html", "html",
                               "the viewer and the trace in one file, for a browser without network" };
    return i > 0 && varve_output_format(i - 1, &format);
}

bool convert_target_is(const ConvertTarget *target, const char *name)
{
    return strcmp(target->name, name) == 0;
}

bool convert_target_find(const char *to, const char *path, ConvertTarget *target)
{
    ConvertTarget each;
    size_t        found_size = 0;
    if (to == NULL) to = export_format_by_other_suffix(path);
    for (uint32_t i = 0; convert_target_at(i, &each); i++) {
        if (to != NULL && convert_target_is(&each, to)) {
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
