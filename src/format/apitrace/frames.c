/* Counts the calls of each frame. */
#include "base/hash.h"
#include "base/vec.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/stream.h"
#include "format/apitrace/text.h"
#include "format/apitrace/tools.h"

#include <assert.h>

/* A function that sets a state as a whole: a second call with the same arguments has no effect. The first `keys`
 * arguments select the state. Functions of a group set the same states. */
typedef struct Setter {
    const char *name;
    uint8_t     keys, group;
} Setter;

enum { GROUP_OWN, GROUP_ENABLE, GROUP_ENABLE_INDEXED, GROUP_CLIENT };

static const Setter SETTERS[] = {
    { "glActiveTexture", 0, GROUP_OWN },
    { "glBindBuffer", 1, GROUP_OWN },
    { "glBindFramebuffer", 1, GROUP_OWN },
    { "glBindProgramPipeline", 0, GROUP_OWN },
    { "glBindRenderbuffer", 1, GROUP_OWN },
    { "glBindSampler", 1, GROUP_OWN },
    { "glBindTextureUnit", 1, GROUP_OWN },
    { "glBindVertexArray", 0, GROUP_OWN },
    { "glBlendColor", 0, GROUP_OWN },
    { "glBlendEquation", 0, GROUP_OWN },
    { "glBlendFunc", 0, GROUP_OWN },
    { "glBlendFuncSeparate", 0, GROUP_OWN },
    { "glClearColor", 0, GROUP_OWN },
    { "glClearDepth", 0, GROUP_OWN },
    { "glClearStencil", 0, GROUP_OWN },
    { "glColorMask", 0, GROUP_OWN },
    { "glCullFace", 0, GROUP_OWN },
    { "glDepthFunc", 0, GROUP_OWN },
    { "glDepthMask", 0, GROUP_OWN },
    { "glDepthRange", 0, GROUP_OWN },
    { "glDisable", 1, GROUP_ENABLE },
    { "glDisableClientState", 1, GROUP_CLIENT },
    { "glDisablei", 2, GROUP_ENABLE_INDEXED },
    { "glEnable", 1, GROUP_ENABLE },
    { "glEnableClientState", 1, GROUP_CLIENT },
    { "glEnablei", 2, GROUP_ENABLE_INDEXED },
    { "glFrontFace", 0, GROUP_OWN },
    { "glHint", 1, GROUP_OWN },
    { "glLineWidth", 0, GROUP_OWN },
    { "glLogicOp", 0, GROUP_OWN },
    { "glMatrixMode", 0, GROUP_OWN },
    { "glPixelStorei", 1, GROUP_OWN },
    { "glPointSize", 0, GROUP_OWN },
    { "glPolygonMode", 1, GROUP_OWN },
    { "glPolygonOffset", 0, GROUP_OWN },
    { "glPrimitiveRestartIndex", 0, GROUP_OWN },
    { "glScissor", 0, GROUP_OWN },
    { "glShadeModel", 0, GROUP_OWN },
    { "glStencilFunc", 0, GROUP_OWN },
    { "glStencilMask", 0, GROUP_OWN },
    { "glStencilOp", 0, GROUP_OWN },
    { "glUseProgram", 0, GROUP_OWN },
    { "glViewport", 0, GROUP_OWN },
};
enum { SETTER_COUNT = sizeof SETTERS / sizeof SETTERS[0] };

typedef struct StateSlot {
    uint64_t key;   /* hash of thread, epoch, group or function, and the selecting arguments; 0 = free */
    uint64_t value; /* hash of function and all arguments */
} StateSlot;

/* direct mapped: a collision drops a state, so redundant calls are at worst not counted */
enum { STATE_SLOTS = 1 << 14 };

typedef struct Frames {
    const CallStream *stream;
    StateSlot        *states;
    /* by function id: 1 + index into SETTERS; 0 = not looked up, 255 = not a setter */
    uint8_t      *setters;
    uint64_t      epochs[64]; /* by thread: number of changes of the context, which replace all states */
    FrameFacts    frame;
    uint64_t      calls;
    FrameReceiver receive;
    void         *context;
    bool          stopped, failed;
} Frames;

static const Setter *find_setter(Frames *f, const FunctionSig *function)
{
    enum { NONE = 255 };
    static_assert((int)SETTER_COUNT < (int)NONE, "an index + 1 of a setter fits into a byte");
    assert(function->id < SIG_MOST);
    uint8_t *known = &f->setters[function->id];
    for (size_t i = 0; *known == 0 && i < SETTER_COUNT; i++) {
        StringView name = c_string_view(SETTERS[i].name);
        if (string_equal(name, function->name)) *known = (uint8_t)(i + 1);
    }
    if (*known == 0) *known = NONE;
    return *known == NONE ? NULL : &SETTERS[*known - 1];
}

