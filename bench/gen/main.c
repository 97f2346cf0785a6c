/* varve-gen: writes large traces for benchmarks and tests.
 *
 * The same options give the same bytes on every machine. The trace goes to standard output or a
 * file, one line of JSON with its facts to standard error. */
#include "recorder.h"

#include "base/json_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 1, EXIT_OUTPUT = 4 }; /* as the varve command */

typedef struct GenOptions {
    ProgramOptions program;
    uint64_t       buffer_size;
    const char    *format_name;
    const char    *output_path; /* NULL = standard output */
} GenOptions;

typedef struct NumberOption {
    const char *name;
    uint64_t    low, high, initial;
    const char *help;
} NumberOption;

enum { EVENTS, THREADS, NAMES, DEPTH, SEED, X_PERCENT, ARGS_PERCENT, BUFFER, NUMBER_OPTION_COUNT };

static const NumberOption NUMBER_OPTIONS[NUMBER_OPTION_COUNT] = {
    [EVENTS] = { "--events", 0, UINT64_C(1) << 40, 100000, "calls, over all threads" },
    [THREADS] = { "--threads", 1, 1024, 8, "threads" },
    [NAMES] = { "--names", 1, 1000000, 3000, "distinct function names" },
    [DEPTH] = { "--depth", 1, 500, 20, "mean call depth; never exceeds twice as many" },
    [SEED] = { "--seed", 0, UINT64_MAX, 1, "seed of the random numbers" },
    [X_PERCENT] = { "--x-percent", 0, 100, 50, "json: functions recorded as one X event, in percent" },
    [ARGS_PERCENT] = { "--args-percent", 0, 100, 12, "functions that carry arguments, in percent" },
    [BUFFER] = { "--buffer", RECORDER_BUFFER_MIN, RECORDER_BUFFER_MAX, 65536,
                 "bytes of each thread's buffer" },
};

static void print_usage(FILE *out)
{
    fputs("usage: varve-gen [options] > FILE\n\n  --format NAME       one of:", out);
    for (size_t i = 0; record_format_at(i) != NULL; i++)
        fprintf(out, " %s", record_format_at(i)->name);
    fputs(" (json)\n  --output FILE       instead of standard output\n", out);
    for (size_t i = 0; i < NUMBER_OPTION_COUNT; i++) {
        const NumberOption *option = &NUMBER_OPTIONS[i];
        fprintf(out, "  %-14s N    %s (%llu)\n", option->name, option->help,
                (unsigned long long)option->initial);
    }
}

static bool parse_number(const NumberOption *option, const char *text, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (errno == 0 && end != text && *end == '\0' && *text != '-' && *value >= option->low &&
        *value <= option->high) {
        return true;
    }
    fprintf(stderr, "varve-gen: %s takes a number from %llu to %llu, not '%s'\n", option->name,
            (unsigned long long)option->low, (unsigned long long)option->high, text);
    return false;
}

static bool parse_option(const char *name, const char *value, GenOptions *options, uint64_t *numbers)
{
    if (strcmp(name, "--format") == 0) {
        options->format_name = value;
        return true;
    }
    if (strcmp(name, "--output") == 0) {
        options->output_path = value;
        return true;
    }
    for (size_t i = 0; i < NUMBER_OPTION_COUNT; i++) {
        if (strcmp(name, NUMBER_OPTIONS[i].name) == 0)
            return parse_number(&NUMBER_OPTIONS[i], value, &numbers[i]);
    }
    fprintf(stderr, "varve-gen: unknown option %s; --help lists them\n", name);
    return false;
}

