/* paint.h in a build without Cairo. */
#include "paint/paint.h"

PaintFonts paint_fonts(void)
{
    return (PaintFonts){ .size = { 0 } };
}

static bool refuse(Err *err)
{
    return err_set(err, ERR_UNKNOWN, "this build has no pictures (-Dminimal=true)");
}

bool paint_png(const DrawList *list, const PaintFonts *fonts, unsigned threads, Bytes *out, Err *err)
{
    (void)list, (void)fonts, (void)threads, (void)out;
    return refuse(err);
}

bool paint_svg(const DrawList *list, double device_pixels_per_px, const PaintFonts *fonts, Bytes *out,
               Err *err)
{
    (void)list, (void)device_pixels_per_px, (void)fonts, (void)out;
    return refuse(err);
}

bool paint_pdf(const DrawList *list, double device_pixels_per_px, const PaintFonts *fonts, Bytes *out,
               Err *err)
{
    (void)list, (void)device_pixels_per_px, (void)fonts, (void)out;
    return refuse(err);
}
