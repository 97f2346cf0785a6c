/* Pictures. */
#include "api/api.h"
#include "base/file.h"
#include "paint/paint.h"
#include "paint/picture.h"
#include "view/layout.h"

#include <stdio.h>

static const double USUAL_WIDTH_PX = 1600, MOST_PX = 32767, MOST_SCALE = 16;

static bool paint(const DrawList *list, const VarvePicture *picture, double scale, Bytes *out, Err *err)
{
    const PaintFonts fonts = paint_fonts();
    switch (picture->kind) {
    case VARVE_PNG:
        return paint_png(list, &fonts, api_threads(picture->thread_count), out, err);
    case VARVE_SVG:
        return paint_svg(list, scale, &fonts, out, err);
    case VARVE_PDF:
        return paint_pdf(list, scale, &fonts, out, err);
    }
    return err_set(err, ERR_USAGE, "there is no kind of picture %d", (int)picture->kind);
}

/* True if the numbers are in range; false for NaN, too. */
static bool check(const VarvePicture *picture, Err *err)
{
    if (picture->width_px >= 0 && picture->width_px <= MOST_PX && picture->height_px >= 0 &&
        picture->height_px <= MOST_PX && picture->scale >= 0 && picture->scale <= MOST_SCALE)
        return true;
    return err_set(err, ERR_USAGE, "a picture has up to %.0f px in a direction and a scale up to %.0f",
                   MOST_PX, MOST_SCALE);
}

/* Reports a difference between the view file and the traces: a text between two others. */
static void report_difference(const VarvePicture *picture, const char *before, StringView text,
                              const char *after)
{
    Bytes out = { 0 };
    bytes_append_text(&out, before);
    bytes_append(&out, text.bytes, text.size);
    bytes_append_text(&out, after);
    picture->difference(picture->context, api_text(bytes_view(&out)));
    bytes_release(&out);
}

static void report_view(const VarvePicture *picture, const ViewLoaded *shown)
{
    char number[16];
    if (picture->difference == NULL) return;
    if (shown->other_traces + shown->unknown_traces > 0)
        report_difference(picture, "the view is of other content (", shown->name,
                          "): only the parts that fit are drawn");
    const int digits = snprintf(number, sizeof number, "%u", shown->missing_rows);
    if (shown->missing_rows > 0)
        report_difference(picture, "the trace does not have ", (StringView){ number, (size_t)digits },
                          " rows of the view");
    if (shown->unknown_members > 0) report_difference(picture, "unknown member '", shown->first_unknown, "'");
}

static bool draw(const VarveTrace *const *traces, uint32_t count, const VarvePicture *picture, Bytes *out,
                 Err *err)
{
    Arena           arena = arena_create(0);
    Loaded         *loaded = ARENA_ARRAY(&arena, Loaded, count);
    ViewLoaded      shown = { .has_state = false };
    View           *view = NULL;
    const DrawList *list = NULL;
    PictureOptions  options = { .width_px = picture->width_px > 0 ? picture->width_px : USUAL_WIDTH_PX,
                                .height_px = picture->height_px,
                                .scale = picture->scale > 0 ? picture->scale : 1,
                                .theme = picture->theme == VARVE_DARK ? THEME_DARK : THEME_LIGHT,
                                .range = picture->range,
                                .tracks = picture->tracks,
                                .select_name = picture->select_name,
                                .flows = picture->flows,
                                .sort = picture->sort,
                                .overlay = picture->overlay,
                                .groups = picture->groups,
                                .color = picture->color_by,
                                .palette = picture->palette,
                                .rows = picture->row_heights,
                                .hide = { picture->categories, picture->hidden_categories },
                                .view = { picture->view_json, picture->view_bytes },
                                .threads = api_threads(picture->thread_count) };
    bool            is_done = check(picture, err);
    if (is_done && count == 0) is_done = err_set(err, ERR_USAGE, "a picture needs a trace");
    if (is_done && loaded == NULL) is_done = err_set(err, ERR_MEMORY, "out of memory for the picture");
    for (uint32_t i = 0; is_done && i < count; i++)
        loaded[i] = traces[i]->loaded; /* shares everything; not released */
    if (is_done) view = picture_create(loaded, count, &options, &list, &shown, err);
    is_done = view != NULL;
    if (is_done && picture->tracks != NULL && !layout_filter_finds(view))
        is_done = err_set(err, ERR_USAGE, "--tracks=%.100s: no title of a track or process contains it",
                          picture->tracks);
    if (is_done) report_view(picture, &shown);
    is_done = is_done && paint(list, picture, options.scale, out, err);
    view_loaded_release(&shown);
    view_destroy(view);
    arena_release(&arena);
    return is_done;
}

static const VarvePicture USUAL = { .kind = VARVE_PNG };

bool varve_render(const VarveTrace *const *traces, uint32_t trace_count, const VarvePicture *picture,
                  VarveBytes *out, VarveError *error)
{
    Err        err = API_ERR;
    Bytes      made = { 0 };
    const bool is_done = draw(traces, trace_count, picture == NULL ? &USUAL : picture, &made, &err);
    if (is_done) api_give_bytes(&made, out);
    bytes_release(&made);
    return is_done || api_fail(&err, error);
}

bool varve_render_file(const VarveTrace *const *traces, uint32_t trace_count, const VarvePicture *picture,
                       const char *path, VarveError *error)
{
    Err        err = API_ERR;
    Bytes      made = { 0 };
    const bool is_done = draw(traces, trace_count, picture == NULL ? &USUAL : picture, &made, &err) &&
                         file_write_whole(path, made.data, made.size, &err);
    bytes_release(&made);
    return is_done || api_fail(&err, error);
}

bool varve_view_needs(const char *view_json, size_t view_bytes, VarveBytes *perspective, VarveAxis *axis,
                      VarveError *error)
{
    Err           err = API_ERR;
    Arena         arena = arena_create(0);
    Bytes         text = { 0 };
    ViewFileNeeds needs;
    bool          is_done = view_file_needs(view_json, view_bytes, &arena, &needs, &err);
    if (is_done) {
        bytes_append(&text, needs.perspective.bytes, needs.perspective.size);
        bytes_append(&text, "", 1);
        is_done = !text.failed || err_set(&err, ERR_MEMORY, "out of memory for the perspective");
    }
    if (is_done) {
        *axis = needs.axis == VIEW_AXIS_CALLS ? VARVE_AXIS_CALLS : VARVE_AXIS_EVENTS;
        api_give_bytes(&text, perspective);
    }
    bytes_release(&text);
    arena_release(&arena);
    return is_done || api_fail(&err, error);
}
