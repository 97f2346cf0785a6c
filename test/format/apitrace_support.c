#include "format/apitrace_support.h"

#include "format/text.h"

#include <stdio.h>
#include <string.h>

void capture_path(const char *name, char *path, size_t size)
{
    char relative[160];
    (void)snprintf(relative, sizeof relative, "apitrace/%s", name);
    fixture_path(relative, path, size);
}

void capture_stream(const char *name, Bytes *out)
{
    char   path[512];
    Loaded loaded;
    Err    err;
    capture_path(name, path, sizeof path);
    CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
    for (size_t got = 1; got > 0;) {
        enum { PIECE = 5000 };
        void *room = bytes_reserve(out, PIECE);
        got = loaded.store.read(loaded.store.context, out->size, room, PIECE);
        bytes_grow(out, got);
    }
    loaded_release(&loaded);
}

void read_whole(const char *path, Bytes *out)
{
    enum { PIECE = 4096 };
    FILE *stream = fopen(path, "rb");
    Bytes raw = { NULL, 0, 0, false };
    Err   err;
    CHECK(stream != NULL);
    for (size_t got = 1; got > 0;) {
        got = fread(bytes_reserve(&raw, PIECE), 1, PIECE, stream);
        bytes_grow(&raw, got);
    }
    fclose(stream);
    if (codec_detect(raw.data, raw.size) != CODEC_GZIP) {
        *out = raw;
        return;
    }
    Decoder *decoder = decoder_open(CODEC_GZIP, &err);
    CHECK(decoder != NULL);
    CodecStream packed = { .in = raw.data, .in_size = raw.size };
    do {
        packed.out = bytes_reserve(out, PIECE);
        packed.out_size = PIECE;
        (void)decoder_run(decoder, &packed, &err);
        bytes_grow(out, PIECE - packed.out_size);
    } while (packed.out_size < PIECE);
    decoder_close(decoder);
    bytes_release(&raw);
}

/* -- text -- */

typedef struct Collected {
    Asked       asked;
    Bytes      *out;
    TextResult *result;
} Collected;

static const char *find_option(const void *context, const char *name)
{
    const Collected *collected = (const Collected *)context;
    size_t           size = strlen(name);
    for (const char *const *o = collected->asked.options; o != NULL && *o != NULL; o++) {
        if (strncmp(*o, name, size) == 0 && ((*o)[size] == '=' || (*o)[size] == '\0'))
            return (*o)[size] == '=' ? *o + size + 1 : "";
    }
    return NULL;
}

static bool holds(const void *context, const char *name)
{
    return strstr(name, find_option(context, "grep")) != NULL;
}

static bool collect(void *context, const Bytes *text)
{
    bytes_append(((Collected *)context)->out, text->data, text->size);
    return true;
}

static void keep_result(void *context, const TextResult *result)
{
    *((Collected *)context)->result = *result;
}

bool capture_text(const char *path, Asked asked, Bytes *out, TextResult *result, Err *err)
{
    Collected    collected = { asked, out, result };
    TextRequest  request = { find_option, holds, collect, &collected, false, asked.threads };
    LoadObserver observer = { .text = &request, .text_end = keep_result, .context = &collected };
    LoadOptions  options = { .threads = asked.threads };
    return load_observe(path, &options, &observer, err);
}

/* -- traces -- */

Built built_stream(const Bytes *stream, size_t size, Pieces pieces)
{
    return built_by(&APITRACE_READER, NULL, stream->data, size, pieces);
}

static void put_label(const Trace *trace, uint32_t label, Bytes *out)
{
    StringView name = trace_label_name(trace, label), category = trace_label_category(trace, label);
    bytes_append(out, name.bytes, name.size);
    bytes_append_text(out, " [");
    bytes_append(out, category.bytes, category.size);
    bytes_append_text(out, "]");
}

void trace_text(const Trace *trace, Bytes *out)
{
    for (uint32_t track = 1; track <= trace->track_count; track++) {
        trace_track_title(trace, track, out);
        bytes_append_text(out, "\n");
        for (uint32_t r = 0; r < track_row_count(&trace->tracks[track]); r++) {
            const Row *row = &trace->rows[trace->tracks[track].first_row + r];
            for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
                bytes_printf(out, "%*s%lld..%lld%s ", (int)(row->depth * 2 + 2), "",
                             (long long)trace_slice_begin(trace, i), (long long)trace_slice_end(trace, i),
                             trace->slices.flags[i] & SLICE_UNFINISHED ? "+" : "");
                put_label(trace, trace_slice_label(trace, i), out);
                bytes_append_text(out, "\n");
            }
            for (uint64_t i = row_extras(row)->first_instant;
                 i < row_extras(row)->first_instant + row_extras(row)->instant_count; i++) {
                bytes_printf(out, "  at %lld ", (long long)trace->instants.tick[i]);
                put_label(trace, trace->instants.label[i], out);
                bytes_append_text(out, "\n");
            }
        }
    }
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        bytes_printf(out, "%s x %llu at %llu: %s\n", warning->kind, (unsigned long long)warning->count,
                     (unsigned long long)warning->first.offset, warning->first.message);
    }
    bytes_append_text(out, trace->source.complete ? "complete\n" : "incomplete\n");
}

/* -- streams made by hand -- */

void put_byte(Bytes *out, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    bytes_append(out, &b, 1);
}

void put_number(Bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(out, (unsigned)(value & 0x7f) | 0x80);
    put_byte(out, (unsigned)value);
}

void put_name(Bytes *out, const char *text)
{
    put_number(out, strlen(text));
    bytes_append_text(out, text);
}
