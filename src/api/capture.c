/* Captures as files. */
#include "api/api.h"
#include "codec/encoder.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/tools.h"

#include <assert.h>
#include <string.h>

static_assert((int)VARVE_FAMILY_STATE == (int)FAMILY_STATE &&
                  (int)VARVE_FAMILY_MEMORY == (int)FAMILY_MEMORY && (int)VARVE_FAMILIES == (int)FAMILY_COUNT,
              "VarveFamily has the values of ApiFamily");

/* Passes the end of the work to the caller. */
static bool finish(bool is_done, const Err *err, const ToolResult *result, VarveError *fault,
                   VarveError *error)
{
    static const Err NONE = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!is_done) return api_fail(err, error);
    (void)api_fail(result->complete ? &NONE : &result->why, fault);
    return true;
}

/* Sets *given to a set, NULL without a text. False: the text of the option `name` is wrong. */
static bool parse_set(const char *name, const char *text, CallSet *set, const CallSet **given, Err *err)
{
    *given = text == NULL ? NULL : set;
    if (text == NULL || call_set_add(set, text, err)) return true;
    const Err fault = *err;
    return err_set(err, ERR_USAGE, "%s: %s", name, fault.message);
}

/* -- frames -- */

typedef struct FrameUser {
    VarveFrameReceiver *receiver;
    void               *context;
} FrameUser;

static bool pass_frame(void *context, const FrameFacts *facts)
{
    const FrameUser *user = context;
    VarveFrame       frame = { .index = facts->frame,
                               .first_call = facts->first_call,
                               .call_count = facts->calls,
                               .incomplete_call_count = facts->incomplete,
                               .redundant_count = facts->redundant,
                               .upload_bytes = facts->upload_bytes,
                               .is_ended = facts->ended };
    memcpy(frame.family_counts, facts->families, sizeof frame.family_counts);
    return user->receiver(user->context, &frame);
}

const char *varve_family_name(VarveFamily family)
{
    return call_family_name((ApiFamily)family);
}

bool varve_capture_frames(const char *path, uint32_t thread_count, VarveFrameReceiver *receiver,
                          void *context, VarveError *fault, VarveError *error)
{
    FrameUser  user = { receiver, context };
    ToolResult result = { .complete = true };
    Err        err = API_ERR;
    const bool is_done = apitrace_frames(path, api_threads(thread_count), pass_frame, &user, &result, &err);
    return finish(is_done, &err, &result, fault, error);
}

/* -- copies -- */

bool varve_capture_trim(const char *path, const VarveTrim *trim, const char *out_path, uint32_t thread_count,
                        VarveError *fault, VarveError *error)
{
    CallSet    calls = { .last = 0 }, frames = { .last = 0 };
    TrimChoice choice = { .has_thread = trim->has_thread, .thread = trim->thread };
    ToolResult result = { .complete = true };
    Err        err = API_ERR;
    const bool is_done = parse_set("calls", trim->calls, &calls, &choice.calls, &err) &&
                         parse_set("frames", trim->frames, &frames, &choice.frames, &err) &&
                         apitrace_trim(path, &choice, out_path, api_threads(thread_count), &result, &err);
    call_set_release(&calls);
    call_set_release(&frames);
    return finish(is_done, &err, &result, fault, error);
}

static const CodecKind CONTAINERS[] = { [VARVE_CONTAINER_SNAPPY] = CODEC_SNAPPY,
                                        [VARVE_CONTAINER_ZSTD] = CODEC_ZSTD,
                                        [VARVE_CONTAINER_GZIP] = CODEC_GZIP,
                                        [VARVE_CONTAINER_BROTLI] = CODEC_BROTLI };

const char *varve_container_name(VarveContainer container)
{
    return codec_name(CONTAINERS[container]);
}

bool varve_capture_repack(const char *path, VarveContainer container, int level, const char *out_path,
                          uint32_t thread_count, VarveError *fault, VarveError *error)
{
    ToolResult result = { .complete = true };
    Err        err = API_ERR;
    if ((unsigned)container > VARVE_CONTAINER_BROTLI) {
        (void)err_set(&err, ERR_USAGE, "there is no container %d", (int)container);
        return api_fail(&err, error);
    }
    const CodecKind     kind = CONTAINERS[container];
    const EncoderLevels levels = encoder_levels(kind);
    const int           used = level < 0 ? levels.usual : level;
    const bool          is_done =
        ((used >= levels.least && used <= levels.most) ||
         err_set(&err, ERR_USAGE, "level of %s must be from %d to %d", codec_name(kind), levels.least,
                 levels.most)) &&
        apitrace_repack(path, kind, used, out_path, api_threads(thread_count), &result, &err);
    return finish(is_done, &err, &result, fault, error);
}

/* -- differences -- */

static bool pass_line(void *context, char mark, const Bytes *text)
{
    const VarveCallDiff *diff = context;
    return diff->line == NULL || diff->line(diff->context, mark, api_text(bytes_view(text)));
}

bool varve_capture_diff(const char *path_a, const char *path_b, const VarveCallDiff *diff,
                        uint32_t thread_count, uint64_t *differing_count, VarveError faults[2],
                        VarveError *error)
{
    VarveCallDiff  used = *diff;
    const DiffSink sink = { pass_line, &used };
    CallSet        calls = { .last = 0 };
    DiffOptions    options = { .no_addresses = diff->addresses == VARVE_ADDRESSES_EQUAL,
                               .verbose = diff->choice == VARVE_CALLS_ALL,
                               .threads = api_threads(thread_count) };
    ToolResult     results[2] = { { .complete = true }, { .complete = true } };
    Err            err = API_ERR;
    *differing_count = 0;
    const bool is_done = parse_set("calls", diff->calls, &calls, &options.calls, &err) &&
                         apitrace_diff(path_a, path_b, &options, &sink, differing_count, results, &err);
    call_set_release(&calls);
    return finish(is_done, &err, &results[0], faults == NULL ? NULL : &faults[0], error) &&
           finish(is_done, &err, &results[1], faults == NULL ? NULL : &faults[1], error);
}
