#include "format/go_support.h"

#include "base/file.h"
#include "base/uint128.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const GO_FILES[] = {
    "canned_http_1_9_good.trace",
    "canned_stress_1_5_unordered.trace",
    "canned_stress_start_stop_1_10_good.trace",
    "canned_stress_start_stop_1_7_good.trace",
    "canned_user_task_region_1_11_good.trace",
    "canned_user_task_region_1_21_good.trace",
    "go119_annot_cpuprofile.trace",
    "go119_cgo_noorder.trace",
    "go119_chans.trace",
    "go119_net.trace",
    "go119_syscalls.trace",
    "go119_tiny.trace",
    "go121_annot.trace",
    "go122_annot_cpuprofile.trace",
    "go122_chans.trace",
    "go123_allocfree.trace",
    "go123_iter.trace",
    "go125_annot_cpuprofile.trace",
    "go125_chans.trace",
    "go126_annot_cpuprofile.trace",
    "go126_cgo.trace",
    "go126_chans.trace",
    "v2tests/go122-annotations-stress.trace",
    "v2tests/go122-annotations.trace",
    "v2tests/go122-confuse-seq-across-generations.trace",
    "v2tests/go122-create-syscall-reuse-thread-id.trace",
    "v2tests/go122-create-syscall-with-p.trace",
    "v2tests/go122-fail-first-gen-first.trace",
    "v2tests/go122-go-create-without-running-g.trace",
    "v2tests/go122-syscall-steal-proc-ambiguous.trace",
    "v2tests/go122-syscall-steal-proc-gen-boundary-bare-m.trace",
    "v2tests/go122-syscall-steal-proc-gen-boundary-reacquire-new-proc-bare-m.trace",
    "v2tests/go122-syscall-steal-proc-gen-boundary-reacquire-new-proc.trace",
    "v2tests/go122-syscall-steal-proc-gen-boundary.trace",
    "v2tests/go122-syscall-steal-proc-reacquire-new-proc-bare-m.trace",
    "v2tests/go122-syscall-steal-proc-reacquire-new-proc.trace",
    "v2tests/go122-syscall-steal-proc-self.trace",
    "v2tests/go122-syscall-steal-proc-simple-bare-m.trace",
    "v2tests/go122-syscall-steal-proc-simple.trace",
    "v2tests/go122-syscall-steal-proc-sitting-in-syscall.trace",
    "v2tests/go122-task-across-generations.trace",
    "v2tests/go123-sync.trace",
    "v2tests/go125-sync.trace",
    "fuzz/0cb1786dee0f090b.trace",
    "fuzz/1e45307d5b2ec36d.trace",
    "fuzz/2b05796f9b2fc48d.trace",
    "fuzz/2b9be9aebe08d511.trace",
    "fuzz/344331b314da0b08.trace",
    "fuzz/365d7b5b633b3f97.trace",
    "fuzz/4055b17cae1a3443.trace",
    "fuzz/4d9ddc909984e871.trace",
    "fuzz/56f073e57903588c.trace",
    "fuzz/9d6ee7d3ddf8d566.trace",
    "fuzz/aeb749b6bc317b66.trace",
    "fuzz/closing-unknown-region.trace",
    "fuzz/d478e18d2d6756b7.trace",
    "fuzz/d91203cd397aa0bc.trace",
    "fuzz/invalid-proc-state.trace",
    "fuzz/large-id.trace",
    "fuzz/malformed-timestamp.trace",
    NULL
};

void go_file_read(const char *name, Bytes *file)
{
    static const char *const FOLDERS[] = { "", "v2tests/", "fuzz/", "large/" };
    char                     relative[256], path[512];
    for (size_t i = 0; i < sizeof FOLDERS / sizeof FOLDERS[0]; i++) {
        (void)snprintf(relative, sizeof relative, "go/%s%s", FOLDERS[i], name);
        fixture_path(relative, path, sizeof path);
        if (!file_is_regular(path)) continue;
        fixture_read(relative, file);
        return;
    }
    fail_msg("no recording of Go has the name %s", name);
}

/* -- reading -- */

static bool read_trace(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                       Err *err)
{
    return go_trace_read(state, bytes, size, input, used, err);
}

bool go_events(const Bytes *file, size_t size, size_t piece, const GoSink *sink, Err *err)
{
    Arena    arena = arena_create(0);
    GoTrace *trace = go_trace_create(&arena, sink);
    CHECK(trace != NULL);
    bool done = read_pieces(trace, read_trace, file->data, size, (Pieces){ .fixed = piece }, err);
    arena_release(&arena);
    return done;
}

Built go_built(const uint8_t *bytes, size_t size, size_t piece)
{
    return go_built_for(NULL, bytes, size, piece);
}

Built go_built_for(const char *perspective, const uint8_t *bytes, size_t size, size_t piece)
{
    return built_by(&GO_READER, perspective, bytes, size, (Pieces){ .fixed = piece });
}

/* -- as text -- */

static void text_string(const Trace *trace, StringId id, Bytes *out)
{
    StringView view = trace_string(trace, id);
    bytes_append(out, view.bytes, view.size);
}

