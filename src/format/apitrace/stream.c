#include "format/apitrace/stream.h"

#include "format/apitrace/pending.h"
#include "format/blocks.h"

#include <assert.h>

struct CallRun {
    CallStream         *stream;
    const CallConsumer *consumer;
    Blocks             *blocks;
    Grammar             grammar;
    PendingCalls        pending;
    CallBatch           batches[2]; /* one is filled while the jobs use the other */
    unsigned            filling;
    size_t              used;      /* bytes of the current block */
    bool                is_handed; /* the consumer uses the other batch until its jobs are done */
    bool                has_header, no_memory;
};

static bool add_call(CallBatch *batch, const CallEvents *call)
{
    vec_push(&batch->events, *call);
    return !batch->events.bytes.failed;
}

static bool is_wanted(const CallRun *run, const CallEvents *call)
{
    return run->consumer->wants == NULL || run->consumer->wants(run->consumer->context, call);
}

static void take_leave(CallRun *run, const ApiEvent *event, StreamBytes leave)
{
    CallBatch         *batch = &run->batches[run->filling];
    const PendingCall *pending = pending_take(&run->pending, event->call);
    if (pending == NULL) return; /* a return of an unknown call */
    CallEvents call = pending->events;
    call.leave = leave;
    call.fake = call.fake || event->fake;
    if (pending->copy != NULL) vec_push(&batch->copies, pending->copy);
    if (batch->copies.bytes.failed || (is_wanted(run, &call) && !add_call(batch, &call)))
        run->no_memory = true;
}

static void take_event(CallRun *run, const ByteCursor *c, const ApiEvent *event)
{
    size_t      at = (size_t)(event->details - c->origin);
    StreamBytes bytes = { c->bytes + at, c->at - at, event->details };
    if (event->kind == EVENT_LEAVE) {
        take_leave(run, event, bytes);
    } else if (event->kind == EVENT_ENTER) {
        PendingCall *call = pending_add(&run->pending);
        if (call == NULL) {
            run->no_memory = true;
            return;
        }
        *call = (PendingCall){ .events = { .function = event->function,
                                           .number = run->stream->call_count++,
                                           .thread = event->thread,
                                           .fake = event->fake,
                                           .enter = bytes } };
    }
}

/* Drops the call whose return is cut by the end of the stream, like apitrace. */
static void drop_cut_return(CallRun *run, const uint8_t *bytes, size_t size)
{
    ByteCursor c = cursor_over(bytes, size, 0);
    if (cursor_u8(&c) != EVENT_LEAVE) return;
    uint64_t           number = cursor_uleb(&c);
    const PendingCall *call = c.failed ? NULL : pending_take(&run->pending, number);
    if (call != NULL) pending_free_copy(call->copy);
}

static void note_end(CallRun *run, const Block *block, size_t left)
{
    assert(run->used + left == block->size);
    CallStream *stream = run->stream;
    uint64_t    at = block->offset + run->used;
    stream->complete = false;
    if (run->grammar.fault != NULL) {
        err_set_at(&stream->why, ERR_CORRUPT, run->grammar.fault_offset, ERR_NOWHERE,
                   "%s: nothing behind it can be read", run->grammar.fault);
    } else if (block->failed) {
        stream->why = block->err;
        if (stream->why.code == ERR_MEMORY) run->no_memory = true;
    } else if (left > 0) {
        err_set_at(&stream->why, ERR_TRUNCATED, at, ERR_NOWHERE,
                   "the last event is cut short after %zu bytes", left);
    } else {
        stream->complete = true;
    }
}

static bool scan_header(CallRun *run, ByteCursor *c)
{
    CallStream *stream = run->stream;
    if (!api_header(&run->grammar, c, &stream->header)) return false;
    size_t at = (size_t)(stream->header.properties - c->origin);
    bytes_append(&stream->properties, c->bytes + at, c->at - at);
    if (stream->properties.failed) run->no_memory = true;
    run->has_header = true;
    return true;
}

/* Reads the events of the current block. Pending calls get copies of their bytes. */
static void scan(CallRun *run)
{
    const Block *block = blocks_current(run->blocks);
    const size_t size = block->size;
    ByteCursor   c = cursor_over(block->bytes, size, block->offset);
    ApiEvent     event;
    run->used = 0;
    if (!run->has_header && size > 0 && scan_header(run, &c)) run->used = c.at;
    while (run->has_header && run->used < size && !run->no_memory && api_event(&run->grammar, &c, &event)) {
        take_event(run, &c, &event);
        run->used = c.at;
    }
    assert(run->used <= size);
    if (run->grammar.out_of_memory) run->no_memory = true;
    if (block->is_last || run->grammar.fault != NULL) {
        note_end(run, block, size - run->used);
        if (run->grammar.fault == NULL && run->used < size)
            drop_cut_return(run, block->bytes + run->used, size - run->used);
    }
    if (!pending_keep(&run->pending)) run->no_memory = true;
}

/* -- the steps -- */

static void run_job(void *context, size_t i)
{
    CallRun *run = (CallRun *)context;
    assert(run->is_handed);
    run->consumer->job(run->consumer->context, &run->batches[1 - run->filling], i);
}

static void clear_batch(CallBatch *batch)
{
    for (size_t i = 0; i < vec_count(&batch->copies); i++)
        pending_free_copy(batch->copies.items[i]);
    vec_clear(&batch->copies);
    vec_clear(&batch->events);
}

