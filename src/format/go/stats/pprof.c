#include "format/go/stats/pprof.h"

#include "format/profile_proto.h"

/* The first strings of the table; those of the trace follow, in their order. */
static const char *const STRINGS[] = { "", "contentions", "count", "delay", "nanoseconds" };
enum { STRING_CONTENTIONS = 1, STRING_COUNT, STRING_DELAY, STRING_NANOSECONDS, STRING_FIRST = 4 };

static uint64_t string_of(StringId id)
{
    return id.index == 0 ? 0 : STRING_FIRST + (uint64_t)id.index;
}

/* Writes a sample: its frames, innermost first, then both values. */
static void put_sample(const GoStats *stats, uint32_t node, GoProfile profile, ProfileProto *p)
{
    const uint64_t values[] = { stats->nodes[node].count[profile], (uint64_t)stats->nodes[node].ns[profile] };
    profile_proto_sample_begin(p);
    for (uint32_t at = node; at != 0; at = stats->nodes[at].parent)
        profile_proto_sample_frame(p, stats->nodes[at].frame);
    profile_proto_sample_end(p, values, 2, 0, 0);
}

static void put_frame(const GoStackFrame *frame, uint32_t id, ProfileProto *p)
{
    profile_proto_frame(p, &(ProfileFrame){ .id = id,
                                            .name = string_of(frame->function),
                                            .file = string_of(frame->file),
                                            .line = frame->line,
                                            .address = frame->pc });
}

bool go_pprof_write(const GoStats *stats, GoProfile profile, Bytes *out)
{
    ProfileProto p = { .out = out };
    profile_proto_sample_type(&p, STRING_CONTENTIONS, STRING_COUNT);
    profile_proto_sample_type(&p, STRING_DELAY, STRING_NANOSECONDS);
    for (uint32_t i = 0; i < stats->node_count; i++) {
        if (stats->nodes[i].count[profile] > 0) put_sample(stats, i, profile, &p);
    }
    for (uint32_t i = 1; i < stats->frame_count; i++)
        put_frame(&stats->frames[i], i, &p);
    for (size_t i = 0; i < sizeof STRINGS / sizeof STRINGS[0]; i++)
        profile_proto_string(&p, c_string_view(STRINGS[i]));
    for (uint32_t i = 1; i <= string_table_count(stats->texts); i++)
        profile_proto_string(&p, string_table_view(stats->texts, (StringId){ i }));
    profile_proto_duration(&p, (uint64_t)(stats->end - stats->begin));
    profile_proto_period(&p, STRING_CONTENTIONS, STRING_COUNT, 1);
    profile_proto_release(&p);
    return !out->failed;
}