static bool parse_options(int argc, char **argv, GenOptions *options)
{
    uint64_t numbers[NUMBER_OPTION_COUNT];
    for (size_t i = 0; i < NUMBER_OPTION_COUNT; i++)
        numbers[i] = NUMBER_OPTIONS[i].initial;
    *options = (GenOptions){ .format_name = "json" };
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) {
            fprintf(stderr, "varve-gen: %s wants a value; --help lists the options\n", argv[i]);
            return false;
        }
        if (!parse_option(argv[i], argv[i + 1], options, numbers)) return false;
    }
    options->buffer_size = numbers[BUFFER];
    options->program = (ProgramOptions){ .call_count = numbers[EVENTS],
                                         .seed = numbers[SEED],
                                         .thread_count = (uint32_t)numbers[THREADS],
                                         .function_count = (uint32_t)numbers[NAMES],
                                         .mean_depth = (uint32_t)numbers[DEPTH],
                                         .complete_percent = (uint32_t)numbers[X_PERCENT],
                                         .args_percent = (uint32_t)numbers[ARGS_PERCENT] };
    return true;
}

static void print_facts(const GenOptions *options, const ProgramFacts *program, const RecorderFacts *recorder)
{
    Bytes      text = { 0 };
    JsonWriter w = json_writer_to(&text, 0);
    json_object_begin(&w);
    json_put_string(&w, "format", options->format_name);
    json_put_u64(&w, "bytes", recorder->file_bytes);
    json_put_u64(&w, "calls", recorder->end_count + recorder->complete_count);
    json_put_u64(&w, "records",
                 recorder->begin_count + recorder->end_count + recorder->complete_count +
                     recorder->name_count);
    json_put_u64(&w, "B", recorder->begin_count);
    json_put_u64(&w, "E", recorder->end_count);
    json_put_u64(&w, "X", recorder->complete_count);
    json_put_u64(&w, "M", recorder->name_count);
    json_put_u64(&w, "threads", options->program.thread_count);
    json_put_u64(&w, "names_used", program->functions_called);
    json_put_u64(&w, "max_depth", program->max_depth);
    json_put_u64(&w, "first_ns", program->first_ns);
    json_put_u64(&w, "last_ns", program->last_ns);
    json_object_end(&w);
    bytes_append_text(&text, "\n");
    if (!text.failed) fwrite(text.data, 1, text.size, stderr);
    bytes_release(&text);
}

/* Exit status. */
static int generate(const GenOptions *options, const RecordFormat *format, FILE *file)
{
    Arena                 arena = arena_create(0);
    Recorder              recorder;
    ProgramFacts          facts;
    int                   status = EXIT_OUTPUT;
    const char           *wrong = "out of memory";
    const ProgramListener listener = { &recorder, recorder_on_begin, recorder_on_end };

    if (recorder_start(&recorder, format, file, options->program.thread_count, (size_t)options->buffer_size,
                       &arena) &&
        program_run(&options->program, &listener, &arena, &facts)) {
        wrong = recorder_finish(&recorder) ? NULL : "the output could not be written";
    }
    if (wrong == NULL) {
        print_facts(options, &facts, &recorder.facts);
        status = EXIT_SUCCESS;
    } else {
        fprintf(stderr, "varve-gen: %s\n", wrong);
    }
    arena_release(&arena);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return EXIT_SUCCESS;
    }
    GenOptions options;
    if (!parse_options(argc, argv, &options)) return EXIT_USAGE;
    const RecordFormat *format = record_format_find(options.format_name);
    if (format == NULL) {
        fprintf(stderr, "varve-gen: there is no format '%s'; --help lists them\n", options.format_name);
        return EXIT_USAGE;
    }

    FILE *file = options.output_path == NULL ? stdout : fopen(options.output_path, "wb");
    if (file == NULL) {
        fprintf(stderr, "varve-gen: %s: %s\n", options.output_path, strerror(errno));
        return EXIT_OUTPUT;
    }
    int status = generate(&options, format, file);
    if (file != stdout && fclose(file) != 0 && status == EXIT_SUCCESS) {
        fprintf(stderr, "varve-gen: %s: %s\n", options.output_path, strerror(errno));
        status = EXIT_OUTPUT;
    }
    return status;
}
