/* Exports of the timeline for notes and view files: see view_exports.c. */
#include "app/wasm/export.h"
#include "app/wasm/view_page.h"
#include "base/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

WASM_EXPORT(view_notes_json) void page_notes_json(PageView *page)
{
    bytes_clear(&page->out);
    view_notes_json(page->view, &page->out);
}

WASM_EXPORT(view_select_note) void page_select_note(PageView *page, uint32_t id)
{
    view_select_note(page->view, id);
}

/* The input contains the text. */
WASM_EXPORT(view_change_note) bool page_change_note(PageView *page, uint32_t id, uint32_t colour, size_t size)
{
    return view_change_note(page->view, id, colour, page_text(page), size);
}

WASM_EXPORT(view_remove_note) void page_remove_note(PageView *page, uint32_t id)
{
    view_remove_note(page->view, id);
}

/* The input contains the identity. */
WASM_EXPORT(view_set_identity) void page_set_identity(PageView *page, uint32_t trace, size_t size)
{
    view_set_identity(page->view, trace, page_text(page), size);
}

/* Returns the text at *at, which ends with a zero byte, and moves *at behind it. */
static StringView next_text(const char **at)
{
    const StringView text = { *at, strlen(*at) };
    *at += text.size + 1;
    return text;
}

/* The input: panel, search, query and slice, each with a zero byte behind it. */
WASM_EXPORT(view_save) void page_save(PageView *page, uint32_t parts, uint32_t trace)
{
    const char *at = page_text(page);
    ViewSaving  saving = { .parts = parts, .trace = trace };
    saving.page.panel = next_text(&at);
    saving.page.search = next_text(&at);
    saving.page.query = next_text(&at);
    saving.page.slice = next_text(&at);
    bytes_clear(&page->out);
    view_save(page->view, &saving, &page->out);
}

/* Writes the selection with its times as texts, because they can exceed 2^53. */
static void put_selection(JsonWriter *w, const ViewLoaded *loaded)
{
    char begin[24];
    json_key(w, "selection");
    if (!loaded->has_selection) {
        json_null(w);
        return;
    }
    (void)snprintf(begin, sizeof begin, "%" PRIu64, loaded->selection.begin);
    json_object_begin(w);
    json_put_bool(w, "is_instant", loaded->selects_instant);
    json_put_bool(w, "is_sample", loaded->selects_sample);
    json_put_u64(w, "trace", loaded->selection.trace);
    json_put_u64(w, "track", loaded->selection.track);
    json_put_u64(w, "row", loaded->selection.row);
    json_put_string(w, "begin", begin);
    json_put_view(w, "name", loaded->page.slice);
    json_object_end(w);
}

static void put_loaded(const ViewLoaded *loaded, Bytes *out)
{
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_bool(&w, "has_state", loaded->has_state);
    json_put_u64(&w, "other_traces", loaded->other_traces);
    json_put_u64(&w, "unknown_traces", loaded->unknown_traces);
    json_put_u64(&w, "missing_rows", loaded->missing_rows);
    json_put_u64(&w, "unknown_members", loaded->unknown_members);
    json_put_view(&w, "first_unknown", loaded->first_unknown);
    json_put_view(&w, "name", loaded->name);
    put_selection(&w, loaded);
    json_put_view(&w, "panel", loaded->page.panel);
    json_put_view(&w, "search", loaded->page.search);
    json_put_view(&w, "query", loaded->page.query);
    json_object_end(&w);
}

/* The input contains the view file. The output is a ViewLoaded as JSON; on failure the reason. */
WASM_EXPORT(view_load) bool page_load(PageView *page, ViewFileUse use, size_t size)
{
    Err        err;
    ViewLoaded loaded;
    const bool done = view_load(page->view, page_text(page), size, use, &loaded, &err);
    char       text[sizeof err.message + 64];
    bytes_clear(&page->out);
    if (done) {
        put_loaded(&loaded, &page->out);
    } else {
        (void)err_format(&err, text, sizeof text);
        bytes_append_text(&page->out, text);
    }
    view_loaded_release(&loaded);
    return done;
}

/* The input of both functions: a SlicePlace. */
WASM_EXPORT(view_restore_slice) void page_restore_slice(PageView *page)
{
    view_restore_slice(page->view, page_struct(page, sizeof(SlicePlace)));
}

WASM_EXPORT(view_restore_instant) void page_restore_instant(PageView *page)
{
    view_restore_instant(page->view, page_struct(page, sizeof(SlicePlace)));
}
