/* The summary of a trace as text. */
#include "export/info.h"
#include "api/api.h"
#include "base/file.h"
#include "export/report.h"

bool varve_info_text(const VarveTrace *trace, VarveTextStyle style, VarveBytes *out, VarveError *error)
{
    Bytes text = { 0 };
    report_info(&trace->loaded, style == VARVE_TEXT_COLORED ? REPORT_COLORED : REPORT_PLAIN, &text);
    return api_give_text(&text, out, error);
}

bool varve_info_json(const VarveTrace *trace, VarveBytes *out, VarveError *error)
{
    Bytes      text = { 0 };
    JsonWriter w = json_writer_to(&text, 2);
    info_write_json(&trace->loaded, file_name_of(trace->loaded.name), UINT64_MAX, &w);
    bytes_append_text(&text, "\n");
    return api_give_text(&text, out, error);
}

bool varve_check_text(const VarveTrace *trace, VarveBytes *out, VarveError *error)
{
    Bytes text = { 0 };
    report_check(&trace->loaded, &text);
    return api_give_text(&text, out, error);
}
