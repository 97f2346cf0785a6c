/* Valid files of every format, damaged in ten thousand ways: no crash, no hang, no broken invariant, and all events
 * before the first damaged byte are present with equal values.
 *
 * The fixtures of each format that load completely are damaged. The damage is the same on every machine: a round is
 * identified by a fixture and a number, which VARVE_MUTATION=1 in the environment prints before it runs.
 * VARVE_MUTATION_ROUNDS requests more of them. */
#define _GNU_SOURCE /* memmem */
#include "format/load.h"
#include "support/golden.h"
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 10000, MOST_BYTES = 24 << 10, MOST_SUBJECTS = 512 };

/* ---- the events ---- */

/* An event as its reader passed it. */
typedef struct Seen {
    uint64_t     offset, end; /* of its record; end: begin of the next one, or end of the input */
    uint64_t     hash;        /* of all its values */
    ObservedKind kind;
} Seen;

typedef struct SeenList {
    Bytes bytes; /* Seen[], in the order of the calls */
} SeenList;

static size_t seen_count(const SeenList *list)
{
    return list->bytes.size / sizeof(Seen);
}

static Seen *seen_at(const SeenList *list, size_t i)
{
    return (Seen *)(void *)list->bytes.data + i;
}

static uint64_t fold_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) /* FNV-1a */
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return (hash ^ size) * UINT64_C(0x100000001b3);
}

static uint64_t fold_text(uint64_t hash, const Trace *so_far, StringId id)
{
    StringView text = trace_string(so_far, id);
    return fold_bytes(hash, text.bytes, text.size);
}

static uint64_t fold_ident(uint64_t hash, const Trace *so_far, Ident ident)
{
    hash = fold_bytes(hash, &ident.kind, sizeof ident.kind);
    if (ident.kind != IDENT_TEXT) return fold_bytes(hash, &ident.bits, sizeof ident.bits);
    return fold_text(hash, so_far, (StringId){ (uint32_t)ident.bits });
}

static bool see(void *context, const ObservedRecord *record)
{
    SeenList            *list = (SeenList *)context;
    const ObservedEvent *event = record->event;
    Trace                so_far;
    EventDetails         details = { .args = { NULL, 0, 0, false } };
    Err                  ignored;
    builder_view(record->builder, &so_far);
    uint64_t hash = fold_bytes(UINT64_C(0xcbf29ce484222325), &event->kind, sizeof event->kind);
    hash = fold_bytes(hash, &event->has_tick, sizeof event->has_tick);
    hash = fold_bytes(hash, &event->tick, sizeof event->tick);
    hash = fold_bytes(hash, &event->end_tick, sizeof event->end_tick);
    if (event->label.index != 0) {
        hash = fold_text(hash, &so_far, so_far.labels[event->label.index].name);
        hash = fold_text(hash, &so_far, so_far.labels[event->label.index].category);
    }
    if (event->thread.index != 0) {
        ObservedIds ids = observed_ids(record->builder, event->thread);
        hash = fold_ident(fold_ident(hash, &so_far, ids.pid), &so_far, ids.tid);
    }
    if (load_observed_details(record, &details, &ignored)) {
        hash = fold_bytes(hash, details.args.data, details.args.size);
        hash = fold_bytes(hash, details.other.data, details.other.size);
    }
    bytes_release(&details.args);
    bytes_release(&details.other);
    Seen seen = { .offset = event->pos.offset, .hash = hash, .kind = event->kind };
    bytes_append(&list->bytes, &seen, sizeof seen);
    return !list->bytes.failed;
}

