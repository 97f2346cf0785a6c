/* Names and lines of functions, from executables: test/support/native is a program that records itself, compiled in
 * several ways; the environment has the paths. */
#include "base/file.h"
#include "format/load.h"
#include "format/symbols.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALLS = 200, FUNCTIONS = 4, PATH_BYTES = 4096 };

/* -- programs and their recordings -- */

/* Returns the executable of this name, or NULL: the other compiler may be missing. */
static const char *program(const char *name)
{
    char variable[64];
    snprintf(variable, sizeof variable, "NATIVE_%s", name);
    return getenv(variable);
}

static void record(const char *executable, int version, char trace[PATH_BYTES])
{
    char command[3 * PATH_BYTES];
    test_scratch_path("trace.spall", trace, PATH_BYTES);
    snprintf(command, sizeof command, "'%s' '%s' %d", executable, trace, version);
    CHECK_INT(system(command), 0);
}

static Loaded load(const char *trace, SymbolPolicy policy, const char *executable)
{
    LoadOptions options = { .threads = 1, .symbols = { policy, executable } };
    Loaded      loaded;
    Err         err;
    CHECK_DONE(load_file(trace, &options, &loaded, &err), err);
    CHECK_DONE(trace_check(loaded.trace, &err), err);
    CHECK_UINT(loaded.trace->slices.count, CALLS);
    return loaded;
}

static void read_file(const char *path, Bytes *out)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    bytes_clear(out);
    for (int c; (c = fgetc(file)) != EOF;) {
        uint8_t byte = (uint8_t)c;
        bytes_append(out, &byte, 1);
    }
    fclose(file);
    CHECK(!out->failed);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_UINT(fwrite(bytes, 1, size, file), size);
    CHECK_INT(fclose(file), 0);
}

/* Returns the line of the program's source that ends in "LINE " and this mark. */
static unsigned line_of(const char *mark)
{
    char  text[512], wanted[128];
    FILE *file = fopen(getenv("NATIVE_SOURCE"), "r");
    CHECK(file != NULL);
    snprintf(wanted, sizeof wanted, "// LINE %s\n", mark);
    unsigned line = 0;
    bool     found = false;
    while (!found && fgets(text, sizeof text, file) != NULL) {
        line++;
        found = strlen(text) >= strlen(wanted) && strcmp(text + strlen(text) - strlen(wanted), wanted) == 0;
    }
    fclose(file);
    CHECK(found);
    return line;
}

/* -- look-ups -- */

static uint64_t find_slice(const Trace *trace, const char *name)
{
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        if (strcmp(trace_label_name(trace, trace_slice_label(trace, i)).bytes, name) == 0) return i;
    }
    return UINT64_MAX;
}

/* Writes the first slice's "other" as text. */
static void details_of(const Loaded *loaded, const char *name, char *out, size_t size)
{
    EventDetails details = { 0 };
    Err          err;
    uint64_t     slice = find_slice(loaded->trace, name);
    CHECK(slice != UINT64_MAX);
    CHECK_DONE(load_slice_details(loaded, slice, &details, &err), err);
    snprintf(out, size, "%.*s", (int)details.other.size, (const char *)details.other.data);
    bytes_release(&details.args);
    bytes_release(&details.other);
}

static void check_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) print_message("# %s is not in %s\n", part, text);
    CHECK(strstr(text, part) != NULL);
}

static void check_has_line(const char *text, const char *key, const char *mark)
{
    char part[128];
    snprintf(part, sizeof part, "\"%s\":%u", key, line_of(mark));
    check_has(text, part);
}

static uint64_t warnings_of(const Trace *trace, const char *kind, const char **message)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        if (strcmp(trace->records.warnings[i].kind, kind) != 0) continue;
        if (message != NULL) *message = trace->records.warnings[i].first.message;
        return trace->records.warnings[i].count;
    }
    return 0;
}

static const char TEMPLATED[] = "int demo::twice<int>(int)", HASHED[] = "demo::work";

static void check_names(const Trace *trace)
{
    CHECK_UINT(trace->records.warning_count, 0);
    CHECK_UINT(trace->label_count, FUNCTIONS);
    CHECK(find_slice(trace, "outer") != UINT64_MAX && find_slice(trace, "inner") != UINT64_MAX);
    CHECK(find_slice(trace, TEMPLATED) != UINT64_MAX && find_slice(trace, HASHED) != UINT64_MAX);
}

