/* Marks and notes: commands, undo, flags, and their files. */
#include "support/test.h"
#include "view/note_flags.h"
#include "view/notes.h"
#include "view_support.h"

static size_t count_of(const TestHost *host)
{
    size_t count;
    (void)view_notes(host->view, &count);
    return count;
}

static ViewNote note_of(const TestHost *host, size_t i)
{
    size_t          count;
    const ViewNote *notes = view_notes(host->view, &count);
    CHECK(i < count);
    return i < count ? notes[i] : (ViewNote){ .id = 0 };
}

static bool has_text(const ViewNote *note, const char *text)
{
    return note->text_size == strlen(text) && memcmp(note->text, text, note->text_size) == 0;
}

/* Returns x of the plot's pixel in CSS pixels of the canvas. */
static double plot(const TestHost *host, double x)
{
    return host->view->screen.geometry.plot_x + x;
}

TEST(m_marks_the_pointer_the_selection_or_the_middle)
{
    TestHost host = host_with_trace();
    host_rest(&host);
    host_key(&host, "KeyM", 0);
    SlicePlace load = load_place();
    view_select(host.view, &load, host.now_ms);
    host_key(&host, "KeyM", 0);
    host_move(&host, plot(&host, 100), 300);
    const int64_t at = axis_to_offset(&view_trace(host.view, 0)->map, view_axis_at(host.view, 100));
    host_key(&host, "KeyM", 0);
    CHECK(count_of(&host) == 3);
    bool has_middle = false, has_load = false, has_pointer = false;
    for (size_t i = 0; i < 3; i++) {
        const ViewNote note = note_of(&host, i);
        CHECK(note.begin == note.end);
        has_middle |= has_text(&note, "Mark 1");
        has_load |= has_text(&note, "Mark 2") && note.begin == load.begin;
        has_pointer |= has_text(&note, "Mark 3") && (int64_t)note.begin == at;
    }
    CHECK(has_middle && has_load && has_pointer);
    host_destroy(&host);
}

TEST(a_click_in_the_ruler_marks_and_a_click_on_the_flag_selects)
{
    TestHost    host = host_with_trace();
    ViewEvent   event;
    const float before = (float)host.view->screen.geometry.pinned_y;
    host_rest(&host);
    host_click(&host, plot(&host, 300), 60);
    host_rest(&host);
    CHECK(count_of(&host) == 1 && view_selected_note(host.view) == note_of(&host, 0).id);
    const Geometry *g = &host.view->screen.geometry;
    CHECK(g->strip_h > 0 && (float)g->pinned_y > before);
    host_key(&host, "Escape", 0);
    CHECK(view_selected_note(host.view) == 0);
    CHECK(!host_event(&host, VIEW_EVENT_COMMAND, &event));
    host_click(&host, plot(&host, 303), g->strip_y + 5);
    CHECK(view_selected_note(host.view) == note_of(&host, 0).id && count_of(&host) == 1);
    CHECK(host_event(&host, VIEW_EVENT_NOTES, &event) && strcmp(event.command, "show") == 0);
    int64_t begin, end, begin_now, end_now;
    view_get_range(host.view, 0, &begin, &end);
    host_drag(&host, plot(&host, 400), 60, plot(&host, 600), 60, 0); /* still zooms */
    host_rest(&host);
    view_get_range(host.view, 0, &begin_now, &end_now);
    CHECK(count_of(&host) == 1 && end_now - begin_now < end - begin);
    host_destroy(&host);
}

TEST(changes_are_undone_and_redone)
{
    TestHost host = host_with_trace();
    host_rest(&host);
    host_click(&host, plot(&host, 300), 60);
    const uint32_t id = note_of(&host, 0).id;
    CHECK(view_change_note(host.view, id, 4, "slow\nhere", 9));
    const ViewNote named = note_of(&host, 0);
    CHECK(has_text(&named, "slow here") && named.colour == 4);
    host_key(&host, "Delete", 0);
    CHECK(count_of(&host) == 0);
    host_key(&host, "KeyZ", MOD_CTRL);
    const ViewNote back = note_of(&host, 0);
    CHECK(has_text(&back, "slow here"));
    host_key(&host, "KeyZ", MOD_CTRL);
    const ViewNote first = note_of(&host, 0);
    CHECK(has_text(&first, "Mark 1"));
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK(count_of(&host) == 0);
    host_key(&host, "KeyY", MOD_CTRL);
    CHECK(count_of(&host) == 1);
    CHECK(!view_change_note(host.view, id + 7, 0, "", 0));
    for (int i = 0; i < 200; i++) /* versions are reused */
        CHECK(view_change_note(host.view, id, (uint32_t)i % 8, "again", 5));
    host_destroy(&host);
}