static void look_at_details(const Loaded *loaded)
{
    const Trace *trace = loaded->trace;
    uint64_t     step = 1 + trace->slices.count / 8;
    for (uint64_t i = 0; i < trace->slices.count; i += step) {
        EventDetails details = { .args = { NULL, 0, 0, false } };
        Err          ignored;
        (void)!load_slice_details(loaded, i, &details, &ignored);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
}

/* ---- fixtures ---- */

typedef struct Subject {
    char     name[512]; /* relative to test/data */
    Bytes    bytes;
    SeenList seen;
    bool     is_text;
    uint64_t
        recognised_after; /* the layout is recognised by this number of bytes: damage to them may change it */
} Subject;

typedef struct Subjects {
    Subject subject[MOST_SUBJECTS];
    size_t  count;
} Subjects;

static int by_place(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sets the end of each event: at most the begin of the next one, or of a later one if the reader needs the begin of the
 * following events to find the end. Events inside one record (FormatReader.lead) end with it. */
static void find_ends(SeenList *list, const FormatReader *reader, const Trace *trace, uint64_t size,
                      size_t following)
{
    size_t    count = seen_count(list);
    uint64_t *offsets = (uint64_t *)calloc(count + 1, sizeof *offsets);
    CHECK(offsets != NULL);
    for (size_t i = 0; i < count; i++)
        offsets[i] =
            reader->lead == NULL ? seen_at(list, i)->offset : reader->lead(trace, seen_at(list, i)->offset);
    offsets[count] = size;
    qsort(offsets, count + 1, sizeof *offsets, by_place);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < count && offsets[at] <= seen_at(list, i)->offset)
            at++;
        seen_at(list, i)->end = offsets[at + following < count ? at + following : count];
    }
    free(offsets);
}

/* True for Trace Event JSON with a value that contains events: a list of samples, or ftrace's text. Such a value is
 * read as a whole, so damage after an event in it may change or hide the event. */
static bool has_events_in_values(const Bytes *bytes)
{
    static const char *const KEYS[] = { "\"samples\"", "\"systemTraceEvents\"", "\"powerTraceAsString\"" };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++)
        if (memmem(bytes->data, bytes->size, KEYS[i], strlen(KEYS[i])) != NULL) return true;
    return false;
}

/* True for .spall before version 1 and Heph before its version 0.1.0, whose layout is not in the file and is found by
 * trying. */
static bool layout_is_guessed(const Trace *trace)
{
    return strcmp(trace->source.format_version, "0") == 0 ||
           strncmp(trace->source.format_version, "before", 6) == 0;
}

/* Adds the file if it is a complete trace of this format. */
static void add_subject(Subjects *subjects, const FormatReader *reader, const char *name)
{
    LoadOptions options = { .format_name = reader->name, .threads = 1 };
    Subject     subject = { .is_text = strcmp(reader->name, "trace-event") == 0 };
    Loaded      loaded;
    Err         err = { 0 };
    (void)snprintf(subject.name, sizeof subject.name, "%s", name);
    fixture_read(name, &subject.bytes);
    bool is_whole = subject.bytes.size <= MOST_BYTES && subjects->count < MOST_SUBJECTS &&
                    load_bytes(subject.bytes.data, subject.bytes.size, name, &options, &loaded, &err);
    if (!is_whole || !loaded.trace->source.complete) {
        if (is_whole) loaded_release(&loaded);
        bytes_release(&subject.bytes);
        return;
    }
    LoadObserver observer = { .event = see, .context = &subject.seen };
    CHECK_DONE(load_observe_again(&loaded, &observer, &err), err);
    enum { ENOUGH_TO_RECOGNISE = 1024 };
    if (layout_is_guessed(loaded.trace)) subject.recognised_after = ENOUGH_TO_RECOGNISE;
    if (!loaded.is_plain)
        subject.recognised_after = UINT64_MAX; /* positions in compressed data are not positions of events */
    /* names, stacks and the length of a tick are after a Go trace's events, and later records may reorder them */
    if (strcmp(loaded.trace->source.format_name, "go") == 0) subject.recognised_after = UINT64_MAX;
    if (strcmp(loaded.trace->source.format_name, "cpuprofile") == 0)
        subject.recognised_after = UINT64_MAX; /* the content and time of a sample are in other lists */
    if (strcmp(loaded.trace->source.format_name, "speedscope") == 0)
        subject.recognised_after = UINT64_MAX; /* so are its frames and its unit */
    if (strcmp(loaded.trace->source.format_name, "firefox") == 0)
        subject.recognised_after = UINT64_MAX; /* so are the stacks and times of its samples */
    if (strcmp(loaded.trace->source.format_name, "perf-data") == 0)
        subject.recognised_after = UINT64_MAX; /* the names and fields of its events are behind them */
    if (strcmp(loaded.trace->source.format_name, "pprof") == 0)
        subject.recognised_after = UINT64_MAX; /* the names of a sample are in later messages */
    if (strcmp(loaded.trace->source.format_name, "folded") == 0)
        subject.recognised_after = UINT64_MAX; /* the first KiB decides on the columns of all lines */
    if (has_events_in_values(&subject.bytes)) subject.recognised_after = UINT64_MAX;
    /* a damaged line of perf script may look like a frame of the event before it */
    const bool ends_at_next = strcmp(loaded.trace->source.format_name, "perf") == 0;
    find_ends(&subject.seen, reader, loaded.trace, subject.bytes.size, ends_at_next ? 1 : 0);
    loaded_release(&loaded);
    subjects->subject[subjects->count++] = subject;
}