/* Checks inner functions called by outer ones: the first "inner" of the file is called by the templated one. */
static void check_lines(const Loaded *loaded)
{
    char text[4096];
    details_of(loaded, "outer", text, sizeof text);
    check_has_line(text, "line", "outer");
    check_has(text, "native/program.c\",\"line\"");
    check_has(text, "\"file\":\"/");
    check_has(text, "\"caller_function\":\"main\"");
    check_has_line(text, "caller_line", "main calls outer");
    CHECK(strstr(text, "\"symbol\"") == NULL);
    details_of(loaded, TEMPLATED, text, sizeof text);
    check_has(text, "\"symbol\":\"_ZN4demo5twiceIiEET_S1_\"");
    check_has_line(text, "line", "templated");
    check_has(text, "\"caller_function\":\"outer\"");
}

/* -- the cases -- */

TEST(functions_have_names_and_lines_however_the_program_is_built)
{
    static const char *const BUILDS[] = { "PIE", "FIXED", "CLANG" };
    for (size_t i = 0; i < sizeof BUILDS / sizeof BUILDS[0]; i++) {
        if (program(BUILDS[i]) == NULL) continue;
        for (int version = 1; version <= 3; version++) {
            char trace[PATH_BYTES];
            print_message("# %s, version %d\n", BUILDS[i], version);
            record(program(BUILDS[i]), version, trace);
            Loaded loaded = load(trace, SYMBOLS_SEARCH, NULL);
            check_names(loaded.trace);
            check_lines(&loaded);
            loaded_release(&loaded);
        }
    }
}

TEST(a_call_is_found_in_the_line_that_makes_it)
{
    char trace[PATH_BYTES], text[4096];
    record(program("PIE"), 3, trace);
    Loaded   loaded = load(trace, SYMBOLS_SEARCH, NULL);
    uint64_t deepest = 0;
    Err      err;
    for (uint64_t i = 0; i < CALLS; i++) { /* the templated function's call of inner is the deepest */
        if (loaded.trace->rows[trace_slice_row(loaded.trace, i)].depth + 1 == loaded.trace->counts.max_depth)
            deepest = i;
    }
    EventDetails details = { 0 };
    CHECK_DONE(load_slice_details(&loaded, deepest, &details, &err), err);
    snprintf(text, sizeof text, "%.*s", (int)details.other.size, (const char *)details.other.data);
    check_has_line(text, "line", "inner");
    check_has(text, "\"caller_function\":\"int demo::twice<int>(int)\"");
    check_has_line(text, "caller_line", "templated calls inner");
    bytes_release(&details.other);
    loaded_release(&loaded);
}

TEST(without_debug_information_there_are_names_alone)
{
    char trace[PATH_BYTES], text[4096];
    record(program("NO_LINES"), 3, trace);
    Loaded loaded = load(trace, SYMBOLS_SEARCH, NULL);
    check_names(loaded.trace);
    details_of(&loaded, "outer", text, sizeof text);
    CHECK(strstr(text, "\"line\"") == NULL);
    check_has(text, "\"caller_function\":\"main\"");
    loaded_release(&loaded);
}

TEST(a_stripped_program_has_no_names)
{
    char        trace[PATH_BYTES];
    const char *message = NULL;
    record(program("STRIPPED"), 3, trace);
    Loaded loaded = load(trace, SYMBOLS_SEARCH, NULL);
    CHECK_UINT(loaded.trace->records.warning_count, 1);
    CHECK_UINT(warnings_of(loaded.trace, "no-symbols", &message), 1);
    check_has(message, "4 of 4 functions are shown by address: the executable has no symbol for them");
    CHECK(strncmp(trace_label_name(loaded.trace, 1).bytes, "0x", 2) == 0);
    loaded_release(&loaded);
    record(program("STRIPPED"), 2, trace);
    loaded = load(trace, SYMBOLS_SEARCH, NULL);
    CHECK_UINT(warnings_of(loaded.trace, "no-symbols", &message), 1);
    check_has(message, "spall_auto_init");
    loaded_release(&loaded);
}