TEST(the_area_gets_a_note)
{
    TestHost  host = host_with_trace();
    ViewEvent area, event;
    host_rest(&host);
    host_key(&host, "KeyM", MOD_SHIFT);
    CHECK(count_of(&host) == 0 && host_event(&host, VIEW_EVENT_COMMAND, &event) &&
          strcmp(event.command, "nothing-to-note") == 0);
    host_drag(&host, plot(&host, 100), 200, plot(&host, 400), 300, 0);
    CHECK(view_area_in(host.view, 0, &area));
    host_key(&host, "KeyM", MOD_SHIFT);
    const ViewNote note = note_of(&host, 0);
    CHECK((int64_t)note.begin == area.begin && (int64_t)note.end == area.end && has_text(&note, "Note 1"));
    CHECK(host_event(&host, VIEW_EVENT_NOTES, &event) && strcmp(event.command, "name") == 0);
    host_destroy(&host);
}

static void save_marks(TestHost *host, Bytes *out)
{
    view_save(host->view, &(ViewSaving){ .parts = VIEW_FILE_MARKS, .trace = VIEW_ALL_TRACES }, out);
}

static bool load_marks(TestHost *host, const char *text, size_t size, ViewFileUse use, Err *err)
{
    ViewLoaded loaded;
    const bool done = view_load(host->view, text, size, use, &loaded, err);
    CHECK(!loaded.has_state);
    view_loaded_release(&loaded);
    return done;
}

TEST(a_file_of_marks_can_be_read_again)
{
    TestHost host = host_with_trace();
    Bytes    saved = { 0 }, again = { 0 };
    Err      err;
    host_rest(&host);
    view_set_identity(host.view, 0, "0123456789abcdef", 16);
    host_click(&host, plot(&host, 300), 60);
    host_click(&host, plot(&host, 500), 60);
    CHECK(view_change_note(host.view, note_of(&host, 0).id, 5, "\"quoted\" \xC3\xA9", 11));
    save_marks(&host, &saved);
    CHECK(load_marks(&host, (const char *)saved.data, saved.size, VIEW_FILE_OPENED, &err));
    CHECK(count_of(&host) == 2); /* each only once */
    host_key(&host, "Delete", 0);
    view_remove_note(host.view, note_of(&host, 0).id);
    CHECK(count_of(&host) == 0);
    CHECK(load_marks(&host, (const char *)saved.data, saved.size, VIEW_FILE_STORED, &err));
    save_marks(&host, &again);
    CHECK(again.size == saved.size && memcmp(again.data, saved.data, saved.size) == 0);
    CHECK(load_marks(&host, (const char *)saved.data, saved.size, VIEW_FILE_STORED, &err));
    CHECK(count_of(&host) == 2);       /* stored marks replace those of their trace */
    host_key(&host, "KeyZ", MOD_CTRL); /* the stored marks do not become a step of the history */
    CHECK(count_of(&host) == 2);
    bytes_release(&saved);
    bytes_release(&again);
    host_destroy(&host);
}