/* True if the call sets its state to the current value. `writer` has the call's text, which holds its arguments. */
static bool sets_the_same(Frames *f, const Setter *setter, const CallEvents *call, TextWriter *writer)
{
    uint64_t epoch = f->epochs[call->thread % 64];
    uint64_t value = hash_bytes(writer->out->data, writer->out->size, 1);
    bytes_clear(writer->out);
    bytes_printf(writer->out, "%u %llu ", (unsigned)call->thread, (unsigned long long)epoch);
    if (setter->group == GROUP_OWN) {
        bytes_append_text(writer->out, setter->name);
    } else {
        bytes_printf(writer->out, "%u", (unsigned)setter->group);
    }
    for (uint32_t i = 0; i < setter->keys && i < writer->parts.arg_count; i++)
        text_append_argument(writer, i);
    uint64_t   key = hash_bytes(writer->out->data, writer->out->size, 2) | 1;
    StateSlot *slot = &f->states[key / 2 % STATE_SLOTS];
    bool       same = slot->key == key && slot->value == value;
    *slot = (StateSlot){ key, value };
    return same;
}

/* Returns the total size of the blobs in a value. */
static uint64_t blob_bytes(Grammar *g, ByteCursor *c, unsigned depth)
{
    uint64_t   sum = 0, count = 0;
    ByteCursor ahead = *c;
    uint8_t    tag = cursor_u8(&ahead);
    if (tag == VALUE_BLOB) sum = api_uint(g, &ahead);
    if (tag == VALUE_ARRAY) count = api_uint(g, &ahead);
    if (tag == VALUE_STRUCT) {
        const StructSig *sig = (const StructSig *)api_signature(g, &ahead, SPACE_STRUCT);
        count = sig == NULL ? 0 : sig->member_count;
    }
    if (tag == VALUE_REPR) count = 2;
    if (count == 0 || depth >= API_DEPTH_MOST) {
        api_skip_value(g, c, depth);
        return sum;
    }
    for (uint64_t i = 0; i < count && !api_failed(g, &ahead); i++)
        sum += blob_bytes(g, &ahead, depth + 1);
    *c = ahead;
    return sum;
}

static void count_call(Frames *f, const CallEvents *call, TextWriter *writer)
{
    const FunctionSig *function = call->function;
    FrameFacts        *frame = &f->frame;
    const Setter      *setter = find_setter(f, function);
    if (frame->calls++ == 0) frame->first_call = call->number;
    frame->families[function->family]++;
    if (call->incomplete) frame->incomplete++;
    if (!call_parts_of(writer->g, call, &writer->parts)) {
        f->failed = true;
        return;
    }
    for (uint32_t i = 0; i < writer->parts.arg_count; i++) {
        ByteCursor value = writer->parts.args[i];
        if (value.bytes != NULL) frame->upload_bytes += blob_bytes(writer->g, &value, 0);
    }
    if (setter != NULL && !call->fake) {
        bytes_clear(writer->out);
        text_append_signature(writer, call, 0);
        if (sets_the_same(f, setter, call, writer)) frame->redundant++;
    }
    if (function->family == FAMILY_CONTEXT) f->epochs[call->thread % 64]++;
}

static void end_frame(Frames *f, bool ended)
{
    f->frame.ended = ended;
    if (!f->stopped && !f->receive(f->context, &f->frame)) f->stopped = true;
    f->frame = (FrameFacts){ .frame = f->frame.frame + 1 };
}

static bool frames_header(void *context, const CallStream *stream, Err *err)
{
    (void)err;
    ((Frames *)context)->stream = stream;
    return true;
}

static size_t frames_begin(void *context, const CallBatch *batch)
{
    (void)context;
    return batch_count(batch) > 0;
}

static void frames_job(void *context, const CallBatch *batch, size_t i)
{
    Frames    *f = (Frames *)context;
    Grammar    grammar = call_stream_grammar(f->stream);
    TextStyle  style = { .color = false };
    Bytes      text = { NULL, 0, 0, false };
    TextWriter writer = { .g = &grammar, .style = &style, .out = &text };
    (void)i;
    for (size_t at = 0; at < batch_count(batch) && !f->stopped && !f->failed; at++) {
        const CallEvents *call = batch_call(batch, at);
        f->calls++;
        count_call(f, call, &writer);
        if (call->function->flags & CALL_END_FRAME) end_frame(f, true);
    }
    if (text.failed) f->failed = true;
    text_writer_release(&writer);
    bytes_release(&text);
}