TEST(what_a_stripped_program_exports_has_names)
{
    char        trace[PATH_BYTES];
    const char *message = NULL;
    record(program("EXPORTED"), 1, trace);
    Loaded loaded = load(trace, SYMBOLS_SEARCH, NULL);
    CHECK(find_slice(loaded.trace, "outer") != UINT64_MAX);
    CHECK(find_slice(loaded.trace, "inner") == UINT64_MAX); /* it is static */
    CHECK_UINT(loaded.trace->records.warning_count, 1);
    CHECK_UINT(warnings_of(loaded.trace, "no-symbols", &message), 1);
    check_has(message, "1 of 4 functions");
    loaded_release(&loaded);
}

TEST(another_executable_is_noticed)
{
    static const char *const OTHERS[] = { "PADDED", "FIXED" };
    char                     trace[PATH_BYTES];
    record(program("PIE"), 3, trace);
    Loaded loaded = load(trace, SYMBOLS_GIVEN, program("PADDED"));
    CHECK_UINT(loaded.trace->records.warning_count, 1);
    CHECK_UINT(warnings_of(loaded.trace, "executable-mismatch", NULL), 1);
    loaded_release(&loaded);
    for (size_t i = 0; i < 2; i++) { /* by the address of spall_auto_init only */
        record(program("PIE"), 2, trace);
        loaded = load(trace, SYMBOLS_GIVEN, program(OTHERS[i]));
        CHECK_UINT(loaded.trace->records.warning_count, 1);
        loaded_release(&loaded);
    }
}

/* Changes the path in the trace to one that does not exist. */
static void lose_path(const char *trace)
{
    Bytes bytes = { 0 };
    read_file(trace, &bytes);
    CHECK(bytes.size > 36 && bytes.data[34] == '/');
    memcpy(bytes.data + 35, "\x1F", 1);
    write_file(trace, bytes.data, bytes.size);
    bytes_release(&bytes);
}

TEST(the_executable_is_looked_for_beside_the_trace)
{
    char  trace[PATH_BYTES], beside[PATH_BYTES];
    Bytes bytes = { 0 };
    record(program("PIE"), 3, trace);
    lose_path(trace);
    Loaded loaded = load(trace, SYMBOLS_SEARCH, NULL);
    CHECK_UINT(loaded.trace->records.warning_count, 1);
    CHECK_UINT(warnings_of(loaded.trace, "no-symbols", NULL), 1);
    loaded_release(&loaded);
    test_scratch_path(strrchr(program("PIE"), '/') + 1, beside, sizeof beside);
    read_file(program("PIE"), &bytes);
    write_file(beside, bytes.data, bytes.size);
    loaded = load(trace, SYMBOLS_SEARCH, NULL);
    check_names(loaded.trace);
    const Property *last = &loaded.trace->records.properties[loaded.trace->records.property_count - 1];
    CHECK_STRING(trace_string(loaded.trace, last->key).bytes, "executable");
    check_has(last->json, beside);
    check_has(last->json, "\"functions\":4,\"named\":4");
    loaded_release(&loaded);
    CHECK_INT(remove(beside), 0);
    bytes_release(&bytes);
}

TEST(only_what_may_be_opened_is_opened)
{
    char        trace[PATH_BYTES], other[PATH_BYTES];
    const char *message = NULL;
    record(program("PIE"), 3, trace);
    Loaded loaded = load(trace, SYMBOLS_OFF, NULL);
    CHECK_UINT(warnings_of(loaded.trace, "no-symbols", &message), 1);
    check_has(message, "no executable was looked for");
    loaded_release(&loaded);
    loaded = load(trace, SYMBOLS_GIVEN, trace);
    CHECK_UINT(warnings_of(loaded.trace, "no-symbols", &message), 1);
    check_has(message, "is not an ELF executable");
    loaded_release(&loaded);
    test_scratch_path("pipe", other, sizeof other);
    CHECK_INT(mkfifo(other, 0600), 0); /* it has no writer: opening it must not wait */
    loaded = load(trace, SYMBOLS_GIVEN, other);
    CHECK_UINT(warnings_of(loaded.trace, "no-symbols", &message), 1);
    check_has(message, "is not a regular file");
    loaded_release(&loaded);
    CHECK_INT(remove(other), 0);
}

/* -- events in file order -- */

typedef struct Seen {
    unsigned begins, with_line;
} Seen;