static void text_row(const Trace *trace, const Row *row, Bytes *out)
{
    for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
        bytes_printf(out, "  %u.%u %" PRId64 "+%" PRIu64 "%s ", row->lane, row->depth,
                     trace_slice_begin(trace, i), trace_slice_duration(trace, i),
                     trace->slices.flags[i] & SLICE_UNFINISHED ? "..." : "");
        text_string(trace, trace->labels[trace_slice_label(trace, i)].name, out);
        StackId stack = trace_slice_stack(trace, i), end_stack = trace_slice_end_stack(trace, i);
        if (stack.index != 0) bytes_printf(out, " from %u deep", trace_stack_depth(trace, stack));
        if (end_stack.index != 0) bytes_printf(out, " to %u deep", trace_stack_depth(trace, end_stack));
        bytes_append_text(out, "\n");
    }
    for (uint64_t i = row_extras(row)->first_instant;
         i < row_extras(row)->first_instant + row_extras(row)->instant_count; i++) {
        bytes_printf(out, "  %" PRId64 " ", trace->instants.tick[i]);
        text_string(trace, trace->labels[trace->instants.label[i]].name, out);
        bytes_append_text(out, "\n");
    }
    for (uint64_t i = row_extras(row)->first_sample;
         i < row_extras(row)->first_sample + row_extras(row)->sample_count; i++)
        bytes_printf(out, "  %" PRId64 " = %g\n", trace->samples.tick[i], trace->samples.value[i]);
}

void go_built_text(const Built *built, Bytes *out)
{
    go_built_text_from(built, UINT8_MAX, out);
}

void go_built_text_from(const Built *built, uint8_t perspectives, Bytes *out)
{
    const Trace *trace = built->trace;
    if (trace == NULL) {
        bytes_printf(out, "refused: %s\n", built->err.message);
        return;
    }
    bytes_printf(out, "go %s%s %" PRId64 "..%" PRId64 "\n", trace->source.format_version,
                 trace->source.complete ? "" : " incomplete", trace->begin_tick, trace->end_tick);
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        bytes_printf(out, "%s %" PRIu64 ": %s (byte %" PRIu64 ")\n", warning->kind, warning->count,
                     warning->first.message, warning->first.offset);
    }
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        if (process->perspectives != 0 && (process->perspectives & perspectives) == 0) continue;
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            if (!trace->tracks[t].has_events) continue;
            trace_process_title(trace, p, out);
            bytes_append_text(out, " / ");
            trace_track_title(trace, t, out);
            bytes_append_text(out, "\n");
            for (uint32_t r = 0; r < track_row_count(&trace->tracks[t]); r++)
                text_row(trace, &trace->rows[trace->tracks[t].first_row + r], out);
        }
    }
}

/* -- SHA-256: FIPS 180-4, for the hashes in the facts -- */

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* Returns the fractional part of the root of a prime, from which the standard derives its constants. */
static uint32_t root_bits(unsigned prime, bool is_cube)
{
    /* the largest r with r^k <= prime * 2^(32k), by bits */
    const Uint128 most = uint128_multiply(uint128_power(is_cube ? 96 : 64), prime);
    uint64_t      root = 0;
    for (int bit = 36; bit >= 0; bit--) {
        const uint64_t tried = root | UINT64_C(1) << bit;
        const Uint128  power = uint128_multiply(uint128_product(tried, tried), is_cube ? tried : 1);
        if (!uint128_less(most, power)) root = tried;
    }
    return (uint32_t)root;
}

static void find_constants(uint32_t start[8], uint32_t rounds[64])
{
    unsigned found = 0;
    for (unsigned n = 2; found < 64; n++) {
        bool is_prime = true;
        for (unsigned d = 2; d * d <= n && is_prime; d++)
            is_prime = n % d != 0;
        if (!is_prime) continue;
        if (found < 8) start[found] = root_bits(n, false);
        rounds[found++] = root_bits(n, true);
    }
}

static void digest_block(uint32_t state[8], const uint32_t rounds[64], const uint8_t *block)
{
    uint32_t w[64], s[8];
    for (unsigned i = 0; i < 16; i++) {
        const uint8_t *b = block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t first = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
        uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t second = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += first;
        s[0] = first + second;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_text(const void *bytes, size_t size, char out[65])
{
    uint32_t state[8], rounds[64];
    uint8_t  last[128] = { 0 };
    size_t   whole = size / 64 * 64, left = size - whole, padded = left < 56 ? 64 : 128;
    find_constants(state, rounds);
    for (size_t at = 0; at < whole; at += 64)
        digest_block(state, rounds, (const uint8_t *)bytes + at);
    if (left > 0) memcpy(last, (const uint8_t *)bytes + whole, left);
    last[left] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        last[padded - 1 - i] = (uint8_t)((uint64_t)size * 8 >> (8 * i));
    for (size_t at = 0; at < padded; at += 64)
        digest_block(state, rounds, last + at);
    for (unsigned i = 0; i < 8; i++)
        snprintf(out + 8 * i, 9, "%08" PRIx32, state[i]);
}
