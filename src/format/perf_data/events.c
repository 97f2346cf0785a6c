#include "format/perf_data/events.h"

#include "base/checked.h"
#include "format/perf_data/layout.h"

#include <inttypes.h>
#include <stdio.h>

void perf_events_open(PerfEvents *events, Arena *arena)
{
    *events = (PerfEvents){ .arena = arena };
    events->attr_of.arena = events->formats.of_id.arena = arena;
}

/* -- attributes -- */

static PerfAttr decode_attr(StringView bytes)
{
    PerfAttr   attr = { .name = { "", 0 } };
    ByteCursor c = cursor_over(bytes.bytes, bytes.size, 0);
    attr.type = cursor_u32le(&c);
    (void)cursor_u32le(&c); /* the size */
    attr.config = cursor_u64le(&c);
    attr.period = cursor_u64le(&c);
    attr.sample_type = cursor_u64le(&c);
    attr.read_format = cursor_u64le(&c);
    attr.flags = cursor_u64le(&c);
    (void)cursor_u64le(&c);                         /* wake-up, type of a breakpoint */
    (void)cursor_u64le(&c), (void)cursor_u64le(&c); /* more configuration: later sizes have it */
    attr.branch_type = cursor_u64le(&c);
    attr.regs_user = cursor_u64le(&c);
    if ((attr.flags & PERF_ATTR_FREQ) != 0) attr.period = 0;
    return attr;
}

/* Says that samples with an id are of an attribute; the first one counts. */
static void tell_id(PerfEvents *events, uint64_t id, uint32_t attr)
{
    if (id_map_find(&events->attr_of, id) != 0) return;
    if (!id_map_put(&events->attr_of, id, attr + 1)) events->failed = true;
}

bool perf_events_add(PerfEvents *events, StringView bytes, StringView ids)
{
    if (bytes.size < PERF_ATTR_LEAST_BYTES || events->attrs.count >= UINT32_MAX) return false;
    const uint32_t index = (uint32_t)events->attrs.count;
    PerfAttr      *attr = ARENA_LIST_PUSH(&events->attrs, events->arena);
    ByteCursor     c = cursor_over(ids.bytes, ids.size, 0);
    if (attr == NULL) {
        events->failed = true;
        return true;
    }
    *attr = decode_attr(bytes);
    while (cursor_left(&c) >= sizeof(uint64_t) && !events->failed)
        tell_id(events, cursor_u64le(&c), index);
    return true;
}

/* -- names -- */

static void set_name(PerfEvents *events, PerfAttr *attr, StringView name)
{
    const char *end = (const char *)memchr(name.bytes, 0, name.size);
    if (end != NULL) name.size = (size_t)(end - name.bytes);
    const char *copy = arena_push_copy(events->arena, name.bytes, name.size);
    if (copy == NULL)
        events->failed = true;
    else
        attr->name = (StringView){ copy, name.size };
}

/* The section: number of events, size of an attribute, and for each event its attribute, the number of its ids, its name with the
 * size before it, its ids. */
bool perf_events_take_names(PerfEvents *events, StringView section)
{
    ByteCursor     c = cursor_over(section.bytes, section.size, 0);
    const uint32_t count = cursor_u32le(&c), attr_size = cursor_u32le(&c);
    for (uint32_t i = 0; i < count && !c.failed && !events->failed; i++) {
        (void)cursor_take(&c, attr_size);
        const uint32_t id_count = cursor_u32le(&c), name_size = cursor_u32le(&c);
        const uint8_t *name = cursor_take(&c, name_size);
        /* the ids are optional: the event is then found by its place */
        uint32_t attr = i + 1;
        for (uint32_t n = 0; n < id_count && !c.failed; n++) {
            const uint32_t found = id_map_find(&events->attr_of, cursor_u64le(&c));
            if (found != 0) attr = found;
        }
        if (!c.failed && attr <= events->attrs.count)
            set_name(events, &events->attrs.items[attr - 1], (StringView){ (const char *)name, name_size });
    }
    return !c.failed;
}

bool perf_events_take_update(PerfEvents *events, StringView body)
{
    enum { UPDATE_NAME = 2 };
    ByteCursor     c = cursor_over(body.bytes, body.size, 0);
    const uint64_t kind = cursor_u64le(&c), id = cursor_u64le(&c);
    const uint32_t attr = id_map_find(&events->attr_of, id);
    if (c.failed) return false;
    if (kind == UPDATE_NAME && attr != 0)
        set_name(events, &events->attrs.items[attr - 1],
                 (StringView){ (const char *)c.bytes + c.at, cursor_left(&c) });
    return true;
}

