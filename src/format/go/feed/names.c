#include "format/go/feed/feed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    FeedLabel   label;
    const char *name, *category;
    uint32_t    colour;
} LABELS[] = {
    { FEED_RUNNABLE, "runnable", "scheduling", LABEL_COLOUR(0xC9A227) },
    { FEED_RUNNING, "running", "scheduling", LABEL_COLOUR(0x3A9E5C) },
    { FEED_SYSCALL, "syscall", "syscall", LABEL_COLOUR(0x8E6BBF) },
    { FEED_BLOCKING_SYSCALL, "blocking syscall", "syscall", LABEL_COLOUR(0xA94F9A) },
    { FEED_WAITING, "waiting", "waiting", LABEL_COLOUR(0x9299A1) },
    { FEED_SWEEP, "GC incremental sweep", "GC", LABEL_COLOUR(0xB8662F) },
    { FEED_ASSIST, "GC mark assist", "GC", LABEL_COLOUR(0xC4523A) },
    { FEED_IDLE, "idle", "idle", LABEL_RECEDES },
    { FEED_MARK, "GC concurrent mark phase", "GC", LABEL_COLOUR(0xC98A3D) },
    { FEED_SAMPLE, "CPU sample", "sample", 0 },
    { FEED_UNBLOCK, "unblock", "scheduling", 0 },
    { FEED_CREATE, "create", "scheduling", 0 },
};

/* Colours of waits, by the begin or end of Go's reason. All are light and muted, because goroutines wait most of the
 * time. */
static const struct {
    const char *begin, *end;
    uint32_t    colour;
} WAITS[] = {
    { "network", NULL, LABEL_COLOUR(0x71A7BD) },
    { "sync", NULL, LABEL_COLOUR(0xC38E95) }, /* sync.(*Cond).Wait, synctest */
    { "chan ", NULL, LABEL_COLOUR(0xC38E95) },
    { "select", NULL, LABEL_COLOUR(0xC38E95) },
    { "GC ", NULL, LABEL_COLOUR(0xBB9774) },
    { NULL, " GC ends", LABEL_COLOUR(0xBB9774) },
    { "sleep", NULL, LABEL_COLOUR(0x81878D) },
};

static bool is_wait(StringView reason, const char *begin, const char *end)
{
    size_t size = strlen(begin != NULL ? begin : end);
    return reason.size >= size && memcmp(begin != NULL ? reason.bytes : reason.bytes + (reason.size - size),
                                         begin != NULL ? begin : end, size) == 0;
}

static uint32_t wait_colour(StringView reason)
{
    for (size_t i = 0; i < sizeof WAITS / sizeof WAITS[0]; i++) {
        if (is_wait(reason, WAITS[i].begin, WAITS[i].end)) return WAITS[i].colour;
    }
    return LABELS[FEED_WAITING].colour;
}

static LabelId make_label(Feed *feed, StringId name, const char *category, uint32_t colour)
{
    StringId in = builder_string(feed->builder, category, strlen(category));
    return builder_colour_label(feed->builder, builder_label(feed->builder, name, in), colour);
}

void feed_make_labels(Feed *feed)
{
    for (size_t i = 0; i < sizeof LABELS / sizeof LABELS[0]; i++) {
        StringId name = builder_string(feed->builder, LABELS[i].name, strlen(LABELS[i].name));
        feed->names.labels[LABELS[i].label] = make_label(feed, name, LABELS[i].category, LABELS[i].colour);
    }
}

StringId feed_string(Feed *feed, StringId text)
{
    StringView view = string_table_view(feed->trace->texts, text);
    return builder_string(feed->builder, view.bytes, view.size);
}

StringId feed_printf(Feed *feed, const char *format, ...)
{
    char    text[1200];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t size = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    return builder_string(feed->builder, text, size);
}

LabelId feed_wait_label(Feed *feed, StringId reason)
{
    uint32_t known = id_map_find(&feed->names.reason_map, reason.index);
    if (known != 0) return (LabelId){ known };
    StringView view = string_table_view(feed->trace->texts, reason);
    if (view.size == 0) return feed->names.labels[FEED_WAITING];
    StringId name = builder_string(feed->builder, view.bytes, view.size);
    LabelId  label = make_label(feed, name, "waiting", wait_colour(view));
    if (label.index != 0 && !id_map_put(&feed->names.reason_map, reason.index, label.index))
        feed->out_of_memory = true;
    return label;
}

LabelId feed_mode_label(Feed *feed, StringId mode)
{
    return make_label(feed, feed_string(feed, mode), FEED_MODE, LABELS[FEED_MARK].colour);
}

/* -- stacks -- */

static StringId frame_string(Feed *feed, uint64_t id)
{
    StringId text = go_string_intern(go_trace_tables(feed->trace), id);
    return text.index == 0 ? STRING_NONE : feed_string(feed, text);
}

static StackId make_stack(Feed *feed, uint32_t place)
{
    enum { MOST_FRAMES = 1000 };
    GoTables  *tables = go_trace_tables(feed->trace);
    ByteCursor cursor = go_stack_frames(tables, place);
    GoFrame   *frames = feed->names.frames;
    size_t     count = 0;
    StackId    stack = STACK_NONE;
    if (frames == NULL) frames = feed->names.frames = ARENA_ARRAY(feed->arena, GoFrame, MOST_FRAMES);
    if (frames == NULL) {
        feed->out_of_memory = true;
        return STACK_NONE;
    }
    while (count < MOST_FRAMES && go_stack_next(tables, &cursor, &frames[count]))
        count += go_frame_is_empty(tables, &frames[count]) ? 0 : 1;
    while (count > 0) { /* the file has the innermost frame first */
        const GoFrame *frame = &frames[--count];
        StackFrame     made = { .function = frame_string(feed, frame->function),
                                .file = frame_string(feed, frame->file),
                                .line = frame->line > UINT32_MAX ? 0 : (uint32_t)frame->line,
                                .address = frame->pc };
        if (made.function.index == 0)
            made.function = feed_printf(feed, "0x%" PRIx64, frame->pc); /* 1.5 has no function names */
        stack = builder_stack(feed->builder, stack, builder_frame(feed->builder, &made));
    }
    return stack;
}

StackId feed_stack(Feed *feed, uint32_t place)
{
    if (place == 0) return STACK_NONE;
    GoStack *stack = &go_trace_tables(feed->trace)->stacks[place - 1];
    if (stack->known == 0) stack->known = make_stack(feed, place).index;
    return (StackId){ stack->known };
}

bool feed_has_stack(const Feed *feed, uint32_t place)
{
    return place == 0 || go_trace_tables(feed->trace)->stacks[place - 1].known != 0;
}

void feed_make_name(Feed *feed, FeedG *g, uint32_t stack_place)
{
    GoTables *tables = go_trace_tables(feed->trace);
    GoFrame   frame;
    if (!go_stack_outermost(tables, stack_place, &frame)) return;
    if (tables->bare_frames) {
        char name[24];
        int  size = snprintf(name, sizeof name, "0x%" PRIx64, frame.pc);
        g->name = string_table_intern(feed->trace->texts, name, (size_t)size);
    } else {
        g->name = go_string_intern(tables, frame.function);
    }
}
