#include "format/trace_event/profile/firefox_give.h"

#include "base/checked.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A thread on the way to the builder. */
typedef struct Give {
    Firefox        *file;
    FirefoxProfile *profile;
    FirefoxOwner   *owner;
    TraceBuilder   *builder;
    Arena          *arena;
    ProcessId       process;
    TrackId         thread;
    int64_t         shift_ns; /* from times of its process to those of the file */
} Give;

/* -- names -- */

/* Returns the tables in which a column is: those of the thread if it has any, otherwise those of all threads. */
static const FirefoxTables *tables_with(const Give *give, FirefoxColumn column)
{
    return give->owner->tables.columns[column].count > 0 ? &give->owner->tables : &give->profile->tables;
}

static int64_t number_in(const Give *give, FirefoxColumn column, int64_t row)
{
    return row < 0 ? -1 : firefox_number(tables_with(give, column), column, (uint64_t)row);
}

/* Returns the string of a number. */
static StringId string_of(const Give *give, int64_t number)
{
    const int64_t string = number_in(give, STRINGS, number);
    return string < 0 ? STRING_NONE : (StringId){ (uint32_t)string };
}

static StringId lib_of(const Give *give, int64_t number)
{
    const int64_t name = number_in(give, LIBS, number);
    return name < 0 ? STRING_NONE : (StringId){ (uint32_t)name };
}

/* -- frames -- */

/* Reads the number after the last colon of the text before `size`. Returns the size of the text before the colon; `size`: there is
 * no number. */
