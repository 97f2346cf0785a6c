#include "format/apitrace/dump.h"

#include "format/apitrace/call_flags.h"
#include "format/apitrace/call_set.h"
#include "format/apitrace/stream.h"
#include "format/apitrace/text.h"

enum { CALLS_A_JOB = 2048, LATE_CALLS = 100 };

typedef enum { UNDECIDED, WANTED, NOT_WANTED } Decision;

typedef struct Dump {
    const TextRequest *request;
    const CallStream  *stream;
    TextStyle          style;
    CallSet            calls;
    bool               has_calls, has_grep;
    bool               past_last; /* no wanted call can follow the calls read so far */
    bool               is_final;  /* no wanted call can follow the current batch */
    Bytes              decisions; /* Decision[] by function id, for grep */
    Bytes             *texts;     /* of the jobs, in order, in `arena` */
    Bytes             *written;   /* texts of the batch before, being written */
    size_t             text_count, text_capacity, written_count, written_capacity;
    Arena             *arena;
    bool               failed, stopped;
    Err                err;
} Dump;

/* -- selection of calls -- */

static bool grep_wants(Dump *dump, const FunctionSig *function)
{
    size_t wanted = ((size_t)function->id + 1) * sizeof(uint8_t);
    if (dump->decisions.size < wanted) {
        size_t more = wanted - dump->decisions.size;
        void  *room = bytes_reserve(&dump->decisions, more);
        if (room == NULL) return false;
        memset(room, UNDECIDED, more);
        bytes_grow(&dump->decisions, more);
    }
    uint8_t *decision = &dump->decisions.data[function->id];
    if (*decision == UNDECIDED) {
        Bytes name = { 0 };
        bytes_append(&name, function->name.bytes, function->name.size);
        const char *text = bytes_text(&name);
        bool        matches = text != NULL && dump->request->matches(dump->request->context, text);
        *decision = matches ? WANTED : NOT_WANTED;
        bytes_release(&name);
    }
    return *decision == WANTED;
}

static bool wants(void *context, const CallEvents *call)
{
    Dump *dump = (Dump *)context;
    if (dump->past_last) return false;
    if ((call->function->flags & CALL_VERBOSE) && !dump->style.verbose) return false;
    if (dump->has_grep && !grep_wants(dump, call->function)) return false;
    if (!dump->has_calls) return true;
    if (call->number > dump->calls.last && call->number - dump->calls.last > LATE_CALLS)
        dump->past_last = true;
    return call_set_holds(&dump->calls, call->number, call->function->flags);
}

/* -- jobs: the first one writes the texts of the last batch, the others print calls -- */

static bool reserve_texts(Dump *dump, size_t count)
{
    if (count <= dump->text_capacity) return true;
    Bytes *texts = ARENA_ARRAY(dump->arena, Bytes, count * 2);
    if (texts == NULL) return false;
    if (dump->text_capacity > 0) memcpy(texts, dump->texts, dump->text_capacity * sizeof *texts);
    dump->texts = texts;
    dump->text_capacity = count * 2;
    return true;
}

static void swap_texts(Dump *dump)
{
    Bytes *texts = dump->written;
    size_t capacity = dump->written_capacity;
    dump->written = dump->texts;
    dump->written_capacity = dump->text_capacity;
    dump->written_count = dump->text_count;
    dump->texts = texts;
    dump->text_capacity = capacity;
    dump->text_count = 0;
}

static void write_texts(Dump *dump)
{
    for (size_t i = 0; i < dump->written_count && !dump->stopped; i++) {
        if (!dump->request->write(dump->request->context, &dump->written[i])) dump->stopped = true;
    }
    dump->written_count = 0;
}

static size_t begin(void *context, const CallBatch *batch)
{
    Dump  *dump = (Dump *)context;
    size_t count = (batch_count(batch) + CALLS_A_JOB - 1) / CALLS_A_JOB;
    swap_texts(dump);
    dump->is_final = dump->past_last;
    if (!reserve_texts(dump, count)) {
        dump->failed = !err_set(&dump->err, ERR_MEMORY, "out of memory");
        return 1;
    }
    dump->text_count = count;
    return 1 + count;
}

static void job(void *context, const CallBatch *batch, size_t i)
{
    Dump *dump = (Dump *)context;
    if (i == 0) {
        write_texts(dump);
        return;
    }
    Grammar    grammar = call_stream_grammar(dump->stream);
    Bytes     *text = &dump->texts[i - 1];
    TextWriter writer = { .g = &grammar, .style = &dump->style, .out = text };
    size_t     first = (i - 1) * CALLS_A_JOB, end = first + CALLS_A_JOB;
    if (end > batch_count(batch)) end = batch_count(batch);
    bytes_clear(text);
    for (size_t at = first; at < end; at++) {
        if (text_append_call(&writer, batch_call(batch, at))) continue;
        text->failed = true; /* reported by `end` */
        break;
    }
    text_writer_release(&writer);
}

