#include "app/cli/convert_html.h"

#include "api/api.h"
#include "app/cli/losses.h"
#include "app/server/site.h"
#include "base/base64.h"
#include "base/json_writer.h"
#include "export/left_out.h"
#include "export/writers.h"
#include "format/gzip_sink.h"
#include "format/source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The bytes of a block, a multiple of 3. A browser limits the length of a text, so that a long trace needs several blocks. */
enum { BLOCK_BYTES = 3 << 20 };

/* Writes bytes as blocks of base64. */
typedef struct BlockSink {
    const OutputSink *to;
    Bytes             held; /* less than a block */
    Bytes             text; /* reused */
    StringView        name; /* of the trace; for its first block */
    bool              has_begun;
} BlockSink;

static bool append_text(const OutputSink *sink, const char *text, Err *err)
{
    return sink->append(sink->context, text, strlen(text), err);
}

static bool flush_block(BlockSink *blocks, Err *err)
{
    Bytes *text = &blocks->text;
    assert(blocks->held.size <= BLOCK_BYTES);
    bytes_clear(text);
    if (blocks->has_begun) {
        bytes_append_text(text, "<script type=\"text/plain\" data-more>");
    } else {
        bytes_append_text(text, "<script type=\"text/plain\" data-trace=\"");
        base64_append(blocks->name.bytes, blocks->name.size, text);
        bytes_append_text(text, "\">");
    }
    base64_append(blocks->held.data, blocks->held.size, text);
    bytes_append_text(text, "</script>\n");
    bytes_clear(&blocks->held);
    blocks->has_begun = true;
    if (text->failed) return err_set(err, ERR_MEMORY, "out of memory for a block");
    return blocks->to->append(blocks->to->context, text->data, text->size, err);
}

static bool append_block_bytes(void *context, const void *bytes, size_t size, Err *err)
{
    BlockSink *blocks = context;
    for (const uint8_t *at = bytes; size > 0;) {
        const size_t room = BLOCK_BYTES - blocks->held.size, part = size < room ? size : room;
        bytes_append(&blocks->held, at, part);
        if (blocks->held.failed) return err_set(err, ERR_MEMORY, "out of memory for a block");
        at += part;
        size -= part;
        if (blocks->held.size == BLOCK_BYTES && !flush_block(blocks, err)) return false;
    }
    return true;
}

/* True without an option that chooses a part of the input or the way to read it: the viewer lacks these options. */
static bool is_whole(const Cli *cli, const Loaded *loaded)
{
    static const char *const OPTIONS[] = { "range", "tracks", "format", "exe", "axis" };
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++)
        if (cli_option(cli, OPTIONS[i]) != NULL) return false;
    return source_is_enough(loaded);
}

static bool write_trace(const Cli *cli, const Loaded *loaded, const OutputSink *sink, WriterReport *report,
                        Err *err)
{
    if (is_whole(cli, loaded)) return source_copy(loaded, sink, err);
    const FormatWriter *json = writer_find("json");
    if (!json->write(loaded, sink, report, err)) return false;
    report_views(loaded->trace, report);
    return true;
}

/* A file that is compressed stays as it is; gzip makes anything else smaller. */
static bool write_packed(const Cli *cli, const Loaded *loaded, const OutputSink *sink, WriterReport *report,
                         Err *err)
{
    if (is_whole(cli, loaded) && loaded->codec != CODEC_NONE && source_is_file(loaded))
        return write_trace(cli, loaded, sink, report, err);
    GzipSink   gzip = { 0 };
    const bool done = gzip_sink_open(&gzip, sink, err) && write_trace(cli, loaded, &gzip.sink, report, err) &&
                      gzip_sink_finish(&gzip, err);
    gzip_sink_close(&gzip);
    return done;
}

static const char *block_name(const Loaded *loaded)
{
    return strcmp(loaded->name, "-") == 0 ? "trace" : file_name_of(loaded->name);
}

