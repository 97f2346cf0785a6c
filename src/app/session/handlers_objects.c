/* Objects, contexts and memory dumps in the answers about slices and instants. */
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/params.h"
#include "base/json_members.h"
#include "trace/store/lookup.h"
#include "trace/store/object_find.h"

#include <assert.h>
#include <string.h>

enum { MOST_REFS = 1000, LONGEST_REF = 4096, MOST_CONTEXTS = 100, MOST_PARTS = 1000 };

void put_mark(JsonWriter *w, const char *key, const RequestContext *ctx, uint64_t instant)
{
    const Trace *trace = ctx->trace;
    json_key(w, key);
    if (instant == SNAPSHOT_NONE) {
        json_null(w);
        return;
    }
    assert(trace_has_instant(trace, instant));
    uint32_t row = trace_instant_row(trace, instant), track = trace->rows[row].track;
    json_object_begin(w);
    json_put_u64(w, "trace", ctx->slot->index);
    json_put_u64(w, "instant", instant);
    json_put_u64(w, "track", track);
    json_put_u64(w, "row", row - trace->tracks[track].first_row);
    put_decimal_u64(w, "begin", trace_since_begin(trace, trace_instant_tick(trace, instant)));
    json_object_end(w);
}

void put_event_place(JsonWriter *w, const RequestContext *ctx, OrderKind kind, uint64_t id)
{
    put_place(w, "place", ctx, kind == ORDER_SLICE ? id : PLACE_NONE);
    put_mark(w, "mark", ctx, kind == ORDER_INSTANT ? id : SNAPSHOT_NONE);
}

/* ---- the object of a slice or of a snapshot ---- */

/* Returns the index of the instant among the snapshots of its life; UINT64_MAX for a slice. */
static uint64_t place_in_life(const Trace *trace, const ObjectLife *life, uint64_t instant)
{
    uint64_t nth = 0;
    while (nth < life->snapshot_count && object_snapshot(trace, life, nth) != instant)
        nth++;
    return nth;
}

static void put_object(JsonWriter *w, const RequestContext *ctx, uint32_t life_index, uint64_t instant)
{
    const Trace *trace = ctx->trace;
    json_key(w, "object");
    if (life_index == LIFE_NONE) {
        json_null(w);
        return;
    }
    const ObjectLife *life = object_life(trace, life_index);
    const Object     *object = object_of_life(trace, life);
    uint64_t          nth = place_in_life(trace, life, instant), count = life->snapshot_count;
    json_object_begin(w);
    put_text(w, "id", trace, object->id);
    put_text(w, "scope", trace, object->scope);
    put_text(w, "type", trace, trace->tracks[trace->rows[trace_slice_row(trace, life->slice)].track].name);
    put_text(w, "base_type", trace, life->base_type);
    json_put_bool(w, "created", life->is_created);
    json_put_u64(w, "life", life_index - object->first_life + 1);
    json_put_u64(w, "lives", object->life_count);
    put_place(w, "place", ctx, life->slice);
    json_put_u64(w, "snapshot", nth < count ? nth + 1 : 0);
    json_put_u64(w, "snapshots", count);
    put_mark(w, "first", ctx, object_snapshot(trace, life, 0));
    put_mark(w, "previous", ctx,
             nth < count && nth > 0 ? object_snapshot(trace, life, nth - 1) : SNAPSHOT_NONE);
    put_mark(w, "next", ctx, nth < count ? object_snapshot(trace, life, nth + 1) : SNAPSHOT_NONE);
    put_mark(w, "last", ctx, count == 0 ? SNAPSHOT_NONE : object_snapshot(trace, life, count - 1));
    json_object_end(w);
}

/* ---- references to objects ---- */

/* A reference in the arguments. */
typedef struct Reference {
    StringView id, scope, pid;
} Reference;

/* Replaces the text by a value of the arguments. */
static void value_text(StringView value, Bytes *out)
{
    bytes_clear(out);
    json_plain_append(value, out);
}

static StringId find_text(const Trace *trace, StringView value, Bytes *scratch)
{
    value_text(value, scratch);
    if (scratch->size == 0 || scratch->failed) return STRING_NONE;
    return string_table_find(trace->strings, (const char *)scratch->data, scratch->size);
}

/* Returns the process with this id; "-1" means the browser process, whatever its id. 0: there is no such
 * process. */
