/* Captures with known text, counts and details. */
#include "format/apitrace_support.h"

#include "base/file.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/call_set.h"
#include "format/apitrace/capture.h"
#include "format/text.h"

#include <stdio.h>
#include <string.h>

/* -- facts: counted by apitrace, or by the generator of the synthetic ones -- */

typedef struct Fact {
    const char *name;
    CodecKind   codec;
    const char *version;
    uint64_t    stream_bytes, calls, incomplete, threads, frames;
    bool        complete;
} Fact;

static const Fact FACTS[] = {
    { "backtrace", CODEC_SNAPPY, "6", 121141, 170, 0, 2, 3, true },
    { "crash", CODEC_SNAPPY, "6", 117560, 176, 3, 4, 4, true },
    { "es2gears_brotli", CODEC_BROTLI, "6", 239464, 2242, 0, 1, 61, true },
    { "large/gears", CODEC_SNAPPY, "6", 390002, 12965, 1, 1, 528, true },
    { "glxinfo_gzip", CODEC_GZIP, "6", 151513, 571, 0, 1, 0, true },
    { "groups_threads", CODEC_SNAPPY, "6", 150422, 392, 0, 4, 6, true },
    { "large/groups_threads_zstd", CODEC_ZSTD, "6", 150422, 392, 0, 4, 6, true },
    { "synthetic_kinds_v6", CODEC_SNAPPY, "6", 6037, 207, 2, 7, 6, true },
    { "synthetic_v0", CODEC_GZIP, "0", 1414, 42, 0, 1, 4, true },
    { "synthetic_v1", CODEC_GZIP, "1", 1546, 42, 0, 1, 4, true },
    { "synthetic_v2", CODEC_GZIP, "2", 1934, 58, 0, 1, 4, true },
    { "synthetic_v3", CODEC_SNAPPY, "3", 2058, 58, 0, 1, 4, true },
    { "synthetic_v4", CODEC_SNAPPY, "4", 2116, 58, 0, 3, 4, true },
    { "synthetic_v5", CODEC_SNAPPY, "5", 2191, 58, 0, 3, 4, true },
    { "truncated", CODEC_SNAPPY, "6", 98327, 6, 0, 1, 0, false },
};
enum { FACT_COUNT = sizeof FACTS / sizeof FACTS[0] };

/* Returns a number of the property "capture". */
static uint64_t counted(const Trace *trace, const char *key)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "\"%s\":", key);
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        StringView name = trace_string(trace, trace->records.properties[i].key);
        char       json[512] = "";
        if (name.size != 7 || memcmp(name.bytes, "capture", 7) != 0) continue;
        CHECK(trace->records.properties[i].size < sizeof json);
        memcpy(json, trace->records.properties[i].json, trace->records.properties[i].size);
        const char        *found = strstr(json, wanted);
        unsigned long long value = 0;
        CHECK(found != NULL && sscanf(found + strlen(wanted), "%llu", &value) == 1);
        return value;
    }
    CHECK_STRING("the property", "none");
    return 0;
}

TEST(counts_are_those_of_apitrace)
{
    for (size_t i = 0; i < FACT_COUNT; i++) {
        const Fact *fact = &FACTS[i];
        char        name[80], path[512];
        Loaded      loaded;
        Err         err;
        (void)snprintf(name, sizeof name, "%s.trace", fact->name);
        capture_path(name, path, sizeof path);
        for (unsigned threads = 1; threads <= 2; threads++) {
            LoadOptions options = { .threads = threads };
            CHECK_DONE(load_file(path, &options, &loaded, &err), err);
            const Trace *trace = loaded.trace;
            CHECK_DONE(trace_check(trace, &err), err);
            CHECK_INT(loaded.codec, fact->codec);
            CHECK_STRING(trace->source.format_name, "apitrace");
            CHECK_STRING(trace->source.format_version, fact->version);
            CHECK_INT(trace->clock.kind, CLOCK_EVENTS);
            CHECK_UINT(counted(trace, "calls"), fact->calls);
            CHECK_UINT(counted(trace, "incomplete"), fact->incomplete);
            CHECK_UINT(counted(trace, "threads"), fact->threads);
            CHECK_UINT(counted(trace, "frames"), fact->frames);
            CHECK_UINT(counted(trace, "stream_bytes"), fact->stream_bytes);
            CHECK_INT(trace->source.complete, fact->complete);
            loaded_release(&loaded);
        }
    }
}

