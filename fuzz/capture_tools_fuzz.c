/* trim, repack, diff and frames on any bytes, through files in a temporary folder, as the commands use them.
 *
 * Input: a byte that chooses the tool, a byte of options, then a capture; for diff two captures of half the size.
 * A capture that a tool wrote must be complete when it is read again. */
#include "fuzz.h"

#include "format/apitrace/tools.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Paths {
    char folder[40], a[64], b[64], out[64];
} Paths;

static void remove_paths(void);

/* Makes the folder at the first call: in memory where the system has a file system for that, because on a disk each execution
 * waits for the disk several times. */
static const Paths *paths(void)
{
    static Paths made;
    if (made.folder[0] != '\0') return &made;
    strcpy(made.folder, "/dev/shm/varve-fuzz-XXXXXX");
    if (mkdtemp(made.folder) == NULL) {
        strcpy(made.folder, "/tmp/varve-fuzz-XXXXXX");
        expect(mkdtemp(made.folder) != NULL, "no temporary folder");
    }
    snprintf(made.a, sizeof made.a, "%s/a", made.folder);
    snprintf(made.b, sizeof made.b, "%s/b", made.folder);
    snprintf(made.out, sizeof made.out, "%s/out", made.folder);
    atexit(remove_paths);
    return &made;
}

static void remove_paths(void)
{
    unlink(paths()->a);
    unlink(paths()->b);
    unlink(paths()->out);
    rmdir(paths()->folder);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    expect(file != NULL && fwrite(data, 1, size, file) == size, "the temporary file cannot be written");
    fclose(file);
}

static bool take_frame(void *context, const FrameFacts *facts)
{
    uint64_t *next = context;
    expect(facts->frame == (*next)++, "frames out of order");
    return *next < 4096;
}

static bool take_line(void *context, char mark, const Bytes *text)
{
    uint64_t *lines = context;
    (void)text;
    expect(mark == '-' || mark == '+' || mark == '@', "a line of a difference");
    return ++*lines < 4096;
}

/* Reads a capture that was written and counts its calls. */
static void check_output(const char *path, uint64_t calls)
{
    ToolResult result = { .complete = false };
    uint64_t   next = 0;
    Err        err;
    if (!apitrace_frames(path, 1, take_frame, &next, &result, &err)) return;
    expect(result.complete || next >= 4096, "a capture that was written is not complete");
    if (next < 4096) expect(result.calls == calls, "calls were lost in a copy");
}

static void trim(uint8_t options)
{
    CallSet                  calls = { .last = 0 };
    ToolResult               result = { .complete = false };
    TrimChoice               choice = { .has_thread = (options & 1) != 0, .thread = options >> 6 };
    Err                      err;
    static const char *const SETS[] = { "*", "0-9", "draw", "0-*/3", "1,3,5-", "frame" };
    if (options & 2) {
        if (!call_set_add(&calls, SETS[(options >> 2) % 6], &err)) return;
        *(options & 32 ? &choice.frames : &choice.calls) = &calls;
    }
    if (apitrace_trim(paths()->a, &choice, paths()->out, 1, &result, &err))
        check_output(paths()->out, result.calls);
    call_set_release(&calls);
}

static void repack(uint8_t options)
{
    static const CodecKind KINDS[] = { CODEC_SNAPPY, CODEC_GZIP, CODEC_ZSTD, CODEC_BROTLI };
    ToolResult             result = { .complete = false };
    Err                    err;
    (void)apitrace_repack(paths()->a, KINDS[options % 4], 1, paths()->out, 1, &result, &err);
}

static void diff(const uint8_t *data, size_t size, uint8_t how)
{
    DiffOptions options = { .no_addresses = (how & 1) != 0, .verbose = (how & 2) != 0, .threads = 1 };
    uint64_t    lines = 0, differing = 0;
    DiffSink    sink = { take_line, &lines };
    ToolResult  results[2] = { { .complete = true }, { .complete = true } };
    Err         err;
    write_file(paths()->b, data, size);
    (void)apitrace_diff(paths()->a, paths()->b, &options, &sink, &differing, results, &err);
}

static void frames(void)
{
    ToolResult result = { .complete = false };
    uint64_t   next = 0;
    Err        err;
    (void)apitrace_frames(paths()->a, 1, take_frame, &next, &result, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { TOOL_TRIM, TOOL_REPACK, TOOL_FRAMES, TOOL_DIFF, TOOL_COUNT };
    if (size < 2) return 0;
    const int     tool = data[0] % TOOL_COUNT;
    const uint8_t options = data[1];
    const size_t  first = tool == TOOL_DIFF ? (size - 2) / 2 : size - 2;
    write_file(paths()->a, data + 2, first);
    if (tool == TOOL_TRIM) trim(options);
    if (tool == TOOL_REPACK) repack(options);
    if (tool == TOOL_FRAMES) frames();
    if (tool == TOOL_DIFF) diff(data + 2 + first, size - 2 - first, options);
    return 0;
}