static uint32_t find_process(const Trace *trace, StringView pid, Bytes *scratch)
{
    Bytes    own = { 0 };
    uint32_t found = 0;
    value_text(pid, scratch);
    for (uint32_t i = 1; i <= trace->process_count && found == 0; i++) {
        bytes_clear(&own);
        trace_ident_append(trace, trace->processes[i].pid, &own);
        if (string_equal(bytes_view(&own), bytes_view(scratch))) found = i;
    }
    bool is_browser = found == 0 && string_equal(bytes_view(scratch), STRING_LITERAL("-1"));
    for (uint32_t i = 1; is_browser && i <= trace->process_count && found == 0; i++) {
        if (string_equal(trace_string(trace, trace->processes[i].name), STRING_LITERAL("Browser"))) found = i;
    }
    bytes_release(&own);
    return found;
}

/* Returns the snapshot to which a reference refers at a time. */
static uint64_t resolve(const Trace *trace, const Reference *reference, uint32_t process, int64_t tick,
                        Bytes *scratch)
{
    if (reference->pid.size > 0) process = find_process(trace, reference->pid, scratch);
    StringId scope = reference->scope.size > 0 ? find_text(trace, reference->scope, scratch)
                                               : string_table_find(trace->strings, "ptr", 3);
    StringId id = find_text(trace, reference->id, scratch);
    if (id.index == 0 || scope.index == 0) return SNAPSHOT_NONE;
    const Object *object = object_find(trace, process, scope, id);
    if (object == NULL) object = object_find(trace, PROCESS_NONE.index, scope, id);
    uint32_t life = object == NULL ? LIFE_NONE : object_life_at(trace, object, tick);
    return life == LIFE_NONE ? SNAPSHOT_NONE : object_snapshot_at(trace, life, tick);
}

static void put_value_text(JsonWriter *w, const char *key, StringView value, Bytes *scratch)
{
    value_text(value, scratch);
    if (value.size == 0)
        json_put_null(w, key);
    else
        json_put_view(w, key, bytes_view(scratch));
}

typedef struct References {
    const RequestContext *ctx;
    JsonWriter           *w;
    uint32_t              process; /* the process that has the objects */
    int64_t               tick;
    int                   left; /* remaining limit on the listed references */
    Bytes                 open; /* size_t[]: begin offsets of the open objects and lists */
    Bytes                 scratch;
} References;

/* Lists the object if it is a reference: {"id_ref": "0x12"}, with optional scope and pid_ref. */
static void put_reference(References *r, StringView object)
{
    JsonMembers members;
    StringView  key, value;
    Reference   reference = { { "", 0 }, { "", 0 }, { "", 0 } };
    if (object.size > LONGEST_REF || r->left == 0 || !json_members_open(object, &members)) return;
    while (json_members_next(&members, &key, &value)) {
        if (string_equal(key, STRING_LITERAL("\"id_ref\""))) reference.id = value;
        if (string_equal(key, STRING_LITERAL("\"scope\""))) reference.scope = value;
        if (string_equal(key, STRING_LITERAL("\"pid_ref\""))) reference.pid = value;
    }
    if (reference.id.size == 0) return;
    r->left--;
    json_object_begin(r->w);
    put_value_text(r->w, "id", reference.id, &r->scratch);
    put_value_text(r->w, "scope", reference.scope, &r->scratch);
    put_value_text(r->w, "pid", reference.pid, &r->scratch);
    put_mark(r->w, "snapshot", r->ctx, resolve(r->ctx->trace, &reference, r->process, r->tick, &r->scratch));
    json_object_end(r->w);
}

/* Returns the offset after the string at `at`. */
static size_t skip_string(StringView json, size_t at)
{
    assert(at < json.size && json.bytes[at] == '"');
    for (at++; at < json.size && json.bytes[at] != '"'; at++)
        at += json.bytes[at] == '\\';
    return at + 1;
}

/* Finds references in all objects of the text; nesting does not use the call stack. */
static void walk_references(References *r, StringView json)
{
    for (size_t at = 0; at < json.size && !r->open.failed;) {
        char c = json.bytes[at];
        if (c == '"') {
            at = skip_string(json, at);
            continue;
        }
        if (c == '{' || c == '[') bytes_append(&r->open, &at, sizeof at);
        if ((c == '}' || c == ']') && r->open.size > 0) {
            size_t begin;
            r->open.size -= sizeof begin;
            memcpy(&begin, r->open.data + r->open.size, sizeof begin);
            if (c == '}') put_reference(r, (StringView){ json.bytes + begin, at + 1 - begin });
        }
        at++;
    }
}