/* -- text -- */

static void check_text(const char *name, const char *reference, const char *const *options)
{
    char  path[512], reference_path[512], file[96];
    Bytes expected = { 0 };
    (void)snprintf(file, sizeof file, "%s.trace", name);
    capture_path(file, path, sizeof path);
    capture_path(reference, reference_path, sizeof reference_path);
    read_whole(reference_path, &expected);
    for (unsigned threads = 1; threads <= 3; threads++) {
        Bytes      text = { 0 };
        TextResult result;
        Err        err;
        CHECK_DONE(capture_text(path, (Asked){ options, threads }, &text, &result, &err), err);
        CHECK_UINT(text.size, expected.size);
        CHECK(memcmp(text.data, expected.data, text.size) == 0);
        bytes_release(&text);
    }
    bytes_release(&expected);
}

TEST(text_is_that_of_apitrace_dump)
{
    for (size_t i = 0; i < FACT_COUNT; i++) {
        char reference[96];
        (void)snprintf(reference, sizeof reference, "%s.dump.txt.gz",
                       strstr(FACTS[i].name, "zstd") != NULL ? "groups_threads" : FACTS[i].name);
        check_text(FACTS[i].name, reference, NULL);
    }
}

TEST(text_with_all_calls_and_threads)
{
    static const char *const OPTIONS[] = { "verbose", "thread-ids", NULL };
    static const char *const NAMES[] = { "crash", "groups_threads", "synthetic_kinds_v6", "synthetic_v5" };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char reference[96];
        (void)snprintf(reference, sizeof reference, "%s.dump-v-threads.txt.gz", NAMES[i]);
        check_text(NAMES[i], reference, OPTIONS);
    }
}

static void check_options(const char *name, const char *const *options, const char *expected)
{
    char       path[512];
    Bytes      text = { 0 };
    TextResult result;
    Err        err;
    capture_path(name, path, sizeof path);
    CHECK_DONE(capture_text(path, (Asked){ options, 2 }, &text, &result, &err), err);
    bytes_append(&text, "", 1);
    CHECK_STRING((const char *)text.data, expected);
    bytes_release(&text);
}

TEST(text_of_some_calls)
{
    check_options(
        "synthetic_v5.trace", (const char *const[]){ "calls=2,5-6", "arg-names=no", NULL },
        "2 glClearColor(0, -0.25, 0, 1)\n"
        "5 glViewport(0, 0, 640, 480)\n"
        "6 glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, blob(16))\n");
    check_options("synthetic_v5.trace",
                  (const char *const[]){ "grep=Swap", "call-nos=no", "calls=0-30", "multiline=no", NULL },
                  "glXSwapBuffers(dpy = 0x1234560, drawable = 4194306)\n"
                  "glXSwapBuffers(dpy = 0x1234560, drawable = 4194306)\n");
}

TEST(text_refuses_what_it_does_not_understand)
{
    static const char *const BAD[][2] = { { "calls=5-x", NULL },
                                          { "calls=1/0", NULL },
                                          { "multiline=perhaps", NULL } };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        char       path[512];
        Bytes      text = { 0 };
        TextResult result;
        Err        err;
        capture_path("synthetic_v5.trace", path, sizeof path);
        CHECK(!capture_text(path, (Asked){ BAD[i], 1 }, &text, &result, &err));
        CHECK_INT(err.code, ERR_USAGE);
        bytes_release(&text);
    }
}