static size_t cut_number(const char *text, size_t size, uint32_t *number)
{
    size_t   at = size;
    uint64_t value = 0, place = 1;
    for (; at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' && size - at < 9; at--, place *= 10)
        value += place * (uint64_t)(text[at - 1] - '0');
    if (at == size || at == 0 || text[at - 1] != ':') return size;
    *number = (uint32_t)value;
    return at - 1;
}

/* Sets a frame to the location of a Gecko profile: "function (file:line:column)", or the name of a function. */
static void set_location(const Give *give, StringId location, StackFrame *frame)
{
    const StringView text = builder_text(give->builder, location);
    size_t           open = 0;
    frame->function = location;
    if (text.size < 4 || text.bytes[text.size - 1] != ')') return;
    for (size_t i = 1; i + 1 < text.size; i++)
        if (text.bytes[i] == '(' && text.bytes[i - 1] == ' ') open = i;
    if (open < 2) return;
    const char    *file = text.bytes + open + 1;
    const size_t   size = text.size - open - 2;
    uint32_t       line = 0, first = 0;
    const size_t   last = cut_number(file, size, &first);
    const size_t   before = last == size ? size : cut_number(file, last, &line);
    const uint32_t only = before == last ? first : line;
    if (last == size || before == 0) return;
    /* builder_string may move the text */
    char *copy = arena_push_copy(give->arena, text.bytes, text.size);
    if (copy == NULL) {
        give->file->cells.failed = true;
        return;
    }
    frame->function = builder_string(give->builder, copy, open - 1);
    frame->file = builder_string(give->builder, copy + open + 1, before);
    frame->line = only;
}

static void set_function(const Give *give, int64_t function, StackFrame *frame)
{
    const int64_t source = number_in(give, FUNCTION_SOURCE, function);
    const int64_t file =
        source < 0 ? number_in(give, FUNCTION_FILE, function) : number_in(give, SOURCE_FILE, source);
    const int64_t line = number_in(give, FUNCTION_LINE, function);
    const int64_t resource = number_in(give, FUNCTION_RESOURCE, function);
    frame->function = string_of(give, number_in(give, FUNCTION_NAME, function));
    frame->file = string_of(give, file);
    frame->module = lib_of(give, number_in(give, RESOURCE_LIB, resource));
    if (line > 0 && line <= UINT32_MAX) frame->line = (uint32_t)line;
}

/* Returns the frame of a row. Frames of one function are equal: the lines of calls inside it would divide its slices. */
static FirefoxStack make_frame(const Give *give, int64_t row, FrameId *id)
{
    StackFrame    frame = { .line = 0 };
    const int64_t location = number_in(give, FRAME_LOCATION, row);
    const int64_t lib = number_in(give, FRAME_LIB, row);
    if (location >= 0)
        set_location(give, string_of(give, location), &frame);
    else
        set_function(give, number_in(give, FRAME_FUNCTION, row), &frame);
    if (lib >= 0) frame.module = lib_of(give, lib);
    if (frame.function.index == 0) frame.function = builder_string(give->builder, "(unknown)", 9);
    *id = builder_frame(give->builder, &frame);
    return (FirefoxStack){ .label = builder_label(give->builder, frame.function, STRING_NONE) };
}

/* Returns the row of a stack's parent; -1 = none. Parents are before their children. */
static int64_t parent_of(const Give *give, const FirefoxTables *tables, uint64_t row)
{
    int64_t       parent = firefox_number(tables, STACK_PREFIX, row);
    const int64_t offset = firefox_number(tables, STACK_PREFIX_OFFSET, row);
    if (offset > 0 && (uint64_t)offset <= row) parent = (int64_t)row - offset;
    if (offset > 0 ? (uint64_t)offset <= row : parent < (int64_t)row) return parent;
    builder_warn(give->builder, "bad-stack", (EventPos){ give->owner->offset, ERR_NOWHERE },
                 "stack %" PRIu64 " is before its parent: taken as an outermost one", row);
    return -1;
}

/* Makes the stacks of the tables that a thread uses. NULL: it has none, or out of memory. */
static const FirefoxStack *make_stacks(const Give *give, size_t *count)
{
    FirefoxTables *tables =
        give->owner->tables.columns[STACK_FRAME].count > 0 ? &give->owner->tables : &give->profile->tables;
    const FirefoxColumn of_frames = tables_with(give, FRAME_LOCATION)->columns[FRAME_LOCATION].count > 0
                                        ? FRAME_LOCATION
                                        : FRAME_FUNCTION;
    const size_t        frame_count = tables_with(give, of_frames)->columns[of_frames].count;
    *count = tables->columns[STACK_FRAME].count;
    if (*count == 0 || tables->stacks != NULL) return tables->stacks;
    FirefoxStack *frames = ARENA_ARRAY(give->arena, FirefoxStack, frame_count + 1);
    FrameId      *ids = ARENA_ARRAY(give->arena, FrameId, frame_count + 1);
    FirefoxStack *stacks = ARENA_ARRAY(give->arena, FirefoxStack, *count);
    if (frames == NULL || ids == NULL || stacks == NULL) {
        give->file->cells.failed = true;
        return NULL;
    }
    for (size_t i = 0; i <= frame_count; i++) /* the last one is the unknown frame */
        frames[i] = make_frame(give, i < frame_count ? (int64_t)i : -1, &ids[i]);
    for (size_t i = 0; i < *count; i++) {
        const int64_t parent = parent_of(give, tables, i), row = firefox_number(tables, STACK_FRAME, i);
        const size_t  frame = row < 0 || (uint64_t)row > frame_count ? frame_count : (size_t)row;
        stacks[i].stack =
            builder_stack(give->builder, parent < 0 ? STACK_NONE : stacks[parent].stack, ids[frame]);
        stacks[i].label = frames[frame].label;
    }
    tables->stacks = stacks;
    return stacks;
}

/* -- samples -- */

/* Returns the time of a cell on the axis of the file. False: it has none. */
static bool time_at(const Give *give, FirefoxColumn column, size_t row, int64_t *tick)
{
    const FirefoxCells *cells = &give->owner->tables.columns[column];
    if (row >= cells->count || cells->items[row].number == FIREFOX_NO_TIME) return false;
    *tick = i64_add_saturated(cells->items[row].number, give->shift_ns);
    return true;
}

static double real_at(const FirefoxOwner *owner, FirefoxColumn column, size_t row)
{
    const FirefoxCells *cells = &owner->tables.columns[column];
    return row < cells->count ? cells->items[row].real : NAN;
}

static EventPos next_pos(const Give *give, int64_t offset)
{
    return (EventPos){ offset < 0 ? give->owner->offset : (uint64_t)offset, give->file->event_count++ };
}

/* Returns the position of a marker: that of its data, if it has any, otherwise that of its name. */
static EventPos next_marker(const Give *give, size_t row, bool *has_data)
{
    const int64_t data = firefox_number(&give->owner->tables, MARKER_DATA, row);
    *has_data = data >= 0;
    return next_pos(give, *has_data ? data : firefox_number(&give->owner->tables, MARKER_OFFSET, row));
}

static double weight_at(const FirefoxOwner *owner, size_t row)
{
    const double weight = real_at(owner, SAMPLE_WEIGHT, row);
    return !owner->weighs_other && weight >= 0 ? weight : 1;
}

static void give_sample(const Give *give, SamplerId sampler, size_t row, const FirefoxStack *stack)
{
    const EventPos pos = next_pos(give, firefox_number(&give->owner->tables, SAMPLE_OFFSET, row));
    int64_t        tick = 0;
    const bool     has_time = time_at(give, SAMPLE_TIME, row, &tick);
    builder_other(give->builder, OTHER_EVENT, give->file->sample_kind,
                  &(EventHead){ .thread = give->thread,
                                .tick = tick,
                                .label = stack->label,
                                .pos = pos,
                                .is_timeless = !has_time });
    if (has_time)
        builder_stack_sample(give->builder, sampler, tick, stack->stack, weight_at(give->owner, row));
    else
        builder_warn(give->builder, "bad-time", pos, "the time of a sample is not a number: not drawn");
}

static void give_samples(const Give *give)
{
    const FirefoxTables *tables = &give->owner->tables;
    const size_t rows = tables->columns[SAMPLE_STACK].count, times = tables->columns[SAMPLE_TIME].count;
    size_t       stack_count;
    const FirefoxStack *stacks = make_stacks(give, &stack_count), none = { .stack = STACK_NONE };
    const size_t        count = rows < times ? rows : times;
    if (rows != times)
        builder_warn(give->builder, "uneven-profile", (EventPos){ give->owner->offset, ERR_NOWHERE },
                     "the numbers of stacks and times differ: the surplus is left out");
    if (count == 0 || give->file->cells.failed) return;
    const SamplerId sampler =
        builder_sampler(give->builder, give->thread, builder_string(give->builder, "samples", 7));
    for (size_t i = 0; i < count; i++) {
        const int64_t row = firefox_number(tables, SAMPLE_STACK, i);
        const bool    has_stack = row >= 0 && (uint64_t)row < stack_count && stacks != NULL;
        if (row >= 0 && !has_stack)
            builder_warn(give->builder, "bad-stack",
                         (EventPos){ (uint64_t)firefox_number(tables, SAMPLE_OFFSET, i), ERR_NOWHERE },
                         "stack %" PRId64 " of a sample is not in the list of %zu stacks", row, stack_count);
        give_sample(give, sampler, i, has_stack ? &stacks[row] : &none);
    }
    builder_count_events(give->builder, give->file->sample_kind, count);
}

/* Returns the name of a thread's series, which differs from those of the other threads of the process. */
static StringId series_of_cpu(const Give *give)
{
    Bytes      text = { .data = NULL };
    StringView name = builder_text(give->builder, give->owner->name);
    bytes_append(&text, name.bytes, name.size);
    bytes_printf(&text, "%s(thread %" PRIu32 ")", name.size == 0 ? "" : " ", give->owner->index + 1);
    const StringId title =
        text.failed ? STRING_NONE : builder_string(give->builder, (const char *)text.data, text.size);
    give->file->cells.failed |= text.failed;
    bytes_release(&text);
    return title;
}

/* Adds a series to the counter of its process: the processor's time between samples, in per cent of the time, or in cycles. */
static void give_cpu(const Give *give)
{
    const size_t count = give->owner->tables.columns[SAMPLE_CPU].count;
    const double ns = give->file->cpu_unit == CPU_US ? 1000 : 1;
    int64_t      before = 0, tick = 0;
    bool         has_before = false, is_used = false;
    for (size_t i = 0; i < count && !is_used; i++)
        is_used = real_at(give->owner, SAMPLE_CPU, i) > 0;
    if (!is_used) return;
    const bool      are_cycles = give->file->cpu_unit == CPU_CYCLES;
    const StringId  title = are_cycles ? builder_string(give->builder, "CPU (cycles)", 12)
                                       : builder_string(give->builder, "CPU (%)", 7);
    const CounterId counter = builder_counter(give->builder, give->process, title, STRING_NONE);
    const SeriesId  series = builder_series(give->builder, counter, series_of_cpu(give), 0);
    for (size_t i = 0; i < count; i++) {
        if (!time_at(give, SAMPLE_TIME, i, &tick)) continue;
        const double value = real_at(give->owner, SAMPLE_CPU, i);
        if (has_before && tick > before)
            builder_sample(give->builder, series, before,
                           are_cycles ? value : 100 * value * ns / ((double)tick - (double)before));
        before = tick;
        has_before = true;
    }
    if (has_before) builder_sample(give->builder, series, tick, NAN);
}

/* -- markers -- */

typedef enum { PHASE_INSTANT, PHASE_INTERVAL, PHASE_BEGIN, PHASE_END } Phase;

/* The begins without an end so far: for each name the row of the last one + 1, and for each begin that of the one before. */
typedef struct OpenMarkers {
    IdMap by_name; /* 1 + index in heads */
    ARENA_LIST(size_t) heads;
    size_t *before; /* by row */
} OpenMarkers;

/* Returns the head of a name's open markers; NULL when out of memory. */
static size_t *head_of(const Give *give, OpenMarkers *open, int64_t name)
{
    const uint32_t found = id_map_find(&open->by_name, (uint64_t)name);
    if (found > 0) return &open->heads.items[found - 1];
    size_t *head = ARENA_LIST_PUSH(&open->heads, give->arena);
    if (head == NULL || !id_map_put(&open->by_name, (uint64_t)name, (uint32_t)open->heads.count)) {
        give->file->cells.failed = true;
        return NULL;
    }
    *head = 0;
    return head;
}

static Phase phase_of(const Give *give, size_t row)
{
    int64_t tick;
    if (give->owner->tables.columns[MARKER_PHASE].count > 0) {
        const int64_t phase = firefox_number(&give->owner->tables, MARKER_PHASE, row);
        return phase >= PHASE_INTERVAL && phase <= PHASE_END ? (Phase)phase : PHASE_INSTANT;
    }
    return time_at(give, MARKER_END, row, &tick) ? PHASE_INTERVAL : PHASE_INSTANT;
}

static LabelId label_of_marker(const Give *give, size_t row)
{
    const FirefoxTables *tables = &give->owner->tables;
    const int64_t        category = firefox_number(tables, MARKER_CATEGORY, row);
    StringId             name = string_of(give, firefox_number(tables, MARKER_NAME, row));
    StringId             group = STRING_NONE;
    if (category >= 0 && (uint64_t)category < give->profile->categories.count)
        group = give->profile->categories.items[category];
    if (name.index == 0) name = builder_string(give->builder, "(unknown)", 9);
    return builder_label(give->builder, name, group);
}

/* Adds the slice of a begin in row `row` and of an end; `end` is NULL without an end. */
static void give_interval(const Give *give, size_t row, const int64_t *end)
{
    bool           has_data;
    const EventPos pos = next_marker(give, row, &has_data);
    int64_t        tick = 0;
    if (!time_at(give, MARKER_BEGIN, row, &tick)) {
        builder_warn(give->builder, "bad-time", pos, "the time of a marker is not a number: left out");
        return;
    }
    const int64_t  end_tick = end == NULL || *end < tick ? tick : *end;
    const unsigned flags = (has_data ? EVENT_DETAILS : 0) | (end == NULL ? EVENT_NO_END : 0) |
                           (end != NULL && *end < tick ? EVENT_REPAIRED : 0);
    if (flags & EVENT_REPAIRED)
        builder_warn(give->builder, "negative-duration", pos,
                     "a marker ends before it begins: it ends there");
    builder_complete(give->builder, give->thread, tick, end_tick, label_of_marker(give, row), pos, flags);
}

static void give_instant(const Give *give, size_t row)
{
    bool           has_data;
    const EventPos pos = next_marker(give, row, &has_data);
    int64_t        tick = 0;
    if (time_at(give, MARKER_BEGIN, row, &tick))
        builder_instant(give->builder, give->thread, tick, label_of_marker(give, row), INSTANT_THREAD, pos,
                        has_data ? EVENT_DETAILS : 0);
    else
        builder_warn(give->builder, "bad-time", pos, "the time of a marker is not a number: left out");
}

/* Ends the last open marker of a name. */
static void give_end(const Give *give, OpenMarkers *open, size_t row)
{
    size_t *head = head_of(give, open, firefox_number(&give->owner->tables, MARKER_NAME, row));
    int64_t tick = 0;
    if (head == NULL || !time_at(give, MARKER_END, row, &tick)) return;
    if (*head == 0) {
        bool           has_data;
        const EventPos pos = next_marker(give, row, &has_data);
        builder_end(give->builder, give->thread, tick, label_of_marker(give, row), pos,
                    has_data ? EVENT_DETAILS : 0);
        return;
    }
    const size_t begin = *head - 1;
    *head = open->before[begin];
    open->before[begin] = SIZE_MAX;
    give_interval(give, begin, &tick);
}

static void give_markers(const Give *give)
{
    const size_t count = give->owner->tables.columns[MARKER_NAME].count;
    OpenMarkers  open = { .by_name = { .arena = give->arena },
                          .before = count == 0 ? NULL : ARENA_ARRAY(give->arena, size_t, count) };
    if (count == 0) return;
    if (open.before == NULL) {
        give->file->cells.failed = true;
        return;
    }
    for (size_t i = 0; i < count && !give->file->cells.failed; i++) {
        const Phase phase = phase_of(give, i);
        int64_t     end = 0;
        open.before[i] = SIZE_MAX; /* not open */
        if (phase == PHASE_INSTANT) {
            give_instant(give, i);
        } else if (phase == PHASE_INTERVAL) {
            give_interval(give, i, time_at(give, MARKER_END, i, &end) ? &end : NULL);
        } else if (phase == PHASE_END) {
            give_end(give, &open, i);
        } else {
            size_t *head = head_of(give, &open, firefox_number(&give->owner->tables, MARKER_NAME, i));
            if (head == NULL) return;
            open.before[i] = *head;
            *head = i + 1;
        }
    }
    for (size_t i = 0; i < count && !give->file->cells.failed; i++)
        if (open.before[i] != SIZE_MAX) give_interval(give, i, NULL);
    builder_count_events(give->builder, give->file->marker_kind, count);
}

/* -- owners -- */

static Give give_begin(Firefox *file, FirefoxOwner *owner)
{
    Give                  give = { .file = file,
                                   .profile = file->profiles.items[owner->profile],
                                   .owner = owner,
                                   .builder = file->cells.builder,
                                   .arena = file->cells.arena };
    const FirefoxProfile *first = file->profiles.items[0];
    Ident                 pid = owner->pid;
    if (give.profile->has_start && first->has_start)
        give.shift_ns = i64_sub_saturated(give.profile->start.ns, first->start.ns);
    if (pid.kind == IDENT_NONE && owner->kind == OWNER_COUNTER) pid = give.profile->pid;
    if (pid.kind == IDENT_NONE && owner->process_type.index != 0) pid = ident_text(owner->process_type);
    if (pid.kind == IDENT_NONE) pid = ident_int((int64_t)owner->profile + 1);
    if (owner->kind == OWNER_THREAD && give.profile->pid.kind == IDENT_NONE) give.profile->pid = pid;
    give.process = builder_process(give.builder, pid);
    return give;
}

/* Returns the track of a thread. Threads of a file may have the same id: the later ones get another. */
static TrackId track_of(Firefox *file, const FirefoxOwner *owner, ProcessId process)
{
    char    text[64];
    Ident   tid = owner->tid.kind == IDENT_NONE ? ident_int((int64_t)owner->index + 1) : owner->tid;
    TrackId track = builder_thread(file->cells.builder, process, tid);
    if (id_map_find(&file->tracks, track.index) != 0) {
        const int size = snprintf(text, sizeof text, "thread %" PRIu32 " of the file", owner->index + 1);
        tid = ident_text(builder_string(file->cells.builder, text, (size_t)size));
        return builder_thread(file->cells.builder, process, tid);
    }
    file->cells.failed |= track.index != 0 && !id_map_put(&file->tracks, track.index, 1);
    return track;
}

void firefox_give_thread(Firefox *file, FirefoxOwner *owner)
{
    Give give = give_begin(file, owner);
    give.thread = track_of(file, owner, give.process);
    const StringId process = owner->process.index != 0 ? owner->process : owner->process_type;
    if (process.index != 0) builder_name_process(give.builder, give.process, process);
    if (owner->site.index != 0) builder_label_process(give.builder, give.process, owner->site);
    if (owner->name.index != 0) builder_name_thread(give.builder, give.thread, owner->name);
    builder_sort_thread(give.builder, give.thread, owner->index);
    give_samples(&give);
    if (!file->cells.failed) give_markers(&give);
    if (!file->cells.failed) give_cpu(&give);
}

/* The counts of memory are changes: the counter has their sum. Those of other counters are kept as they are. */
void firefox_give_counter(Firefox *file, const FirefoxOwner *owner)
{
    FirefoxOwner   copy = *owner;
    Give           give = give_begin(file, &copy);
    TraceBuilder  *builder = file->cells.builder;
    const size_t   count = owner->tables.columns[SAMPLE_COUNT].count;
    const TrackId  place = builder_thread(builder, give.process, (Ident){ .kind = IDENT_NONE });
    const bool     is_memory = string_equal(builder_text(builder, owner->category), STRING_LITERAL("Memory"));
    const StringId name = owner->name.index == 0 ? builder_string(builder, "counter", 7) : owner->name;
    double         sum = 0;
    if (count == 0) return;
    const CounterId counter = builder_counter(builder, give.process, name, owner->category);
    const SeriesId  series = builder_series(builder, counter, builder_string(builder, "count", 5), 0);
    if (is_memory) builder_count_bytes(builder, counter);
    for (size_t i = 0; i < count; i++) {
        const double   value = real_at(owner, SAMPLE_COUNT, i);
        const EventPos pos = next_pos(&give, firefox_number(&owner->tables, SAMPLE_OFFSET, i));
        int64_t        tick = 0;
        const bool     has_time = time_at(&give, SAMPLE_TIME, i, &tick);
        if (!isnan(value)) sum += value;
        builder_other(builder, OTHER_EVENT, file->counter_kind,
                      &(EventHead){ .thread = place,
                                    .tick = tick,
                                    .label = builder_label(builder, name, owner->category),
                                    .pos = pos,
                                    .is_timeless = !has_time });
        if (has_time) builder_sample(builder, series, tick, is_memory && !isnan(value) ? sum : value);
    }
    builder_count_events(builder, file->counter_kind, count);
}