static bool frames_end(void *context, const CallBatch *batch)
{
    (void)batch;
    return !((Frames *)context)->stopped && !((Frames *)context)->failed;
}

struct FrameCounter {
    Arena        arena; /* holds this struct */
    Frames       frames;
    CallStream   stream;
    CallConsumer consumer;
    CallRun     *run;
    Input       *input;    /* owned; NULL = it could not be opened */
    VEC(FrameFacts) facts; /* for frame_counter_open */
    bool ended;
};

static bool counter_begin(FrameCounter *counter, unsigned threads, Err *err)
{
    bool found;
    counter->frames.states = ARENA_ARRAY(&counter->arena, StateSlot, STATE_SLOTS);
    counter->frames.setters = ARENA_ARRAY(&counter->arena, uint8_t, SIG_MOST);
    counter->consumer =
        (CallConsumer){ frames_header, NULL, frames_begin, frames_job, frames_end, &counter->frames };
    if (counter->frames.states == NULL || counter->frames.setters == NULL)
        return err_set(err, ERR_MEMORY, "out of memory");
    if (!input_begin_part(counter->input, NULL, &found, err)) return false;
    counter->run =
        call_run_create(&counter->stream, &counter->arena, counter->input, threads, &counter->consumer);
    return counter->run != NULL || err_set(err, ERR_MEMORY, "out of memory");
}

static FrameCounter *counter_create(Err *err)
{
    Arena         arena = arena_create(0);
    FrameCounter *counter = ARENA_NEW(&arena, FrameCounter);
    if (counter == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory");
        arena_release(&arena);
        return NULL;
    }
    counter->arena = arena;
    return counter;
}

bool frame_counter_step(FrameCounter *counter, bool *more, Err *err)
{
    Frames *frames = &counter->frames;
    *more = false;
    if (counter->ended) return true;
    counter->ended = true;
    if (!call_run_step(counter->run, more, err)) return false;
    if (frames->failed) return err_set(err, ERR_MEMORY, "out of memory");
    if (!*more && frames->frame.calls > 0) end_frame(frames, false);
    counter->ended = !*more;
    return true;
}

void frame_counter_close(FrameCounter *counter)
{
    if (counter == NULL) return;
    call_run_release(counter->run);
    call_stream_release(&counter->stream);
    input_close(counter->input);
    vec_release(&counter->facts);
    Arena arena = counter->arena; /* a copy, because the arena holds the counter itself */
    arena_release(&arena);
}

bool apitrace_frames(const char *path, unsigned threads, FrameReceiver receive, void *context,
                     ToolResult *result, Err *err)
{
    FrameCounter *counter = counter_create(err);
    bool          more = true, done;
    if (counter == NULL) return false;
    counter->frames.receive = receive;
    counter->frames.context = context;
    counter->input = input_open_file(&counter->arena, path, NULL, err);
    done = counter->input != NULL && counter_begin(counter, threads, err);
    while (done && more)
        done = frame_counter_step(counter, &more, err);
    *result = (ToolResult){ counter->stream.complete || counter->frames.stopped, counter->stream.why,
                            counter->frames.calls };
    frame_counter_close(counter);
    return done;
}

/* -- loaded captures -- */

static bool keep_facts(void *context, const FrameFacts *facts)
{
    FrameCounter *counter = (FrameCounter *)context;
    vec_push(&counter->facts, *facts);
    if (counter->facts.bytes.failed) counter->frames.failed = true;
    return true;
}

FrameCounter *frame_counter_open(const Loaded *loaded, unsigned threads, Err *err)
{
    FrameCounter *counter = counter_create(err);
    if (counter == NULL) return NULL;
    counter->frames.receive = keep_facts;
    counter->frames.context = counter;
    counter->input = input_open_loaded(&counter->arena, loaded, err);
    if (counter->input != NULL && counter_begin(counter, threads, err)) return counter;
    frame_counter_close(counter);
    return NULL;
}

const FrameFacts *frame_counter_facts(const FrameCounter *counter, uint64_t *count)
{
    *count = vec_count(&counter->facts);
    return counter->facts.items;
}

uint64_t frame_counter_calls(const FrameCounter *counter)
{
    return counter->frames.calls;
}