/* -- sets of calls -- */

TEST(call_sets)
{
    CallSet set = { .last = 0 };
    Err     err;
    CHECK_DONE(call_set_add(&set, "3, 10-20/5 100-", &err), err);
    CHECK(call_set_holds(&set, 3, 0) && call_set_holds(&set, 10, 0) && call_set_holds(&set, 15, 0));
    CHECK(!call_set_holds(&set, 11, 0) && !call_set_holds(&set, 21, 0) && !call_set_holds(&set, 99, 0));
    CHECK(call_set_holds(&set, UINT64_MAX, 0));
    CHECK_UINT(set.last, UINT64_MAX);
    call_set_release(&set);
    set = (CallSet){ .last = 0 };
    CHECK_DONE(call_set_add(&set, "0-50/frame,60-70/fbo", &err), err);
    CHECK(call_set_holds(&set, 7, CALL_END_FRAME) && !call_set_holds(&set, 7, CALL_RENDER));
    CHECK(call_set_holds(&set, 65, CALL_SWAP_TARGET) && !call_set_holds(&set, 7, CALL_SWAP_TARGET));
    CHECK_UINT(set.last, 70);
    call_set_release(&set);
    set = (CallSet){ .last = 0 };
    CHECK_DONE(call_set_add(&set, "draw", &err), err);
    CHECK(call_set_holds(&set, 12345, CALL_RENDER) && !call_set_holds(&set, 12345, CALL_END_FRAME));
    call_set_release(&set);
    CHECK(!call_set_add(&set, "frames", &err) && err.code == ERR_USAGE);
    CHECK(!call_set_add(&set, "7-8-9", &err) && err.code == ERR_USAGE);
    call_set_release(&set);
}

/* -- flags -- */

TEST(flags_go_by_names)
{
    static const struct {
        const char *name;
        uint32_t    flags;
        ApiFamily   family;
    } CALLS[] = {
        { "glDrawArrays", 8, FAMILY_DRAW },
        { "glMultiDrawElementsIndirectCount", 8, FAMILY_DRAW },
        { "glDrawRangeElementsBaseVertex", 8, FAMILY_DRAW },
        { "glDrawBuffers", 0, FAMILY_STATE },
        { "glDrawArrays2", 0, FAMILY_STATE },
        { "glClear", 8, FAMILY_DRAW },
        { "glClearColor", 0, FAMILY_STATE },
        { "glRectfv", 8, FAMILY_DRAW },
        { "glEvalMesh2", 8, FAMILY_DRAW },
        { "glEvalMesh", 0, FAMILY_STATE },
        { "glDrawTransformFeedbackStreamInstanced", 8, FAMILY_DRAW },
        { "glBindFramebufferEXT", 16, FAMILY_STATE },
        { "glGetIntegerv", 4, FAMILY_QUERY },
        { "glGetTextureLevelParameteriv", 4, FAMILY_QUERY },
        { "glXSwapBuffers", 48, FAMILY_FRAME_END },
        { "IDXGISwapChain1::Present1", 32, FAMILY_FRAME_END },
        { "ID3D11DeviceContext2::DrawIndexed", 8, FAMILY_DRAW },
        { "ID3D11DeviceContext::OMSetRenderTargetsAndUnorderedAccessViews", 16, FAMILY_STATE },
        { "ID3D11Device::CheckFormatSupport", 132, FAMILY_QUERY },
        { "IDirect3DDevice9::GetRenderTargetData", 32, FAMILY_FRAME_END },
        { "glPushDebugGroup", 768, FAMILY_MARKER },
        { "glStringMarkerGREMEDY", 256, FAMILY_MARKER },
        { "glTexSubImage2D", 0, FAMILY_UPLOAD },
        { "glNamedBufferData", 0, FAMILY_UPLOAD },
        { "glFenceSync", 0, FAMILY_SYNC },
        { "memcpy", 0, FAMILY_UPLOAD },
        { "glXMakeCurrent", 0, FAMILY_CONTEXT },
    };
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        StringView name = { CALLS[i].name, strlen(CALLS[i].name) };
        uint32_t   flags = call_flags_of(name);
        if (flags != CALLS[i].flags || call_family_of(name, flags) != CALLS[i].family)
            printf("# %s: %u, %s\n", CALLS[i].name, flags, call_family_name(call_family_of(name, flags)));
        CHECK_UINT(flags, CALLS[i].flags);
        CHECK_INT(call_family_of(name, flags), CALLS[i].family);
    }
}