/* Names of the configurations of hardware and software events: parse-events.c of perf 6.1. */
static const char *const HARDWARE[] = {
    "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
    "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"
};
static const char *const SOFTWARE[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"
};

static void name_by_type(PerfEvents *events, PerfAttr *attr)
{
    char              text[64];
    const PerfFormat *format = NULL;
    const char       *name = NULL;
    const char       *suffix = "";
    if (attr->type == PERF_TYPE_TRACEPOINT) format = perf_formats_find(&events->formats, attr->config);
    if (format != NULL) {
        attr->name = format->name;
        return;
    }
    if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof HARDWARE / sizeof HARDWARE[0])
        name = HARDWARE[attr->config];
    if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof SOFTWARE / sizeof SOFTWARE[0])
        name = SOFTWARE[attr->config];
    if ((attr->flags & PERF_ATTR_EXCLUDE_KERNEL) != 0)
        suffix = ":u";
    else if ((attr->flags & PERF_ATTR_EXCLUDE_USER) != 0)
        suffix = ":k";
    const int size =
        name != NULL ? snprintf(text, sizeof text, "%s%s", name, suffix)
                     : snprintf(text, sizeof text,
                                attr->type == PERF_TYPE_RAW ? "r%" PRIx64 : "event 0x%" PRIx64, attr->config);
    set_name(events, attr, (StringView){ text, (size_t)size });
}

void perf_events_name(PerfEvents *events)
{
    for (size_t i = 0; i < events->attrs.count && !events->failed; i++)
        if (events->attrs.items[i].name.size == 0) name_by_type(events, &events->attrs.items[i]);
}

/* -- samples -- */

/* Returns the attribute of an id; NULL: there is no attribute. */
static const PerfAttr *attr_of(const PerfEvents *events, uint64_t id)
{
    const uint32_t found = id_map_find(&events->attr_of, id);
    return events->attrs.count == 0 ? NULL : &events->attrs.items[found == 0 ? 0 : found - 1];
}

/* Finds the attribute of a sample. The fields before the id are the same for all attributes of a file. */
static const PerfAttr *attr_of_sample(const PerfEvents *events, StringView body)
{
    if (events->attrs.count < 2) return attr_of(events, 0);
    const uint64_t type = events->attrs.items[0].sample_type;
    size_t         at = 0;
    if ((type & PERF_SAMPLE_IDENTIFIER) == 0) {
        if ((type & PERF_SAMPLE_ID) == 0) return attr_of(events, 0);
        for (uint64_t bit = PERF_SAMPLE_IP; bit <= PERF_SAMPLE_ADDR; bit <<= 1)
            at += (type & bit) != 0 ? sizeof(uint64_t) : 0;
    }
    return at + sizeof(uint64_t) > body.size
               ? NULL
               : attr_of(events, bits_load_u64((const uint8_t *)body.bytes + at));
}

/* Passes the counts of a sample. */
static void pass_read(ByteCursor *c, uint64_t format)
{
    const unsigned times = bits_count_u64(format & (PERF_READ_ENABLED | PERF_READ_RUNNING));
    const unsigned each = 1 + bits_count_u64(format & (PERF_READ_ID | PERF_READ_LOST));
    const bool     is_group = (format & PERF_READ_GROUP) != 0;
    const uint64_t count = is_group ? cursor_u64le(c) : 1;
    for (unsigned i = 0; i < times; i++)
        (void)cursor_u64le(c);
    if (!cursor_can_hold(c, count, each * sizeof(uint64_t)))
        c->failed = true;
    else
        (void)cursor_take(c, (size_t)count * each * sizeof(uint64_t));
}

static void pass_branches(ByteCursor *c, uint64_t branch_type)
{
    enum { HAS_INDEX = 1 << 17, BRANCH_BYTES = 24 };
    const uint64_t count = cursor_u64le(c);
    if ((branch_type & HAS_INDEX) != 0) (void)cursor_u64le(c);
    if (!cursor_can_hold(c, count, BRANCH_BYTES))
        c->failed = true;
    else
        (void)cursor_take(c, (size_t)count * BRANCH_BYTES);
}

static void take_registers(ByteCursor *c, uint64_t mask, PerfSample *sample)
{
    enum { NO_ABI = 0 };
    if (cursor_u64le(c) == NO_ABI) return;
    sample->user_mask = mask;
    sample->user_registers = cursor_take(c, bits_count_u64(mask) * sizeof(uint64_t));
}