static bool look(void *context, const ObservedRecord *seen_record)
{
    Seen        *seen = context;
    EventDetails details = { 0 };
    Err          err;
    if (seen_record->event->kind != OBSERVED_BEGIN) return true;
    CHECK_DONE(load_observed_details(seen_record, &details, &err), err);
    bytes_append(&details.other, "", 1);
    seen->begins++;
    seen->with_line += strstr((const char *)details.other.data, "\"line\":") != NULL;
    bytes_release(&details.args);
    bytes_release(&details.other);
    return true;
}

TEST(events_that_are_observed_have_lines)
{
    char         trace[PATH_BYTES];
    Seen         seen = { 0 };
    LoadObserver observer = { .event = look, .context = &seen };
    LoadOptions  options = { .symbols = { .policy = SYMBOLS_SEARCH } };
    Err          err;
    record(program("PIE"), 3, trace);
    CHECK_DONE(load_observe(trace, &options, &observer, &err), err);
    CHECK_UINT(seen.begins, CALLS);
    CHECK_UINT(seen.with_line, CALLS);
}

/* -- damage -- */

static void ask_everything(const char *executable)
{
    SymbolSource source = { SYMBOLS_GIVEN, executable };
    Err          err;
    Symbols     *symbols = symbols_search(&source, (StringView){ "", 0 }, NULL, &err);
    if (symbols == NULL) {
        CHECK(err.message[0] != '\0');
        return;
    }
    for (uint64_t address = 0; address < 0x6000; address += 0x31) {
        SymbolFunction function;
        SourceLine     line;
        Bytes          name = { 0 };
        if (symbols_function(symbols, address, &function)) symbols_append_name(symbols, function.name, &name);
        (void)symbols_line(symbols, address, &line);
        bytes_release(&name);
    }
    symbols_close(symbols);
}

TEST(a_damaged_executable_harms_nobody)
{
    char       damaged[PATH_BYTES];
    Bytes      whole = { 0 }, bytes = { 0 };
    TestRandom random = { 17 };
    test_scratch_path("damaged", damaged, sizeof damaged);
    read_file(program("PIE"), &whole);
    for (int turn = 0; turn < 300; turn++) {
        bytes_clear(&bytes);
        bytes_append(&bytes, whole.data, whole.size);
        for (int i = 0; i < 8; i++) { /* headers, any bytes, and the table of sections at the end */
            uint64_t within[] = { 1024, bytes.size, 2400 };
            uint64_t at = test_random_below(&random, within[i % 3]);
            if (i % 3 == 2) at = bytes.size - 1 - at;
            bytes.data[at] = (uint8_t)test_random(&random);
        }
        size_t size = turn % 4 != 0 ? bytes.size : (size_t)test_random_below(&random, bytes.size);
        memcpy(bytes.data, whole.data, turn % 2 == 0 ? 20 : 4);
        write_file(damaged, bytes.data, size);
        ask_everything(damaged);
    }
    CHECK_INT(remove(damaged), 0);
    bytes_release(&whole);
    bytes_release(&bytes);
}