static void put_references(JsonWriter *w, const RequestContext *ctx, StringView args, uint32_t process,
                           int64_t tick)
{
    References r = { .ctx = ctx, .w = w, .process = process, .tick = tick, .left = MOST_REFS };
    json_put_array(w, "refs");
    walk_references(&r, args);
    json_array_end(w);
    bytes_release(&r.open);
    bytes_release(&r.scratch);
}

/* ---- contexts ---- */

static void put_contexts(JsonWriter *w, const RequestContext *ctx, uint32_t thread, int64_t tick)
{
    assert(thread <= ctx->trace->track_count);
    const Trace   *trace = ctx->trace;
    const Context *context;
    uint32_t       at = 0;
    json_put_array(w, "contexts");
    for (int left = MOST_CONTEXTS; left > 0 && (context = context_next(trace, thread, tick, &at)) != NULL;
         left--) {
        const Object *object =
            object_find(trace, trace->tracks[thread].process.index, context->scope, context->id);
        uint32_t life = object == NULL ? LIFE_NONE : object_life_at(trace, object, tick);
        json_object_begin(w);
        put_label(w, trace, context->label);
        put_text(w, "id", trace, context->id);
        put_time(w, "begin", trace, context->begin_tick);
        put_mark(w, "snapshot", ctx,
                 life == LIFE_NONE ? SNAPSHOT_NONE : object_snapshot_at(trace, life, tick));
        json_object_end(w);
    }
    json_array_end(w);
}

/* ---- memory dumps ---- */

static StringId dump_of(const Trace *trace, uint64_t instant)
{
    uint64_t offset;
    return trace_instant_source(trace, instant, &offset) ? dump_id_at(trace, offset) : STRING_NONE;
}

/* Writes the parts of the same dump, one for each process. */
static void write_parts(JsonWriter *w, const RequestContext *ctx, StringId id)
{
    const Trace *trace = ctx->trace;
    int          left = MOST_PARTS;
    json_array_begin(w);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        if (track->kind != TRACK_DUMPS) continue;
        const Row *row = &trace->rows[track->first_row]; /* the track has at least this row */
        for (uint64_t i = row_extras(row)->first_instant;
             i < row_extras(row)->first_instant + row_extras(row)->instant_count && left > 0; i++) {
            if (dump_of(trace, i).index != id.index) continue;
            left--;
            json_object_begin(w);
            put_process(w, "process", trace, track->process.index);
            put_mark(w, "mark", ctx, i);
            json_object_end(w);
        }
    }
    json_array_end(w);
}

static void put_dump(JsonWriter *w, const RequestContext *ctx, uint32_t track, uint64_t instant)
{
    const Trace *trace = ctx->trace;
    json_key(w, "dump");
    if (trace->tracks[track].kind != TRACK_DUMPS) {
        json_null(w);
        return;
    }
    StringId id = dump_of(trace, instant);
    json_object_begin(w);
    put_text(w, "id", trace, id);
    json_key(w, "parts");
    if (id.index == 0) {
        json_array_begin(w);
        json_array_end(w);
    } else {
        write_parts(w, ctx, id);
    }
    json_object_end(w);
}

/* ---- for slices and instants ---- */

void put_slice_objects(JsonWriter *w, const RequestContext *ctx, uint64_t slice, const Bytes *args)
{
    assert(trace_has_slice(ctx->trace, slice));
    const Trace *trace = ctx->trace;
    uint32_t     track = trace->rows[trace_slice_row(trace, slice)].track;
    int64_t      begin = trace_slice_begin(trace, slice);
    put_object(w, ctx, object_life_of_slice(trace, slice), SNAPSHOT_NONE);
    put_references(w, ctx, bytes_view(args), trace->tracks[track].process.index, begin);
    put_contexts(w, ctx, trace_slice_thread(trace, slice), begin);
}

void put_instant_objects(JsonWriter *w, const RequestContext *ctx, uint64_t instant, const Bytes *args)
{
    const Trace *trace = ctx->trace;
    uint32_t     track = trace->rows[trace_instant_row(trace, instant)].track;
    put_object(w, ctx, object_life_of_instant(trace, instant), instant);
    put_references(w, ctx, bytes_view(args), trace->tracks[track].process.index,
                   trace_instant_tick(trace, instant));
    put_dump(w, ctx, track, instant);
}
