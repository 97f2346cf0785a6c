#include "format/unknown.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *bytes;
    size_t      size;
    const char *noun;
} OTHER_FILES[] = {
    { "\x7f"
      "ELF",
      4, "a program (ELF)" },
    { "\x89"
      "PNG",
      4, "a picture (PNG)" },
    { "%PDF", 4, "a PDF document" },
    { "SQLite format 3", 15, "an SQLite database" },
    { "2ELIFREP", 8, "perf.data of a big-endian machine" },
    { "\xc1\x1f\xfc\xc1", 4, "a CTF stream" },
    { "tracy", 5, "a Tracy capture" },
    { "tlZ\x04", 4, "a Tracy capture" },
    { "tZst", 4, "a Tracy capture" },
    { "PAR1", 4, "a Parquet file" },
    { "ARROW1", 6, "an Arrow file" },
    { "<", 1, "HTML or XML" },
    { "\n", 1, "a protocol buffer" },
};

enum { SHOWN_TEXT = 24 };

static bool is_text(const uint8_t *head, size_t size)
{
    enum { CUT_CHARACTER = 3 }; /* bytes of a character that the end of the head may cut */
    if (utf8_valid_prefix(head, size) + CUT_CHARACTER < size) return false;
    for (size_t i = 0; i < size; i++)
        if ((head[i] < 0x20 && memchr("\t\r\n", head[i], 3) == NULL) || head[i] == 0x7f) return false;
    return true;
}

void describe_unknown(const uint8_t *head, size_t size, char out[UNKNOWN_TEXT])
{
    if (size > UNKNOWN_TEXT) size = UNKNOWN_TEXT;
    for (size_t i = 0; i < sizeof OTHER_FILES / sizeof OTHER_FILES[0]; i++) {
        if (size < OTHER_FILES[i].size || memcmp(head, OTHER_FILES[i].bytes, OTHER_FILES[i].size) != 0)
            continue;
        if (head[0] == '\n' && is_text(head, size)) continue;
        (void)snprintf(out, UNKNOWN_TEXT, "%s", OTHER_FILES[i].noun);
        return;
    }
    if (size == 0 || !is_text(head, size)) {
        (void)snprintf(out, UNKNOWN_TEXT, "unknown binary data");
        return;
    }
    size_t shown = 0;
    for (; size > 0 && *head <= ' '; head++)
        size--;
    while (shown < size && head[shown] >= ' ')
        shown++;
    shown = utf8_cut(head, shown, shown < SHOWN_TEXT ? shown : SHOWN_TEXT);
    (void)snprintf(out, UNKNOWN_TEXT, "a text that begins with \"%.*s\"", (int)shown, (const char *)head);
}