/* Passes the filled batch to the consumer. Its jobs run in parallel until end_batch. */
static void hand_over(CallRun *run)
{
    assert(!run->is_handed);
    const CallConsumer *consumer = run->consumer;
    const CallBatch    *batch = &run->batches[run->filling];
    run->filling = 1 - run->filling;
    clear_batch(&run->batches[run->filling]);
    run->is_handed = true;
    size_t jobs =
        consumer->begin == NULL ? batch_count(batch) > 0 : consumer->begin(consumer->context, batch);
    blocks_post(run->blocks, &(BlockJobs){ jobs, run_job, run });
}

static void end_batch(CallRun *run)
{
    const CallConsumer *consumer = run->consumer;
    blocks_join(run->blocks);
    if (run->is_handed && consumer->end != NULL &&
        !consumer->end(consumer->context, &run->batches[1 - run->filling]))
        run->stream->stopped = true;
    run->is_handed = false;
}

static bool check(const CallRun *run, Err *err)
{
    if (run->no_memory) return err_set(err, ERR_MEMORY, "out of memory");
    if (run->has_header || run->grammar.fault == NULL) return true;
    const Block *block = blocks_current(run->blocks);
    return api_header_refuse(&run->grammar, block->bytes, block->size, err);
}

/* Adds the calls that never return. */
static bool add_rest(CallRun *run)
{
    for (size_t i = 0; run->grammar.fault == NULL && i < run->pending.count; i++) {
        PendingCall *call = &run->pending.items[i];
        call->events.incomplete = true;
        if (!call->has_left && is_wanted(run, &call->events) &&
            !add_call(&run->batches[run->filling], &call->events))
            return false;
    }
    return true;
}

static bool finish(CallRun *run, Err *err)
{
    assert(blocks_current(run->blocks)->is_last || run->grammar.fault != NULL);
    if (!run->has_header)
        return err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "the header of an apitrace capture is not there");
    end_batch(run);
    if (run->stream->stopped) return true;
    if (!add_rest(run)) return err_set(err, ERR_MEMORY, "out of memory");
    hand_over(run);
    end_batch(run);
    return true;
}

/* Reads the current block in parallel to the jobs of the block before it. */
static bool step(CallRun *run, Err *err)
{
    const CallConsumer *consumer = run->consumer;
    bool                had_header = run->has_header;
    scan(run);
    if (!check(run, err)) return false;
    end_batch(run);
    if (!had_header && run->has_header && consumer->header != NULL &&
        !consumer->header(consumer->context, run->stream, err))
        return false;
    if (!run->stream->stopped) hand_over(run);
    return true;
}

CallRun *call_run_create(CallStream *stream, Arena *arena, Input *input, unsigned threads,
                         const CallConsumer *consumer)
{
    CallRun *run = ARENA_NEW(arena, CallRun);
    *stream = (CallStream){ .sigs = { .arena = arena } };
    if (run == NULL) return NULL;
    run->blocks = blocks_create(arena, input, threads, NULL, NULL);
    if (run->blocks == NULL) return NULL;
    run->stream = stream;
    run->consumer = consumer;
    run->grammar.sigs = &stream->sigs;
    run->pending.arena = arena;
    return run;
}

bool call_run_step(CallRun *run, bool *more, Err *err)
{
    enum { STEP_BYTES = 8 << 20 };
    const CallStream *stream = run->stream;
    const uint64_t    begin = blocks_current(run->blocks)->offset;
    *more = true;
    while (*more && blocks_current(run->blocks)->offset - begin < STEP_BYTES) {
        /* doubles for a large record, to limit the number of attempts */
        const size_t least = run->used == 0 ? blocks_current(run->blocks)->size * 2 : 0;
        if (!blocks_next(run->blocks, run->used, least, err) || !step(run, err)) return false;
        *more = !blocks_current(run->blocks)->is_last && run->grammar.fault == NULL && !stream->stopped;
    }
    blocks_join(run->blocks); /* so that no job uses the consumer's data until the next step */
    return *more || stream->stopped || finish(run, err);
}

void call_run_release(CallRun *run)
{
    if (run == NULL) return;
    blocks_release(run->blocks); /* waits for the jobs, which use the batches */
    pending_free_copies(&run->pending);
    for (unsigned i = 0; i < 2; i++) {
        clear_batch(&run->batches[i]);
        vec_release(&run->batches[i].events);
        vec_release(&run->batches[i].copies);
    }
}

bool call_stream_run(CallStream *stream, Arena *arena, Input *input, unsigned threads,
                     const CallConsumer *consumer, Err *err)
{
    CallRun *run = call_run_create(stream, arena, input, threads, consumer);
    bool     more = true, done = run != NULL || err_set(err, ERR_MEMORY, "out of memory");
    while (done && more)
        done = call_run_step(run, &more, err);
    call_run_release(run);
    return done;
}

void call_stream_release(CallStream *stream)
{
    bytes_release(&stream->properties);
}

Grammar call_stream_grammar(const CallStream *stream)
{
    return (Grammar){ .sigs = (Signatures *)(uintptr_t)&stream->sigs,
                      .version = stream->header.version,
                      .rule = DEFINE_NONE };
}
