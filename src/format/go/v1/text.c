#include "format/go/v1/text.h"

#include "format/go/common/quote.h"

void v1_text_append(const GoV1 *v1, const GoEvent *event, Bytes *out)
{
    const V1Spec *spec = &V1_SPECS[event->type];
    StringView    texts[2];
    unsigned      text_count = v1_event_texts(v1, event, texts);
    go_number_append("", event->time, out);
    bytes_append(out, " ", 1);
    bytes_append_text(out, spec->name);
    go_number_append(" p=", event->p, out);
    go_unsigned_append(" g=", (uint64_t)event->g, out);
    go_unsigned_append(" off=", event->offset, out);
    for (unsigned i = 0; i < spec->value_count; i++) {
        bytes_append(out, " ", 1);
        bytes_append_text(out, spec->args[i]);
        go_unsigned_append("=", event->args[i], out);
    }
    for (unsigned i = 0; i < text_count; i++) {
        bytes_append(out, " ", 1);
        bytes_append_text(out, spec->texts[i]);
        bytes_append(out, "=", 1);
        bytes_append(out, texts[i].bytes, texts[i].size);
    }
    bytes_append_text(out, "\n");
}