/* -- details -- */

static void check_details(const Loaded *loaded, uint64_t number, const char *args, const char *other)
{
    const ApiCapture *capture = capture_of(loaded->trace);
    int64_t           tick = capture_tick_of(capture, number);
    CHECK_UINT(capture_call_at(capture, tick), number);
    for (uint64_t i = loaded->trace->slices.count; i-- > 0;) { /* the innermost: not its debug group */
        EventDetails details = { 0 };
        Err          err;
        uint32_t     track = loaded->trace->rows[trace_slice_row(loaded->trace, i)].track;
        if (trace_slice_begin(loaded->trace, i) != tick ||
            loaded->trace->tracks[track].tid_kind == IDENT_TEXT)
            continue;
        CHECK_DONE(load_slice_details(loaded, i, &details, &err), err);
        bytes_append(&details.args, "", 1);
        bytes_append(&details.other, "", 1);
        CHECK_STRING((const char *)details.args.data, args);
        CHECK_STRING((const char *)details.other.data, other);
        bytes_release(&details.args);
        bytes_release(&details.other);
        return;
    }
    CHECK_STRING("the call", "none");
}

TEST(details_of_calls)
{
    char   path[512];
    Loaded loaded;
    Err    err;
    capture_path("synthetic_v5.trace", path, sizeof path);
    for (int equal = 0; equal < 2; equal++) {
        LoadOptions options = { .widths = equal ? WIDTHS_OF_CALLS : WIDTHS_OF_EVENTS };
        CHECK_DONE(load_file(path, &options, &loaded, &err), err);
        CHECK_DONE(trace_check(loaded.trace, &err), err);
        check_details(&loaded, 1, "{\"n\":2,\"textures\":[1,2]}", "{\"call\":1}");
        check_details(&loaded, 3, "{\"mask\":\"GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT\"}",
                      "{\"call\":3,\"flags\":[\"render\"],\"numbers\":{\"mask\":16640}}");
        check_details(&loaded, 10, "{\"ptr\":\"0x9000000\",\"size\":128,\"return\":\"0x9100000\"}",
                      "{\"call\":10}");
        check_details(
            &loaded, 12, "{\"mode\":\"GL_TRIANGLES\",\"first\":0,\"count\":3}",
            "{\"call\":12,\"flags\":[\"render\"],\"backtrace\":[{\"module\":\"/usr/bin/demo\",\"function\":"
            "\"draw\",\"offset\":6699,\"file\":\"demo.c\",\"line\":42},{\"module\":\"/usr/bin/"
            "demo\",\"offset\":"
            "1008},{}],\"numbers\":{\"mode\":4}}");
        loaded_release(&loaded);
    }
}

