/* Perspectives: the selection of one of several ways in which traces show the same events. */
#include "view/perspective.h"

#include "base/ascii.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/select.h"

#include <assert.h>

static StringView shown_name(const View *view)
{
    return c_string_view(view->perspective);
}

/* Returns the n-th distinct name in all traces; bytes NULL: there are fewer. */
static StringView nth_name(const View *view, uint32_t n)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const Outline *outline = &view_trace(view, t)->outline;
        for (uint32_t i = 0; i < outline->perspective_count; i++) {
            bool is_new = outline->perspectives[i].size < PERSPECTIVE_MAX;
            for (uint32_t before = 0; before < t && is_new; before++) {
                const Outline *known = &view_trace(view, before)->outline;
                for (uint32_t k = 0; k < known->perspective_count; k++)
                    is_new &= !ascii_equal(known->perspectives[k], outline->perspectives[i]);
            }
            if (is_new && n-- == 0) return outline->perspectives[i];
        }
    }
    return (StringView){ NULL, 0 };
}

void perspective_apply(const View *view, TraceView *trace)
{
    static_assert(OUTLINE_PERSPECTIVES <= 8, "seen_from has a bit for each");
    trace->seen_from = 0;
    for (uint32_t i = 0; i < trace->outline.perspective_count; i++)
        if (ascii_equal(trace->outline.perspectives[i], shown_name(view)))
            trace->seen_from = (uint8_t)(1U << i);
}

static void show(View *view, StringView name)
{
    assert(name.size < PERSPECTIVE_MAX);
    if (view->position.history.pending && view->trace_count > 0) history_record(view);
    memcpy(view->perspective, name.bytes, name.size);
    view->perspective[name.size] = 0;
    for (uint32_t t = 0; t < view->trace_count; t++)
        perspective_apply(view, view_trace(view, t));
    view->layout.stale = true;
    view->picture.is_stale = true;
    layout_build(view);
    history_renew(view);
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_PERSPECTIVE });
}

bool view_set_perspective(View *view, const char *name, size_t size)
{
    StringView wanted = { name, size }, found;
    if (size == 0) {
        if (view->perspective[0] != 0) show(view, (StringView){ "", 0 });
        return true;
    }
    for (uint32_t n = 0; (found = nth_name(view, n)).bytes != NULL; n++) {
        if (!ascii_equal(found, wanted)) continue;
        if (!string_equal(found, shown_name(view))) show(view, found);
        return true;
    }
    return false;
}

const char *view_perspective(const View *view)
{
    return view->perspective;
}

bool view_lacks(const View *view, uint32_t index)
{
    const TraceView *trace = view_trace(view, index);
    const unsigned   made = trace->outline.perspectives_made,
                   all = (1U << trace->outline.perspective_count) - 1;
    if (view->perspective[0] == 0) return (made & all) != all;
    return (trace->seen_from & ~made) != 0;
}

/* Selects the perspective of a trace that was loaded for one only. */
void perspective_begin(View *view, const Outline *outline)
{
    const unsigned made = outline->perspectives_made;
    if (view->perspective[0] != 0 || made + 1 >= 1U << outline->perspective_count) return;
    for (uint32_t i = 0; i < outline->perspective_count; i++)
        if (made == 1U << i && outline->perspectives[i].size < PERSPECTIVE_MAX)
            show(view, outline->perspectives[i]);
}

void perspective_renew(View *view)
{
    StringView name;
    if (view->perspective[0] == 0) return;
    for (uint32_t n = 0; (name = nth_name(view, n)).bytes != NULL; n++)
        if (string_equal(name, shown_name(view))) return;
    show(view, (StringView){ "", 0 });
    for (uint32_t t = 0; t < view->trace_count; t++)
        perspective_begin(view, &view_trace(view, t)->outline);
}

void view_perspectives(const View *view, Bytes *out)
{
    StringView name;
    for (uint32_t n = 0; (name = nth_name(view, n)).bytes != NULL; n++) {
        if (n > 0) bytes_append_text(out, "\n");
        bytes_append(out, name.bytes, name.size);
    }
}

bool perspective_shows(const TraceView *trace, uint32_t process)
{
    uint8_t places = trace->outline.processes[process].perspectives;
    return places == 0 || trace->seen_from == 0 || (places & trace->seen_from) != 0;
}

void perspective_reveal(View *view, const TraceView *trace, uint32_t process)
{
    if (perspective_shows(trace, process)) return;
    uint8_t places = trace->outline.processes[process].perspectives;
    for (uint32_t i = 0; i < trace->outline.perspective_count; i++) {
        StringView name = trace->outline.perspectives[i];
        if ((places >> i & 1) != 0 && view_set_perspective(view, name.bytes, name.size)) return;
    }
    show(view, (StringView){ "", 0 });
}

void perspective_turn(View *view, int by)
{
    uint32_t   count = 1, at = 0; /* 0 = all */
    StringView name;
    for (; (name = nth_name(view, count - 1)).bytes != NULL; count++)
        if (string_equal(name, shown_name(view))) at = count;
    if (count == 1) return;
    at = (at + count + (uint32_t)by) % count;
    show(view, at == 0 ? (StringView){ "", 0 } : nth_name(view, at - 1));
}