TEST(a_wrong_file_of_marks_is_refused_with_its_place)
{
    static const struct {
        const char *text;
        uint64_t    offset;
    } FILES[] = {
        { "{\"varve_view\":1,\"traces\":[{\"marks\":[{\"begin\":-1}]}]}", 45 },
        { "{\"varve_view\":1,\"traces\":[{\"marks\":[{\"begin\":18446744073709551616}]}]}", 45 },
        { "{\"varve_view\":1,\"traces\":[{\"marks\":[{\"begin\":5,\"end\":4}]}]}", 36 },
        { "{\"varve_view\":1,\"traces\":[{\"marks\":[{}]}]}", 36 },
        { "{\"varve_view\":1,\"traces\":[{\"marks\":[{\"begin\":1,\"colour\":\"puce\"}]}]}", 56 },
        { "{\"varve_view\":1,\"traces\":[{\"marks\":7}]}", 35 },
        { "{\"varve_view\":1,\"traces\":[{},{}]}", 25 },
        { "{\"varve_view\":2}", 0 },
        { "{}", 0 },
        { "[]", 0 },
        { "{\"varve_view\":1", 15 },
        { "", 0 },
    };
    TestHost host = host_with_trace();
    host_rest(&host);
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Err err = { .offset = ERR_NOWHERE };
        CHECK(!load_marks(&host, FILES[i].text, strlen(FILES[i].text), VIEW_FILE_OPENED, &err));
        CHECK_UINT(err.offset, FILES[i].offset);
        CHECK(count_of(&host) == 0);
    }
    host_destroy(&host);
}

static int texts_in(const DrawList *list, const char *text)
{
    int          found = 0;
    const size_t size = strlen(text);
    for (uint32_t i = 0; i < list->text_count; i++)
        found += list->texts[i].length == size && memcmp(list->text + list->texts[i].offset, text, size) == 0;
    return found;
}

TEST(flags_are_drawn_below_the_ruler_and_in_the_minimap)
{
    TestHost host = host_with_trace();
    host_rest(&host);
    const uint32_t before = host_rest(&host)->shape_count;
    host_click(&host, plot(&host, 300), 60);
    host_move(&host, plot(&host, 300), 400);
    const DrawList *list = host_rest(&host);
    CHECK(list->shape_count > before);
    CHECK(texts_in(list, "Mark 1") == 2);
    host_destroy(&host);
}

TEST(a_global_instant_at_the_begin_has_its_name_after_the_stamp)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X0..1000:main g0:navigation"), "page.json");
    const DrawList *list = host_rest(&host);
    double          stamp_x = -1, name_x = -1;
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText  *text = &list->texts[i];
        const StringView shown = { list->text + text->offset, text->length };
        if (text->baseline > host.view->screen.geometry.ruler_y + 22 || text->x < plot(&host, 0)) continue;
        if (string_equal(shown, STRING_LITERAL("navigation"))) name_x = (double)text->x;
        if (string_equal(shown, STRING_LITERAL("0 s"))) stamp_x = (double)text->x;
    }
    CHECK(stamp_x >= 0 && name_x > stamp_x + 12);
    host_destroy(&host);
}

TEST(the_last_of_marks_at_one_time_is_on_top_in_the_minimap)
{
    static const char FILE_OF_TWO[] = "{\"varve_view\":1,\"traces\":[{\"marks\":["
                                      "{\"begin\":500,\"text\":\"one\"},{\"begin\":500,\"text\":\"two\"}]}]}";
    TestHost          host = host_with_trace();
    Err               err;
    host_rest(&host);
    CHECK_DONE(load_marks(&host, FILE_OF_TWO, sizeof FILE_OF_TWO - 1, VIEW_FILE_OPENED, &err), err);
    host_move(&host, plot(&host, 300), 400);
    const DrawList *list = host_rest(&host);
    CHECK(texts_in(list, "two") == 2 && texts_in(list, "one") == 0);
    host_destroy(&host);
}

TEST_MAIN("view/notes", TEST_CASE(m_marks_the_pointer_the_selection_or_the_middle),
          TEST_CASE(a_click_in_the_ruler_marks_and_a_click_on_the_flag_selects),
          TEST_CASE(changes_are_undone_and_redone), TEST_CASE(the_area_gets_a_note),
          TEST_CASE(a_file_of_marks_can_be_read_again),
          TEST_CASE(a_wrong_file_of_marks_is_refused_with_its_place),
          TEST_CASE(flags_are_drawn_below_the_ruler_and_in_the_minimap),
          TEST_CASE(a_global_instant_at_the_begin_has_its_name_after_the_stamp),
          TEST_CASE(the_last_of_marks_at_one_time_is_on_top_in_the_minimap))