/* Takes a copy of the stack: the size, as many bytes, and how many of them are valid. */
static void take_stack(ByteCursor *c, PerfSample *sample)
{
    const uint64_t size = cursor_u64le(c);
    sample->has_user_stack = true;
    if (size == 0 || size > SIZE_MAX) return;
    sample->stack = cursor_take(c, (size_t)size);
    const uint64_t valid = cursor_u64le(c);
    sample->stack_size = (size_t)(valid < size ? valid : size);
}

static void take_raw(ByteCursor *c, PerfSample *sample)
{
    const uint32_t size = cursor_u32le(c);
    const uint8_t *bytes = cursor_take(c, size);
    if (bytes != NULL) sample->raw = (StringView){ (const char *)bytes, size };
}

static void take_chain(ByteCursor *c, PerfSample *sample)
{
    const uint64_t count = cursor_u64le(c);
    if (!cursor_can_hold(c, count, sizeof(uint64_t))) {
        c->failed = true;
        return;
    }
    sample->chain_count = count;
    sample->chain = cursor_take(c, (size_t)count * sizeof(uint64_t));
}

/* Takes the fields that a sample has in this order, and the end of other records in another. */
static void take_task(ByteCursor *c, PerfSample *sample)
{
    sample->pid = cursor_u32le(c);
    sample->tid = cursor_u32le(c);
    sample->has_task = true;
}

static void take_cpu(ByteCursor *c, PerfSample *sample)
{
    sample->cpu = cursor_u32le(c);
    (void)cursor_u32le(c);
    sample->has_cpu = true;
}

bool perf_sample_decode(const PerfEvents *events, const PerfRecord *record, PerfSample *sample)
{
    const PerfAttr *attr = attr_of_sample(events, record->body);
    ByteCursor      c = cursor_over(record->body.bytes, record->body.size, 0);
    *sample = (PerfSample){ .attr = attr, .raw = { "", 0 } };
    if (attr == NULL) return false;
    const uint64_t type = attr->sample_type;
    if (type & PERF_SAMPLE_IDENTIFIER) (void)cursor_u64le(&c);
    if (type & PERF_SAMPLE_IP) {
        sample->ip = cursor_u64le(&c);
        sample->has_ip = true;
    }
    if (type & PERF_SAMPLE_TID) take_task(&c, sample);
    if (type & PERF_SAMPLE_TIME) {
        sample->time = cursor_u64le(&c);
        sample->has_time = true;
    }
    if (type & PERF_SAMPLE_ADDR) (void)cursor_u64le(&c);
    if (type & PERF_SAMPLE_ID) (void)cursor_u64le(&c);
    if (type & PERF_SAMPLE_STREAM_ID) (void)cursor_u64le(&c);
    if (type & PERF_SAMPLE_CPU) take_cpu(&c, sample);
    sample->period = (type & PERF_SAMPLE_PERIOD) != 0 ? cursor_u64le(&c) : attr->period;
    if (type & PERF_SAMPLE_READ) pass_read(&c, attr->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN) take_chain(&c, sample);
    if (type & PERF_SAMPLE_RAW) take_raw(&c, sample);
    if (type & PERF_SAMPLE_BRANCH_STACK) pass_branches(&c, attr->branch_type);
    if (type & PERF_SAMPLE_REGS_USER) take_registers(&c, attr->regs_user, sample);
    if (type & PERF_SAMPLE_STACK_USER) take_stack(&c, sample);
    return !c.failed;
}

bool perf_trailer_decode(const PerfEvents *events, const PerfRecord *record, PerfSample *sample)
{
    static const uint64_t FIELDS = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    const PerfAttr *attr = attr_of(events, 0);
    *sample = (PerfSample){ .attr = attr, .raw = { "", 0 } };
    if (attr == NULL || (attr->flags & PERF_ATTR_SAMPLE_ID_ALL) == 0) return false;
    const uint64_t type = attr->sample_type & FIELDS;
    const size_t   size = bits_count_u64(type) * sizeof(uint64_t);
    if (size == 0 || size > record->body.size) return false;
    ByteCursor c = cursor_over(record->body.bytes + (record->body.size - size), size, 0);
    if (type & PERF_SAMPLE_TID) take_task(&c, sample);
    if (type & PERF_SAMPLE_TIME) {
        sample->time = cursor_u64le(&c);
        sample->has_time = true;
    }
    if (type & PERF_SAMPLE_ID) (void)cursor_u64le(&c);
    if (type & PERF_SAMPLE_STREAM_ID) (void)cursor_u64le(&c);
    if (type & PERF_SAMPLE_CPU) take_cpu(&c, sample);
    return !c.failed;
}
