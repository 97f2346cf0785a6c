#include "format/load.h"

#include "base/self_trace.h"
#include "format/load_input.h"
#include "format/load_part.h"
#include "format/text.h"

#include <string.h>

static const LoadOptions DEFAULTS = { .format_name = NULL };

static void settle_counted(Trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->perspectives.count; i++)
        if (strcmp(trace->perspectives.names[i], name) == 0) trace->perspectives.counted = (uint8_t)(1U << i);
}

/* Returns false, with ERR_USAGE, if the format has perspectives but not the requested one. */
static bool check_perspective(const Trace *trace, const char *name, Err *err)
{
    Bytes names = { 0 };
    if (trace->perspectives.count == 0 || trace->perspectives.made != 0) return true;
    for (uint32_t i = 0; i < trace->perspectives.count; i++)
        bytes_printf(&names, "%s%s", i == 0 ? "" : ", ", trace->perspectives.names[i]);
    (void)err_set(err, ERR_USAGE, "unknown perspective '%.60s': expected one of %.*s, all", name,
                  (int)names.size, names.size == 0 ? "" : (const char *)names.data);
    bytes_release(&names);
    return false;
}

/* True if at least an eighth of the memory limit is left for work on the trace. */
static bool leaves_memory(Err *err)
{
    return memory_left() >= memory_limit() / 8 ||
           err_set(err, ERR_MEMORY, "the trace leaves no memory for work on it");
}

/* Returns the size of the source. */
static uint64_t source_bytes(const Input *input)
{
    return input_raw_size(input) != 0 ? input_raw_size(input) : input_raw_read(input);
}