/* The number of each enum and bitmask, and the name of each struct, by the path of the value. */
TEST(details_have_numbers_and_names_of_structs)
{
    char   path[512];
    Loaded loaded;
    Err    err;
    capture_path("synthetic_kinds_v6.trace", path, sizeof path);
    CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
    check_details(&loaded, 81, "{\"value\":\"MINUS\"}", "{\"call\":81,\"numbers\":{\"value\":-1}}");
    check_details(&loaded, 83, "{\"value\":-7}", "{\"call\":83,\"numbers\":{\"value\":-7}}");
    check_details(&loaded, 94, "{\"value\":\"A | 0x8\"}", "{\"call\":94,\"numbers\":{\"value\":9}}");
    check_details(
        &loaded, 111,
        "{\"value\":{\"name\":\"n\",\"a\":1,\"b\":2,\"flags\":\"A | B\",\"pt\":[{\"x\":0.5,\"y\":0.25}]}}",
        "{\"call\":111,\"numbers\":{\"value.flags\":3},"
        "\"structs\":{\"value\":\"OUTER\",\"value.pt[0]\":\"POINT\"}}");
    loaded_release(&loaded);
    capture_path("synthetic_v0.trace", path, sizeof path); /* one id for each constant */
    CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
    check_details(&loaded, 0, "{\"name\":\"GL_VENDOR\",\"return\":\"Example \\\"GL\\\"\\\\vendor\"}",
                  "{\"call\":0,\"flags\":[\"no-side-effects\",\"verbose\"],\"numbers\":{\"name\":7936}}");
    loaded_release(&loaded);
}

/* A name longer than the limit of paths has no note; the value remains. */
TEST(long_paths_have_no_notes)
{
    enum { LONG_NAME = 5000 };
    char         name[LONG_NAME + 1];
    Bytes        stream = { 0 };
    char         path[512];
    Loaded       loaded;
    EventDetails details = { 0 };
    Err          err;
    memset(name, 'x', LONG_NAME);
    name[LONG_NAME] = '\0';
    put_byte(&stream, 6), put_byte(&stream, 6), put_byte(&stream, 0);
    put_byte(&stream, 0), put_number(&stream, 0), put_number(&stream, 1);
    put_name(&stream, "f"), put_number(&stream, 1), put_name(&stream, name);
    put_byte(&stream, 1), put_number(&stream, 0);
    put_byte(&stream, 9), put_number(&stream, 1), put_number(&stream, 1), put_name(&stream, "ONE");
    put_byte(&stream, 4), put_number(&stream, 1), put_byte(&stream, 4), put_number(&stream, 1);
    put_byte(&stream, 0);
    test_scratch_path("long.trace", path, sizeof path);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(stream.data, 1, stream.size, file) == stream.size && fclose(file) == 0);
    CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
    CHECK_DONE(load_slice_details(&loaded, 1, &details, &err), err);
    bytes_append(&details.other, "", 1);
    CHECK(details.args.size > LONG_NAME && memcmp(details.args.data + LONG_NAME + 3, ":\"ONE\"}", 7) == 0);
    CHECK_STRING((const char *)details.other.data, "{\"call\":0,\"incomplete\":true}");
    bytes_release(&details.args);
    bytes_release(&details.other);
    loaded_release(&loaded);
    bytes_release(&stream);
}

/* At the end of the stream the call has not returned: its arguments are those of its begin. */
TEST(details_of_calls_that_never_return)
{
    char   path[512];
    Loaded loaded;
    Err    err;
    capture_path("crash.trace", path, sizeof path);
    CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
    check_details(&loaded, 45,
                  "{\"dpy\":\"0x7f8f80000b70\",\"screen\":0,\"attribList\":[\"GLX_DRAWABLE_TYPE\","
                  "\"GLX_PBUFFER_BIT\",\"GLX_RENDER_TYPE\",\"GLX_RGBA_BIT\",0],\"nitems\":\"?\"}",
                  "{\"call\":45,\"incomplete\":true,\"numbers\":{\"attribList[0]\":32784,\"attribList[1]\":4,"
                  "\"attribList[2]\":32785,\"attribList[3]\":1,\"attribList[4]\":0}}");
    check_details(
        &loaded, 175,
        "{\"dpy\":\"0x7f8f78000b70\",\"config\":\"0x7f8f7803e680\",\"renderType\":\"GLX_RGBA_TYPE\","
        "\"shareList\":null,\"direct\":\"True\"}",
        "{\"call\":175,\"incomplete\":true,\"numbers\":{\"renderType\":32788,\"direct\":1}}");
    loaded_release(&loaded);
    capture_path("synthetic_kinds_v6.trace", path, sizeof path);
    CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
    check_details(&loaded, 204, "{\"first\":\"?\",\"second\":\"never left\"}",
                  "{\"call\":204,\"incomplete\":true}");
    check_details(&loaded, 206, "{}", "{\"call\":206,\"flags\":[\"fake\"],\"incomplete\":true}");
    loaded_release(&loaded);
}

