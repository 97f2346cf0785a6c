#include "app/cli/view_argument.h"

#include "app/cli/traces.h"
#include "base/base64.h"
#include "base/file.h"

#include <string.h>

static const char FRAGMENT[] = "#view=";

static bool is_view_file(const char *name)
{
    static const char SUFFIX[] = ".varve-view";
    const size_t      size = strlen(name);
    return size >= sizeof SUFFIX && strcmp(name + size - (sizeof SUFFIX - 1), SUFFIX) == 0;
}

/* Returns the encoded view of a link; NULL for another argument. */
static const char *link_view(const char *word)
{
    const char *fragment = strstr(word, FRAGMENT);
    return load_is_address(word) && fragment != NULL ? fragment + sizeof FRAGMENT - 1 : NULL;
}

/* Appends the text of a view file or link. */
static bool read_view(const char *word, Bytes *text, Err *err)
{
    const char *code = link_view(word);
    size_t      fault;
    if (code == NULL) return file_read_whole(word, text, err);
    if (!base64_url_append((StringView){ code, strcspn(code, "&") }, text, &fault))
        return err_set(err, ERR_CORRUPT, "damaged at character %zu", (size_t)(code - word) + fault + 1);
    return !text->failed || err_set(err, ERR_MEMORY, "out of memory for the view");
}

/* Sets the perspective and the axis of the loads to those of the view, unless they are given. */
static bool settle_load(Cli *cli, StringView view, Err *err)
{
    VarveBytes perspective = { 0 };
    VarveAxis  axis;
    VarveError error;
    if (!varve_view_needs(view.bytes, view.size, &perspective, &axis, &error)) {
        *err = cli_library_err(&error);
        return false;
    }
    const char *name = arena_push_copy(&cli->arena, perspective.bytes, perspective.size_bytes);
    varve_bytes_release(&perspective);
    if (name == NULL) return err_set(err, ERR_MEMORY, "out of memory for the view");
    if (*name != '\0' && cli_option(cli, "perspective") == NULL)
        cli->load.perspective = strcmp(name, "all") == 0 ? NULL : name;
    if (axis == VARVE_AXIS_CALLS && cli_option(cli, "axis") == NULL) cli->load.widths = WIDTHS_OF_CALLS;
    return true;
}

static ExitStatus load_view(Cli *cli, ViewArgument *view)
{
    Err   err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Bytes text = { 0 };
    bool  done = read_view(view->name, &text, &err);
    if (done) {
        view->text = (StringView){ arena_push_copy(&cli->arena, text.data, text.size), text.size };
        done = view->text.bytes != NULL || err_set(&err, ERR_MEMORY, "out of memory for the view");
    }
    bytes_release(&text);
    if (done && settle_load(cli, view->text, &err)) return EXIT_DONE;
    cli_input_error(link_view(view->name) == NULL ? view->name : "the link", &err);
    return EXIT_INPUT;
}

ExitStatus view_argument_take(Cli *cli, ViewArgument *view)
{
    size_t kept = 0;
    *view = (ViewArgument){ .name = NULL };
    for (size_t i = 0; i < cli->file_count; i++) {
        const char *word = cli->files[i];
        if (!is_view_file(word) && link_view(word) == NULL) {
            cli->files[kept++] = word;
            continue;
        }
        if (view->name != NULL) return cli_usage_error(cli, "%s: there can be only one view", word);
        view->name = word;
    }
    cli->file_count = kept;
    return view->name == NULL ? EXIT_DONE : load_view(cli, view);
}

/* -- the view in an HTML page -- */

enum { LONGEST_VIEW = 4 << 20 }; /* in base64 */

/* Returns the block at the end of a page that has its view, up to the base64. NULL: the last block is another one, or the view is
 * one of a cut, whose times count from the begin of the whole trace. */
static char *find_view_block(char *end_of_page, size_t size)
{
    static const char TAG[] = "<script type=\"text/plain\" data-view=\"\">", ANY[] = "<script";
    enum { TAG_BYTES = sizeof TAG - 1, ANY_BYTES = sizeof ANY - 1 };
    for (size_t at = size < TAG_BYTES ? 0 : size - TAG_BYTES + 1; at-- > 0;) {
        if (memcmp(end_of_page + at, ANY, ANY_BYTES) != 0) continue;
        return memcmp(end_of_page + at, TAG, TAG_BYTES) == 0 ? end_of_page + at + TAG_BYTES : NULL;
    }
    return NULL;
}

/* Appends the bytes of base64 of the usual alphabet, up to a character outside of it. */
static bool append_decoded(char *code, const char *end, Bytes *out)
{
    size_t fault, size = 0;
    for (; code + size < end && code[size] != '=' && code[size] != '<'; size++) {
        if (code[size] == '+') code[size] = '-';
        if (code[size] == '/') code[size] = '_';
    }
    return base64_url_append((StringView){ code, size }, out, &fault) && !out->failed;
}

/* Appends the view of a page; no bytes if it has none. */
static void read_page_view(const char *path, char *buffer, Bytes *text)
{
    FileReader file;
    Err        err;
    if (!file_reader_open(path, &file, &err)) return; /* its load reports the error */
    const uint64_t begin = file.size < LONGEST_VIEW ? 0 : file.size - LONGEST_VIEW;
    const int64_t  size = file_reader_read(&file, begin, buffer, LONGEST_VIEW);
    char          *code = size <= 0 ? NULL : find_view_block(buffer, (size_t)size);
    if (code != NULL && !append_decoded(code, buffer + size, text)) bytes_clear(text);
    file_reader_close(&file);
}

static bool is_page_file(const char *path)
{
    return path_has_suffix(path, "html") || path_has_suffix(path, "htm");
}

void view_argument_of_page(Cli *cli, ViewArgument *view)
{
    Err   err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Bytes text = { 0 };
    if (view->name != NULL || cli->file_count != 1 || !is_page_file(cli->files[0]) ||
        load_is_address(cli->files[0]))
        return;
    Arena arena = arena_create(0);
    char *buffer = arena_push_raw(&arena, 1, LONGEST_VIEW);
    if (buffer != NULL) read_page_view(cli->files[0], buffer, &text);
    if (text.size > 0 && settle_load(cli, bytes_view(&text), &err)) {
        view->text = (StringView){ arena_push_copy(&cli->arena, text.data, text.size), text.size };
        if (view->text.bytes == NULL) view->text = (StringView){ "", 0 };
    }
    bytes_release(&text);
    arena_release(&arena);
}