static bool end(void *context, const CallBatch *batch)
{
    Dump *dump = (Dump *)context;
    (void)batch;
    for (size_t i = 0; i < dump->text_count && !dump->failed; i++) {
        if (dump->texts[i].failed)
            dump->failed =
                !err_set(&dump->err, ERR_MEMORY,
                         "a call could not be printed: out of memory, or a blob cannot be written");
    }
    return !dump->failed && !dump->stopped && !dump->is_final;
}

static bool header(void *context, const CallStream *stream, Err *err)
{
    Dump *dump = (Dump *)context;
    dump->stream = stream;
    if (dump->has_grep) return true;
    Grammar    grammar = call_stream_grammar(stream);
    Bytes      text = { NULL, 0, 0, false };
    TextWriter writer = { .g = &grammar, .style = &dump->style, .out = &text };
    bool       done = text_append_properties(&writer, stream, dump->arena) && !text.failed;
    if (!done) {
        (void)err_set(err, ERR_MEMORY, "out of memory");
    } else if (text.size > 0 && !dump->request->write(dump->request->context, &text)) {
        dump->stopped = true;
    }
    bytes_release(&text);
    return done;
}

/* -- options -- */

static bool read_bool(const TextRequest *request, const char *name, bool usual, bool *value, Err *err)
{
    static const char *const TRUE_WORDS[] = { "", "yes", "1", "true" }, *const FALSE_WORDS[] = { "no", "0",
                                                                                                 "false" };
    const char *given = request->option(request->context, name);
    *value = usual;
    if (given == NULL) return true;
    for (size_t i = 0; i < sizeof TRUE_WORDS / sizeof TRUE_WORDS[0]; i++) {
        if (strcmp(given, TRUE_WORDS[i]) == 0) return *value = true;
    }
    for (size_t i = 0; i < sizeof FALSE_WORDS / sizeof FALSE_WORDS[0]; i++) {
        if (strcmp(given, FALSE_WORDS[i]) == 0) return !(*value = false);
    }
    return err_set(err, ERR_USAGE, "--%s must be yes or no, not '%s'", name, given);
}

static bool read_options(Dump *dump, Err *err)
{
    const TextRequest *request = dump->request;
    const char        *calls = request->option(request->context, "calls");
    bool               call_nos, arg_names, multiline;
    dump->has_grep = request->option(request->context, "grep") != NULL;
    dump->has_calls = calls != NULL;
    if (calls != NULL && !call_set_add(&dump->calls, calls, err)) return false;
    if (!read_bool(request, "call-nos", true, &call_nos, err) ||
        !read_bool(request, "arg-names", true, &arg_names, err) ||
        !read_bool(request, "multiline", true, &multiline, err))
        return false;
    dump->style = (TextStyle){ .color = request->color,
                               .no_call_numbers = !call_nos,
                               .no_arg_names = !arg_names,
                               .one_line = !multiline,
                               .thread_ids = request->option(request->context, "thread-ids") != NULL,
                               .verbose = request->option(request->context, "verbose") != NULL,
                               .blobs = request->option(request->context, "blobs") != NULL };
    return true;
}

bool apitrace_dump(Input *input, const TextRequest *request, TextResult *result, Err *err)
{
    Arena        arena = arena_create(0);
    Dump         dump = { .request = request, .arena = &arena };
    CallStream   stream = { .call_count = 0 };
    CallConsumer consumer = { header, wants, begin, job, end, &dump };
    bool         done =
        read_options(&dump, err) && call_stream_run(&stream, &arena, input, request->threads, &consumer, err);
    if (done && dump.failed) {
        *err = dump.err;
        done = false;
    }
    if (!dump.failed) {
        write_texts(&dump); /* the texts of the last but one batch, if it was stopped */
        swap_texts(&dump);
        write_texts(&dump);
    }
    *result = (TextResult){ stream.complete || stream.stopped, stream.why };
    for (size_t i = 0; i < dump.text_capacity; i++)
        bytes_release(&dump.texts[i]);
    for (size_t i = 0; i < dump.written_capacity; i++)
        bytes_release(&dump.written[i]);
    bytes_release(&dump.decisions);
    call_set_release(&dump.calls);
    call_stream_release(&stream);
    arena_release(&arena);
    return done;
}