TEST(names_that_would_explode_stay_as_they_are)
{
    SymbolSource source = { SYMBOLS_GIVEN, program("PIE") };
    Err          err;
    Symbols     *symbols = symbols_search(&source, (StringView){ "", 0 }, NULL, &err);
    Bytes        mangled = { 0 }, shown = { 0 };
    CHECK(symbols != NULL);
    /* each parameter is a pair of the previous one */
    bytes_append_text(&mangled, "_Z1fSt4pairIiiES_IS0_S0_E");
    for (unsigned level = 1; level < 30; level++)
        bytes_printf(&mangled, "S_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level],
                     "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level]);
    bytes_append(&mangled, "", 1);
    symbols_append_name(symbols, (const char *)mangled.data, &shown);
    CHECK_UINT(shown.size, mangled.size - 1);
    CHECK(memcmp(shown.data, mangled.data, shown.size) == 0);
    bytes_clear(&shown);
    symbols_append_name(symbols, "_ZSt4swapIiEvRT_S1_", &shown);
    CHECK_BYTES(shown.data, shown.size, "void std::swap<int>(int&, int&)");
    bytes_clear(&shown);
    symbols_append_name(symbols, "_RNvC7mycrate3foo", &shown);
    CHECK_BYTES(shown.data, shown.size, "mycrate::foo");
    bytes_clear(&shown);
    symbols_append_name(symbols, "_Znot_mangled", &shown);
    CHECK_BYTES(shown.data, shown.size, "_Znot_mangled");
    bytes_release(&shown);
    bytes_release(&mangled);
    symbols_close(symbols);
}

TEST(symbols_may_run_out_of_memory)
{
    char        trace[PATH_BYTES];
    LoadOptions options = { .threads = 1, .symbols = { .policy = SYMBOLS_SEARCH } };
    bool        done = false;
    record(program("PIE"), 3, trace);
    for (uint64_t n = 0; !done; n++) {
        Loaded loaded;
        Err    err;
        memory_fail_after(n);
        bool opened = load_file(trace, &options, &loaded, &err);
        memory_fail_after(UINT64_MAX);
        CHECK(n < 10000);
        if (!opened) {
            CHECK_INT(err.code, ERR_MEMORY);
            continue;
        }
        done = loaded.trace->records.warning_count == 0;
        loaded_release(&loaded);
    }
}

/* Writes a list of functions and opens it. */
static KernelSymbols *kernel_of(const char *list, Err *err)
{
    char path[PATH_BYTES];
    test_scratch_path("kallsyms", path, sizeof path);
    write_file(path, list, strlen(list));
    return kernel_symbols_open(path, err);
}

TEST(functions_of_a_kernel_are_found_by_address)
{
    static const struct {
        uint64_t    address;
        const char *name; /* NULL = none */
    } CASES[] = { { 0xffffffff80ffffff, NULL },
                  { 0xffffffff81000000, "_text" },
                  { 0xffffffff81000fff, "_text" },
                  { 0xffffffff81001000, "first" },
                  { 0xffffffff8100200f, "second.isra.0" },
                  { 0xffffffffc0000010, "of_module" } };
    Err            err;
    uint64_t       address = 0;
    KernelSymbols *kernel = kernel_of("ffffffff81002000 t second.isra.0\n"
                                      "ffffffff81000000 T _text\n"
                                      "ffffffff81000000 T _stext\n"
                                      "ffffffff81001000 T first\n"
                                      "ffffffff81001800 D data\n"
                                      "no line\n"
                                      "12345678901234567 t too_long\n"
                                      "ffffffffc0000000 t of_module\t[module]\n",
                                      &err);
    CHECK(kernel != NULL);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        StringView name;
        const bool found = kernel_symbols_find(kernel, CASES[i].address, &name);
        CHECK(found == (CASES[i].name != NULL));
        CHECK(!found || string_equal(name, c_string_view(CASES[i].name)));
    }
    CHECK(kernel_symbols_address(kernel, "first", &address));
    CHECK_UINT(address, 0xffffffff81001000);
    CHECK(!kernel_symbols_address(kernel, "data", &address));
    kernel_symbols_close(kernel);
}

TEST(a_kernel_that_keeps_its_addresses_is_refused)
{
    Err err;
    CHECK(kernel_of("0000000000000000 T _text\n0000000000000000 T first\n", &err) == NULL);
    CHECK_INT(err.code, ERR_IO);
    CHECK(kernel_symbols_open("/nowhere", &err) == NULL);
    CHECK_INT(err.code, ERR_IO);
}

TEST_MAIN("symbols", TEST_CASE(functions_have_names_and_lines_however_the_program_is_built),
          TEST_CASE(a_call_is_found_in_the_line_that_makes_it),
          TEST_CASE(without_debug_information_there_are_names_alone),
          TEST_CASE(a_stripped_program_has_no_names), TEST_CASE(what_a_stripped_program_exports_has_names),
          TEST_CASE(another_executable_is_noticed), TEST_CASE(the_executable_is_looked_for_beside_the_trace),
          TEST_CASE(only_what_may_be_opened_is_opened), TEST_CASE(events_that_are_observed_have_lines),
          TEST_CASE(a_damaged_executable_harms_nobody), TEST_CASE(names_that_would_explode_stay_as_they_are),
          TEST_CASE(symbols_may_run_out_of_memory), TEST_CASE(functions_of_a_kernel_are_found_by_address),
          TEST_CASE(a_kernel_that_keeps_its_addresses_is_refused))