/* -- on the screen -- */

TEST(groups_enclose_calls_and_frames_have_a_track)
{
    Bytes stream = { 0 }, text = { 0 };
    put_byte(&stream, 6), put_byte(&stream, 6), put_byte(&stream, 0);
    /* 0: glPushDebugGroup("outer"), returns; 1: f(), never returns; 2: glPopDebugGroup; 3:
     * glXSwapBuffers, on thread 1 */
    put_byte(&stream, 0), put_number(&stream, 0), put_number(&stream, 10);
    put_name(&stream, "glPushDebugGroup"), put_number(&stream, 1), put_name(&stream, "message");
    put_byte(&stream, 1), put_number(&stream, 0), put_byte(&stream, 7), put_name(&stream, "outer"),
        put_byte(&stream, 0);
    put_byte(&stream, 1), put_number(&stream, 0), put_byte(&stream, 0);
    put_byte(&stream, 0), put_number(&stream, 1), put_number(&stream, 11);
    put_name(&stream, "f"), put_number(&stream, 0), put_byte(&stream, 0);
    put_byte(&stream, 0), put_number(&stream, 0), put_number(&stream, 12);
    put_name(&stream, "glPopDebugGroup"), put_number(&stream, 0), put_byte(&stream, 0);
    put_byte(&stream, 1), put_number(&stream, 2), put_byte(&stream, 0);
    put_byte(&stream, 0), put_number(&stream, 1), put_number(&stream, 13);
    put_name(&stream, "glXSwapBuffers"), put_number(&stream, 0), put_byte(&stream, 0);
    put_byte(&stream, 1), put_number(&stream, 3), put_byte(&stream, 0);
    put_byte(&stream, 1), put_number(&stream, 99), put_byte(&stream, 0); /* of an unknown call */
    Built built = built_stream(&stream, stream.size, (Pieces){ 0 });
    CHECK_DONE(built.trace != NULL, built.err);
    Trace *trace = built.trace;
    trace_text(trace, &text);
    bytes_append(&text, "", 1);
    CHECK_STRING((const char *)text.data,
                 "Frames\n"
                 "  0..6 Frame 0 [frame]\n"
                 "  6..6+ Frame 1 [frame]\n"
                 "Thread 0\n"
                 "  0..4 outer [group]\n"
                 "    0..1 glPushDebugGroup [marker]\n"
                 "    3..4 glPopDebugGroup [marker]\n"
                 "Thread 1\n"
                 "  2..6+ f [state]\n"
                 "    5..6 glXSwapBuffers [frame end]\n"
                 "unfinished-slice x 1 at 45: a begin without an end: drawn to the end of the trace\n"
                 "unknown-return x 1 at 99: call 99 returns, and has not begun: its return is left out\n"
                 "complete\n");
    trace_release(trace);
    bytes_release(&stream);
    bytes_release(&text);
}

TEST_MAIN("apitrace", TEST_CASE(counts_are_those_of_apitrace), TEST_CASE(text_is_that_of_apitrace_dump),
          TEST_CASE(text_with_all_calls_and_threads), TEST_CASE(text_of_some_calls),
          TEST_CASE(text_refuses_what_it_does_not_understand), TEST_CASE(call_sets),
          TEST_CASE(flags_go_by_names), TEST_CASE(details_of_calls),
          TEST_CASE(details_of_calls_that_never_return), TEST_CASE(details_have_numbers_and_names_of_structs),
          TEST_CASE(long_paths_have_no_notes), TEST_CASE(groups_enclose_calls_and_frames_have_a_track))
