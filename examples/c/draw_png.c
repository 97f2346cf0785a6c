/* Draws the timeline of traces, one below the other, as a PNG.
 * usage: draw_png OUT.png TRACE... */
#include <stdio.h>
#include <varve/varve.h>

int main(int argc, char **argv)
{
    VarveError   error = { .message = "usage: draw_png OUT.png TRACE... (1 to 16)" };
    VarveTrace  *traces[16] = { NULL };
    VarvePicture picture = { .kind = VARVE_PNG, .theme = VARVE_DARK, .width_px = 1200, .scale = 2 };
    uint32_t     count = 0;
    bool         is_done = argc > 2 && argc <= 18;
    for (; is_done && count + 2 < (uint32_t)argc; count++)
        is_done = (traces[count] = varve_open(argv[count + 2], NULL, &error)) != NULL;
    is_done =
        is_done && varve_render_file((const VarveTrace *const *)traces, count, &picture, argv[1], &error);
    if (!is_done) fprintf(stderr, "%s\n", error.message);
    for (uint32_t i = 0; i < count; i++)
        varve_close(traces[i]);
    return is_done ? 0 : 1;
}