static int is_fixture(const struct dirent *entry)
{
    const char *point = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && point != NULL && strcmp(point, ".txt") != 0 &&
           strcmp(point, ".md") != 0;
}

static void add_folder(Subjects *subjects, const FormatReader *reader, const char *folder)
{
    char            path[4096], name[512];
    struct dirent **entries;
    fixture_path(folder, path, sizeof path);
    int count = scandir(path, &entries, is_fixture, alphasort);
    for (int i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "%s/%s", folder, entries[i]->d_name);
        add_subject(subjects, reader, name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static Subjects *subjects_of(const FormatReader *reader)
{
    Subjects *subjects = (Subjects *)calloc(1, sizeof *subjects);
    char      folder[64], path[96];
    CHECK(subjects != NULL);
    (void)snprintf(folder, sizeof folder, "%s", reader->name);
    for (char *at = folder; *at != '\0'; at++)
        if (*at == '-') *at = '_';
    add_folder(subjects, reader, folder);
    (void)snprintf(path, sizeof path, "%s/producers", folder);
    add_folder(subjects, reader, path);
    (void)snprintf(path, sizeof path, "../../fuzz/corpus/%s", folder);
    if (subjects->count == 0) add_folder(subjects, reader, path);
    return subjects;
}

static void subjects_release(Subjects *subjects)
{
    for (size_t i = 0; i < subjects->count; i++) {
        bytes_release(&subjects->subject[i].bytes);
        bytes_release(&subjects->subject[i].seen.bytes);
    }
    free(subjects);
}

/* ---- damage ---- */

typedef struct Range {
    size_t begin, end;
} Range;

/* Replaces a range; the first changed byte is in it or after it. */
static void replace(Bytes *out, const Bytes *in, Range range, const void *by, size_t by_size)
{
    bytes_append(out, in->data, range.begin);
    bytes_append(out, by, by_size);
    bytes_append(out, in->data + range.end, in->size - range.end);
}

/* Returns some bytes, usually few. */
static Range any_range(TestRandom *random, size_t size)
{
    static const size_t LENGTHS[] = { 1, 2, 4, 8, 16, 64, 512, 4096 };
    Range               range;
    range.begin = test_random_size(random, size);
    range.end = range.begin + 1 + test_random_size(random, LENGTHS[test_random_below(random, 8)]);
    if (range.end > size) range.end = size;
    return range;
}

/* Returns a token of JSON near any place: a bracket, a comma, a colon, a string with its quotes, a number, a word. */
static Range any_token(TestRandom *random, const Bytes *in)
{
    static const char SINGLE[] = "{}[],:";
    size_t            begin = test_random_size(random, in->size), end;
    if (test_random_below(random, 2) == 0) { /* a whole string: from quote to quote */
        while (begin > 0 && in->data[begin] != '"')
            begin--;
    }
    end = begin + 1;
    if (in->data[begin] == '"') {
        while (end < in->size && in->data[end] != '"')
            end++;
        if (end < in->size) end++;
    } else if (strchr(SINGLE, in->data[begin]) == NULL) {
        while (begin > 0 && strchr(" \n\"{}[],:", in->data[begin - 1]) == NULL)
            begin--;
        while (end < in->size && strchr(" \n\"{}[],:", in->data[end]) == NULL)
            end++;
    }
    return (Range){ begin, end };
}

static const char *const TOKENS[] = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "{}",
    "[]",
    "[[",
    "}}",
    "]]",
    "\"\"",
    "null",
    "true",
    "NaN",
    "-Infinity",
    "0",
    "-1",
    "1e999",
    "-1e-999",
    "9223372036854775807",
    "18446744073709551616",
    "0.0000000000001",
    "1e18",
    ".",
    "-",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\xff\"",
    "/*",
    "//",
    "\n",
    "\"ph\":\"X\"",
    "\"ph\":\"E\"",
    "\"ts\":null",
    "\"pid\":{}",
    "\"id\":[1]",
    "\"args\":[]",
    "\"traceEvents\":[",
    "\"cat\":[\"a\",1]",
    "\"id2\":{}",
};

static Range damage_token(TestRandom *random, const Bytes *in, Bytes *out)
{
    Range       token = any_token(random, in), other = any_token(random, in);
    const char *text = TOKENS[test_random_below(random, sizeof TOKENS / sizeof TOKENS[0])];
    switch (test_random_below(random, 5)) {
    case 0:
        replace(out, in, token, "", 0);
        break;
    case 1: /* repeat it */
        replace(out, in, (Range){ token.end, token.end }, in->data + token.begin, token.end - token.begin);
        token.begin = token.end;
        break;
    case 2: /* replace it by another token */
        replace(out, in, token, in->data + other.begin, other.end - other.begin);
        break;
    case 3:
        replace(out, in, token, text, strlen(text));
        break;
    default:
        replace(out, in, (Range){ token.begin, token.begin }, text, strlen(text));
        break;
    }
    return token;
}

static Range damage_bytes(TestRandom *random, const Bytes *in, Bytes *out)
{
    Range   range = any_range(random, in->size), other = any_range(random, in->size);
    uint8_t noise[16], byte = (uint8_t)(in->data[range.begin] ^ 1 << test_random_below(random, 8));
    test_random_fill(random, noise, sizeof noise);
    switch (test_random_below(random, 8)) {
    case 0: /* truncate */
        range.end = in->size;
        replace(out, in, range, "", 0);
        break;
    case 1:
        replace(out, in, range, "", 0);
        break;
    case 2: /* repeat it */
        replace(out, in, (Range){ range.end, range.end }, in->data + range.begin, range.end - range.begin);
        range.begin = range.end;
        break;
    case 3: /* replace it by another part */
        replace(out, in, range, in->data + other.begin, other.end - other.begin);
        break;
    case 4: /* insert random bytes */
        replace(out, in, (Range){ range.begin, range.begin }, noise,
                1 + test_random_size(random, sizeof noise));
        break;
    case 5: /* all zeros or all ones, as damaged disks have them */
        bytes_append(out, in->data, in->size);
        memset(out->data + range.begin, noise[0] & 1 ? 0xff : 0, range.end - range.begin);
        break;
    case 6:
        replace(out, in, (Range){ range.begin, range.begin + 1 }, noise, 1);
        break;
    default: /* flip a bit */
        replace(out, in, (Range){ range.begin, range.begin + 1 }, &byte, 1);
        break;
    }
    return range;
}

/* Returns the first byte that differs. */
static size_t first_difference(const Bytes *a, const Bytes *b)
{
    size_t at = 0;
    while (at < a->size && at < b->size && a->data[at] == b->data[at])
        at++;
    return at;
}

/* ---- the rule ---- */

/* Counts the events that must be in the trace: their ends are before the damage. */
typedef struct Expected {
    uint64_t slices, instants;
} Expected;

static Expected check_same_before(const SeenList *whole, const SeenList *damaged, uint64_t fault)
{
    Expected expected = { 0, 0 };
    size_t   at = 0, count = seen_count(damaged);
    for (size_t i = 0; i < seen_count(whole); i++) {
        const Seen *event = seen_at(whole, i);
        if (event->end > fault || event->offset == event->end) continue; /* the latter: by the input's end */
        while (at < count && seen_at(damaged, at)->offset != event->offset)
            at++;
        CHECK(at < count); /* an event before the damage is missing */
        CHECK(seen_at(damaged, at)->hash == event->hash);
        at++;
        expected.slices += event->kind == OBSERVED_BEGIN || event->kind == OBSERVED_COMPLETE;
        expected.instants += event->kind == OBSERVED_INSTANT;
    }
    return expected;
}

static void run_round(const FormatReader *reader, const Subject *subject, TestRandom *random)
{
    Bytes bytes = { NULL, 0, 0, false };
    bool  tokens = subject->is_text && test_random_below(random, 2) == 0;
    (void)(tokens ? damage_token(random, &subject->bytes, &bytes)
                  : damage_bytes(random, &subject->bytes, &bytes));
    CHECK(!bytes.failed);
    uint64_t     fault = first_difference(&subject->bytes, &bytes);
    LoadOptions  options = { .format_name = reader->name, .threads = 1 };
    Loaded       loaded;
    SeenList     seen = { .bytes = { NULL, 0, 0, false } };
    Err          err = { 0 };
    LoadObserver observer = { .event = see, .context = &seen };
    if (!load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err)) {
        CHECK(err.code != ERR_NONE && err.code != ERR_MEMORY && err.message[0] != '\0');
    } else {
        CHECK_DONE(trace_check(loaded.trace, &err), err);
        look_at_details(&loaded);
        CHECK_DONE(load_observe_again(&loaded, &observer, &err), err);
    }
    /* A .spall whose layout is found from its records may have a refused one. */
    if (err.code != ERR_VERSION && fault >= subject->recognised_after) {
        Expected expected = check_same_before(&subject->seen, &seen, fault);
        CHECK(err.code != ERR_NONE || loaded.trace->slices.count >= expected.slices);
        CHECK(err.code != ERR_NONE || loaded.trace->instants.count >= expected.instants);
    }
    if (err.code == ERR_NONE) loaded_release(&loaded);
    bytes_release(&seen.bytes);
    bytes_release(&bytes);
}

