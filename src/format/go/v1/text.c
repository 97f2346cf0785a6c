#include "format/go/v1/text.h"

#include <inttypes.h>

void v1_text_append(const GoV1 *v1, const GoEvent *event, Bytes *out)
{
    const V1Spec *spec = &V1_SPECS[event->type];
    StringView    texts[2];
    unsigned      text_count = v1_event_texts(v1, event, texts);
    bytes_printf(out, "%" PRId64 " %s p=%" PRId64 " g=%" PRIu64 " off=%" PRIu64, event->time, spec->name,
                 event->p, (uint64_t)event->g, event->offset);
    for (unsigned i = 0; i < spec->value_count; i++)
        bytes_printf(out, " %s=%" PRIu64, spec->args[i], event->args[i]);
    for (unsigned i = 0; i < text_count; i++) {
        bytes_printf(out, " %s=", spec->texts[i]);
        bytes_append(out, texts[i].bytes, texts[i].size);
    }
    bytes_append_text(out, "\n");
}