static bool write_blocks(const Cli *cli, const Loaded *loaded, const OutputSink *sink, WriterReport *report,
                         Err *err)
{
    const char      *name = block_name(loaded);
    BlockSink        blocks = { .to = sink, .name = { name, strlen(name) } };
    const OutputSink packed = { .append = append_block_bytes, .context = &blocks };
    const bool       done = write_packed(cli, loaded, &packed, report, err) && flush_block(&blocks, err);
    bytes_release(&blocks.held);
    bytes_release(&blocks.text);
    return done;
}

/* Returns the ticks from the begin of the trace, at most its length. */
static uint64_t offset_of(const Trace *trace, int64_t tick)
{
    if (tick < trace->begin_tick) return 0;
    return trace_since_begin(trace, tick < trace->end_tick ? tick : trace->end_tick);
}

/* Appends a view file that shows the range of a cut. */
static void append_range_view(const Loaded *loaded, Bytes *out)
{
    const Trace *trace = loaded->trace;
    JsonWriter   w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_u64(&w, "varve_view", 1);
    json_put_array(&w, "traces");
    json_object_begin(&w);
    json_put_string(&w, "name", block_name(loaded));
    json_put_object(&w, "range");
    json_put_u64(&w, "begin", offset_of(trace, trace->window.begin));
    json_put_u64(&w, "end", offset_of(trace, trace->window.end));
    json_object_end(&w);
    json_object_end(&w);
    json_array_end(&w);
    json_object_end(&w);
}

/* Writes the given view or, for a range, one that shows it. */
static bool write_view(const Cli *cli, const Loaded *loaded, const ViewArgument *view, const OutputSink *sink,
                       Err *err)
{
    const Trace *trace = loaded->trace;
    Bytes        text = { 0 }, made = { 0 };
    if (view->name == NULL && !trace->window.is_set) return true;
    bytes_append_text(&text, "<script type=\"text/plain\" data-view=\"");
    if (!is_whole(cli, loaded))
        bytes_printf(&text, "%" PRId64, clock_to_ns(&trace->clock, trace->begin_tick));
    bytes_append_text(&text, "\">");
    if (view->name == NULL) append_range_view(loaded, &made);
    base64_append(view->name != NULL ? (const void *)view->text.bytes : made.data,
                  view->name != NULL ? view->text.size : made.size, &text);
    text.failed = text.failed || made.failed;
    bytes_release(&made);
    bytes_append_text(&text, "</script>\n");
    const bool done = !text.failed ? sink->append(sink->context, text.data, text.size, err)
                                   : err_set(err, ERR_MEMORY, "out of memory for the view");
    bytes_release(&text);
    return done;
}

static const SiteFile *find_page(void)
{
    const SiteFile *file = SITE_FILES;
    while (file->path != NULL && strcmp(file->path, "share.html") != 0)
        file++;
    return file->path == NULL ? NULL : file;
}

ExitStatus convert_html(const Cli *cli, const Loaded *loaded, const ViewArgument *view, const char *path)
{
    Err              err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    WriterReport     report = { .loss_count = 0 };
    FileWriter       file;
    const OutputSink sink = output_to_file(&file);
    const SiteFile  *page = find_page();
    if (page == NULL) {
        (void)fputs("varve: --to=html needs the viewer, which this build does not have (-Dweb=disabled)\n",
                    stderr);
        return EXIT_OUTPUT;
    }
    if (!file_writer_open(&file, path, &err)) return losses_fail(loaded->name, path, &err);
    if (!sink.append(sink.context, page->bytes, page->size, &err) ||
        !write_blocks(cli, loaded, &sink, &report, &err) || !write_view(cli, loaded, view, &sink, &err) ||
        !append_text(&sink, "</body>\n</html>\n", &err) || !file_writer_commit(&file, &err)) {
        file_writer_abort(&file);
        return losses_fail(loaded->name, path, &err);
    }
    api_report_losses(&report, losses_note, &(LossOutput){ cli, path });
    return EXIT_DONE;
}