static void survives(void **state)
{
    const FormatReader *reader = (const FormatReader *)*state;
    Subjects           *subjects = subjects_of(reader);
    bool                loud = getenv("VARVE_MUTATION") != NULL;
    const char         *more = getenv("VARVE_MUTATION_ROUNDS");
    uint64_t            rounds = more != NULL ? strtoull(more, NULL, 10) : ROUNDS;
    size_t              formats = 0;
    while (format_at(formats) != NULL)
        formats++;
    CHECK(subjects->count > 0);
    for (uint64_t round = 0; round < rounds / formats + 1; round++) {
        const Subject *subject = &subjects->subject[round % subjects->count];
        TestRandom     random = { round * 0x10001 + subject->bytes.size };
        if (subject->bytes.size == 0) continue;
        if (loud) print_message("# %s round %llu\n", subject->name, (unsigned long long)round);
        run_round(reader, subject, &random);
    }
    print_message("# %s: %zu subjects\n", reader->name, subjects->count);
    subjects_release(subjects);
}

int main(void)
{
    static struct CMUnitTest cases[32];
    static char              names[32][64];
    size_t                   count = 0;
    const FormatReader      *reader;
    for (size_t i = 0; (reader = format_at(i)) != NULL && count < 32; i++) {
        if (reader->unpack != NULL) continue; /* fuzz/varve_file_fuzz.c changes such files */
        (void)snprintf(names[count], sizeof names[count], "%s survives damage", reader->name);
        cases[count] =
            (struct CMUnitTest){ names[count], survives, NULL, test_case_end, (void *)(uintptr_t)reader };
        count++;
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("mutation", cases, count, NULL, NULL);
}