/* Reads the input with the chosen reader, and makes the trace. */
static bool make_trace(Load *load, Loaded *loaded, Err *err)
{
    Input *input = load->input;
    if (load->options->store == STORE_KEPT) input_keep(input, &load->buffer);
    if (!load_read(load, err)) return false;
    bytes_release(&load->buffer);
    reading_end(&load->reading); /* frees the reader's memory before builder_finish */
    loaded->trace =
        builder_finish(load->reading.builder, load->options->threads, load->options->progress, err);
    if (loaded->trace == NULL || !leaves_memory(err)) return false;
    if (!check_perspective(loaded->trace, load->options->perspective, err)) return false;
    settle_counted(loaded->trace, load->reader->counted_perspective);
    loaded->reader = load->reader;
    loaded->codec = input_codec(input);
    loaded->is_plain = input_part_is_plain(input);
    loaded->part_count = vec_count(&load->parts);
    loaded->parts = vec_copy(&load->parts, &loaded->arena);
    if (loaded->parts == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    loaded->bytes = source_bytes(input);
    loaded->store = input_take_store(input, &loaded->store_fault);
    load->input = NULL;
    return true;
}

/* ---- containers ---- */

/* Opens the file at load->input. */
static bool open_container(Load *load, Arena *arena, ContainerWant want, Container *container, Err *err)
{
    const UnpackRequest request = { .want = want, .path = load->context.path };
    TraceMapping        bytes;
    return input_take_bytes(load->input, &load->buffer, &bytes, err) &&
           load->reader->unpack(arena, bytes, &request, container, err);
}

/* Returns the input in a container. */
static Input *open_contained(const Container *container, Arena *arena, Err *err)
{
    Loaded *loaded = ARENA_NEW(arena, Loaded);
    if (loaded == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    loaded->store = container->store;
    loaded->store_fault = container->store_fault;
    loaded->parts = container->parts;
    loaded->part_count = container->part_count;
    return input_open_loaded(arena, loaded, err);
}

/* Returns the options for the input in a container. */
static LoadOptions contained_options(const Load *outer, const Container *container)
{
    LoadOptions options = *outer->options;
    options.format_name = container->reader == NULL ? NULL : container->reader->name;
    return options;
}

/* Makes the trace of the input in a container. */
static bool read_contained(const Load *outer, const Container *container, Loaded *loaded, Err *err)
{
    LoadOptions options = contained_options(outer, container);
    options.store = STORE_UNUSED;
    Load       load = { .options = &options,
                        .context = outer->context,
                        .memory = outer->memory,
                        .part_names = &loaded->arena,
                        .container = container,
                        .input = open_contained(container, &loaded->arena, err) };
    const bool done =
        load.input != NULL && load_choose_reader(&load, err) &&
        (load.reader->unpack == NULL || err_set(err, ERR_CORRUPT, "a .varve file in a .varve file")) &&
        make_trace(&load, loaded, err);
    load_close(&load);
    return done;
}

/* Loads the trace of a container, or of the input in it. */
static bool load_container(Load *load, Loaded *loaded, Err *err)
{
    Container           container;
    const ContainerWant want = load->options->most_bytes == 0 ? CONTAINER_TRACE : CONTAINER_INPUT;
    if (!open_container(load, &loaded->arena, want, &container, err)) return false;
    if (container.trace != NULL) {
        loaded->trace = container.trace;
        loaded->reader = container.reader;
        loaded->parts = container.parts;
        loaded->part_count = container.part_count;
    } else if (!read_contained(load, &container, loaded, err)) {
        container_release(&container);
        return false;
    }
    loaded->from = container.from;
    loaded->store = container.store;
    loaded->store_fault = container.store_fault;
    loaded->codec = input_codec(load->input);
    loaded->is_plain = false;
    loaded->bytes = source_bytes(load->input);
    return true;
}

/* An input to load, and the plan for it. */
typedef struct Attempt {
    const char        *name;
    NameMeaning        meaning;
    const LoadOptions *options; /* NULL = the defaults */
    MemoryPlan         memory;
    uint64_t           reached; /* of the attempt before: the offset up to which the reader used the input */
} Attempt;

/* Loads a trace from `input`; NULL: opening it has failed. Takes ownership of `input`, also on failure; a failure also releases
 * loaded->arena. */
static bool load_input(Attempt *attempt, Input *input, Loaded *loaded, Err *err)
{
    SELF_SLICE("load");
    Load load = { .options = attempt->options == NULL ? &DEFAULTS : attempt->options,
                  .input = input,
                  .memory = attempt->memory };
    bool done = input != NULL;
    if (done && !load_name_input(loaded, attempt->name, attempt->meaning, load.options))
        done = err_set(err, ERR_MEMORY, "out of memory");
    load.part_names = &loaded->arena;
    load.context = loaded->context;
    done =
        done && load_choose_reader(&load, err) &&
        (load.reader->unpack != NULL ? load_container(&load, loaded, err) : make_trace(&load, loaded, err)) &&
        load_choose_part(loaded, load.options->tracks, err);
    attempt->reached = load.reading.offset;
    load_close(&load);
    if (done) {
        progress_phase(load.options->progress, PROGRESS_DONE, 0);
        return true;
    }
    loaded_release(loaded);
    return false;
}

/* Returns the plan for an input that can be read only once: half of the room is left for the trace. */
static MemoryPlan plan_once(void)
{
    return (MemoryPlan){ .left_part = 1 };
}

/* Returns the plan for an input that can be read again: a quarter of the room is left for the trace. */
static MemoryPlan plan_first(void)
{
    return (MemoryPlan){ .left_part = 3 };
}

/* Sets the plan for another attempt, after memory was exhausted: half of the input that was read, or the
 * least blocks if the blocks that threads decode ahead took all memory. Returns false if another attempt would not help. */
static bool plan_next(Attempt *attempt, const Err *err)
{
    MemoryPlan    *plan = &attempt->memory;
    const uint64_t reached = attempt->reached;
    const bool     is_first = plan->most_input == 0;
    const uint64_t most = is_first && reached < 2 * LEAST_BLOCK_BYTES ? 4 * LEAST_BLOCK_BYTES : reached / 2;
    if (err->code != ERR_MEMORY || memory_limit() == 0 || most < LEAST_BLOCK_BYTES) return false;
    if (!is_first && most >= plan->most_input) return false;
    plan->most_input = most;
    return true;
}

bool load_file(const char *path, const LoadOptions *options, Loaded *loaded, Err *err)
{
    const bool is_sequential = strcmp(path, "-") == 0 || load_is_address(path);
    Progress  *progress = options == NULL ? NULL : options->progress;
    Attempt    attempt = { path, NAME_OF_FILE, options, is_sequential ? plan_once() : plan_first(), 0 };
    do {
        *loaded = (Loaded){ .trace = NULL };
        if (load_input(&attempt, input_open_file(&loaded->arena, path, progress, err), loaded, err))
            return true;
    } while (!is_sequential && plan_next(&attempt, err));
    return false;
}

bool load_bytes(const void *bytes, size_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err)
{
    Attempt attempt = { name, NAME_ONLY, options, plan_first(), 0 };
    do {
        *loaded = (Loaded){ .trace = NULL };
        if (load_input(&attempt, input_open_bytes(&loaded->arena, bytes, size, err), loaded, err))
            return true;
    } while (plan_next(&attempt, err));
    return false;
}

bool load_store(InputStore store, uint64_t size, const char *name, const LoadOptions *options, Loaded *loaded,
                Err *err)
{
    Attempt attempt = { name, NAME_ONLY, options, plan_once(), 0 };
    *loaded = (Loaded){ .trace = NULL };
    return load_input(&attempt, input_open_store(&loaded->arena, store, size, NULL, 0, err), loaded, err);
}

bool load_parts(InputStore store, const InputPart *parts, size_t count, const char *name,
                const LoadOptions *options, Loaded *loaded, Err *err)
{
    Attempt  attempt = { name, NAME_ONLY, options, plan_once(), 0 };
    uint64_t size = 0;
    *loaded = (Loaded){ .trace = NULL };
    for (size_t i = 0; i < count; i++)
        size += parts[i].size;
    return load_input(&attempt, input_open_store(&loaded->arena, store, size, parts, count, err), loaded,
                      err);
}

void container_release(Container *container)
{
    trace_release(container->trace);
    if (container->store.close != NULL) container->store.close(container->store.context);
    *container = (Container){ .trace = NULL };
}

void loaded_release(Loaded *loaded)
{
    trace_release(loaded->trace);
    if (loaded->store.close != NULL) loaded->store.close(loaded->store.context);
    arena_release(&loaded->arena);
    *loaded = (Loaded){ .trace = NULL };
}

/* ---- events in file order ---- */

/* Writes the format's text form of the input. */
static bool print_text(Load *load, Err *err)
{
    const LoadObserver *observer = load->observer;
    TextResult          result = { .complete = true };
    input_give_back(load->input, &load->buffer);
    if (!load->reader->text(load->input, observer->text, &result, err)) return false;
    observer->text_end(observer->context, &result);
    return true;
}

static bool observe_input(Input *input, const LoadOptions *options, const ReadContext *context,
                          const LoadObserver *observer, const Container *container, Err *err);

/* Reads the events of the input in a container. */
static bool observe_contained(Load *load, Err *err)
{
    Arena     arena = arena_create(0);
    Container container;
    bool      done = open_container(load, &arena, CONTAINER_INPUT, &container, err);
    if (done) {
        const LoadOptions options = contained_options(load, &container);
        done = observe_input(open_contained(&container, &arena, err), &options, &load->context,
                             load->observer, &container, err);
        container_release(&container);
    }
    arena_release(&arena);
    return done;
}

/* As load_observe. Takes ownership of `input`, also on failure. */
static bool observe_input(Input *input, const LoadOptions *options, const ReadContext *context,
                          const LoadObserver *observer, const Container *container, Err *err)
{
    if (input == NULL) return false;
    Load load = { .options = options,
                  .context = *context,
                  .input = input,
                  .observer = observer,
                  .container = container,
                  .memory = plan_first() };
    bool done = load_choose_reader(&load, err);
    if (done && load.reader->unpack != NULL) {
        done = container == NULL ? observe_contained(&load, err)
                                 : err_set(err, ERR_CORRUPT, "a .varve file in a .varve file");
        load_close(&load);
        return done;
    }
    bool is_text = done && observer->text != NULL && load.reader->text != NULL;
    if (done) done = is_text ? print_text(&load, err) : load_read(&load, err);
    if (done && !is_text && observer->end != NULL) {
        Trace so_far;
        builder_view(load.reading.builder, &so_far);
        observer->end(observer->context, &so_far);
    }
    load_close(&load);
    return done;
}

bool load_observe(const char *path, const LoadOptions *options, const LoadObserver *observer, Err *err)
{
    Arena       arena = arena_create(0);
    ReadContext context = { .path = strcmp(path, "-") == 0 || load_is_address(path) ? NULL : path };
    if (options == NULL) options = &DEFAULTS;
    context.symbols = options->symbols;
    context.widths = options->widths;
    context.range = options->range;
    bool done = observe_input(input_open_file(&arena, path, options->progress, err), options, &context,
                              observer, NULL, err);
    arena_release(&arena);
    return done;
}

bool load_observe_again(const Loaded *loaded, const LoadObserver *observer, Err *err)
{
    Arena       arena = arena_create(0);
    LoadOptions options = { .format_name = loaded->reader->name };
    Input      *input = input_open_loaded(&arena, loaded, err);
    bool        done = observe_input(input, &options, &loaded->context, observer, NULL, err);
    arena_release(&arena);
    return done;
}

bool load_observed_details(const ObservedRecord *record, EventDetails *details, Err *err)
{
    if (!(record->event->flags & EVENT_DETAILS)) return true;
    Trace      so_far;
    EventBytes none = { .bytes = NULL };
    builder_view(record->builder, &so_far);
    return record->reader->details(&so_far, &record->bytes, &none, details, err);
}
