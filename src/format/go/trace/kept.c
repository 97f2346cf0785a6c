#include "format/go/trace/kept.h"

GoKept *go_kept_create(void)
{
    Arena   arena = arena_create(0);
    GoKept *kept = ARENA_NEW(&arena, GoKept);
    if (kept == NULL) return NULL;
    kept->arena = arena;
    return kept;
}

void go_kept_release(void *context)
{
    GoKept *kept = context;
    Arena   arena = kept->arena; /* it holds `kept` itself */
    arena_release(&arena);
}

bool go_kept_generation(GoKept *kept, const GoTrace *trace, int64_t time)
{
    kept->end = trace->generation.origin + trace->generation.size;
    if (trace->generation.size == 0) return true; /* the end of the last one */
    GoKeptGeneration *generation = ARENA_LIST_PUSH(&kept->generations, &kept->arena);
    if (generation == NULL) return false;
    *generation = (GoKeptGeneration){ trace->generation.origin, time };
    return true;
}

bool go_kept_segments(GoKept *kept, const GoV1 *v1)
{
    kept->segments = ARENA_ARRAY(&kept->arena, GoKeptSegment, v1->parts.segment_count);
    if (kept->segments == NULL) return false;
    kept->segment_count = v1->parts.segment_count;
    for (uint32_t i = 0; i < v1->parts.segment_count; i++) {
        const V1Segment *segment = &v1->parts.segments[i];
        kept->segments[i] = (GoKeptSegment){ segment->begin, segment->end, segment->ticks, GO_NONE };
    }
    for (uint32_t i = 0; i < v1->parts.stream_count; i++) {
        const V1Stream *stream = &v1->parts.streams[i];
        for (uint32_t at = stream->first; at != 0; at = v1->parts.segments[at - 1].next)
            kept->segments[at - 1].p = stream->p;
    }
    kept->stacks_begin = v1->scan.stacks_begin;
    kept->stacks_end = v1->scan.next;
    kept->first_ticks = v1->clock.first_ticks;
    kept->ns_per_tick = v1->clock.ns_per_tick;
    return true;
}
