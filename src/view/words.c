#include "view/words.h"

#include "base/digits.h"

#include <string.h>

typedef struct WordRow {
    const char *id;
    const char *one; /* NULL = as `other` */
    const char *other;
} WordRow;

/* clang-format off */
static const WordRow ENGLISH[WORDS] = {
    [WORD_AFTER_FIRST] = { "after-first", NULL, "begins {value} after the first trace" },
    [WORD_AND_LAST] = { "and-last", NULL, ", at last {value}" },
    [WORD_BACKWARDS] = { "backwards", NULL, ", backwards" },
    [WORD_BEFORE_FIRST] = { "before-first", NULL, "begins {value} before the first trace" },
    [WORD_DELAY] = { "delay", NULL, "delay" },
    [WORD_DURATION] = { "duration", NULL, "duration" },
    [WORD_FLOW] = { "flow", NULL, "Flow" },
    [WORD_FLOWS_HERE] = { "flows-here", "{count} flow here: L shows it", "{count} flows here: L shows them" },
    [WORD_FLOWS_IN_LINE] = { "flows-in-line", "{count} flow in one line", "{count} flows in one line" },
    [WORD_FLOWS_IN_LINES] = { "flows-in-lines", "{count} flow in {value} lines", "{count} flows in {value} lines" },
    [WORD_FLOWS_SHARE] = { "flows-share", "{count} flow shares this line", "{count} flows share this line; this is the first" },
    [WORD_FLOWS_UNDRAWN] = { "flows-undrawn", "{count} flow here, not drawn", "{count} flows here, not drawn" },
    [WORD_GOROUTINES] = { "goroutines", "{count}\xE2\x80\xAFgoroutine", "{count}\xE2\x80\xAFgoroutines" },
    [WORD_IN_ALL] = { "in-all", NULL, "{value} in all" },
    [WORD_INSTANTS] = { "instants", "{count}\xE2\x80\xAFinstant", "{count}\xE2\x80\xAFinstants" },
    [WORD_INSTANTS_SHARE] = { "instants-share", "{count} instant shares this pixel", "{count} instants share this pixel" },
    [WORD_LEAVES] = { "leaves", NULL, "leaves" },
    [WORD_LENGTH] = { "length", NULL, "length" },
    [WORD_LONGEST] = { "longest", NULL, "longest" },
    [WORD_MARK] = { "mark", NULL, "Mark {value}" },
    [WORD_MORE_DETAILS] = { "more-details", NULL, "\xE2\x80\xA6 more in the details" },
    [WORD_MORE_ROWS] = { "more-rows", "{count} more row", "{count} more rows" },
    [WORD_MORE_SERIES] = { "more-series", "\xE2\x80\xA6 and {count} more series", "\xE2\x80\xA6 and {count} more series" },
    [WORD_NO_NAME] = { "no-name", NULL, "(no name)" },
    [WORD_NOTE] = { "note", NULL, "Note {value}" },
    [WORD_OBJECTS] = { "objects", "{count}\xE2\x80\xAFobject", "{count}\xE2\x80\xAFobjects" },
    [WORD_PROCESSORS] = { "processors", "{count}\xE2\x80\xAFprocessor", "{count}\xE2\x80\xAFprocessors" },
    [WORD_REPAIRED] = { "repaired", NULL, "its times had to be repaired" },
    [WORD_ROW] = { "row", NULL, "row {value}" },
    [WORD_SELF] = { "self", NULL, "self" },
    [WORD_SLICES] = { "slices", "{count}\xE2\x80\xAFslice", "{count}\xE2\x80\xAFslices" },
    [WORD_SLICES_SHARE] = { "slices-share", "{count} slice shares this pixel", "{count} slices share this pixel; mostly this name" },
    [WORD_START] = { "start", NULL, "start" },
    [WORD_THREAD] = { "thread", NULL, "thread" },
    [WORD_THREADS] = { "threads", "{count}\xE2\x80\xAFthread", "{count}\xE2\x80\xAFthreads" },
    [WORD_TIME] = { "time", NULL, "time" },
    [WORD_TO] = { "to", NULL, " to " },
    [WORD_TO_BEGIN] = { "to-begin", NULL, "click: to where it begins" },
    [WORD_TO_END] = { "to-end", NULL, "click: to where it ends" },
    [WORD_TOGETHER] = { "together", NULL, "together" },
    [WORD_TRACES] = { "traces", "{count} trace", "{count} traces" },
    [WORD_TRACK] = { "track", NULL, "track" },
    [WORD_TRACKS] = { "tracks", "{count}\xE2\x80\xAFtrack", "{count}\xE2\x80\xAFtracks" },
    [WORD_UNENDED] = { "unended", NULL, "did not end in this trace" },
    [WORD_VALUE] = { "value", NULL, "value" },
};
/* clang-format on */

enum { FORM_OTHER = WORD_FORMS - 1, TEXTS_BYTES = 1 << 15 };

static char        own_bytes[TEXTS_BYTES]; /* the texts of the host, each terminated */
static const char *own_texts[WORDS][WORD_FORMS];
static PluralForm *own_form; /* NULL = English */

static const char *text_of(Word word, uint64_t count)
{
    if (own_form == NULL)
        return count == 1 && ENGLISH[word].one != NULL ? ENGLISH[word].one : ENGLISH[word].other;
    const unsigned form = own_form(count);
    return own_texts[word][form < WORD_FORMS ? form : FORM_OTHER];
}

const char *word_text(Word word)
{
    return text_of(word, 0);
}

const char *word_id(Word word)
{
    return ENGLISH[word].id;
}

/* Appends a text as far as it fits, with room for its end. */
static size_t append(char out[WORD_TEXT], size_t at, const char *text, size_t size)
{
    if (size > WORD_TEXT - 1 - at) size = WORD_TEXT - 1 - at;
    memcpy(out + at, text, size);
    return at + size;
}

size_t word_format(Word word, uint64_t count, const char *value, char out[WORD_TEXT])
{
    static const char COUNT[] = "{count}", VALUE[] = "{value}";
    size_t            at = 0;
    char              digits[DIGITS_TEXT];
    const size_t      digits_size = digits_put_whole(count, digits);
    for (const char *text = text_of(word, count); *text != '\0';) {
        const size_t plain = strcspn(text, "{");
        at = append(out, at, text, plain);
        text += plain;
        if (strncmp(text, COUNT, sizeof COUNT - 1) == 0) {
            at = append(out, at, digits, digits_size);
            text += sizeof COUNT - 1;
        } else if (strncmp(text, VALUE, sizeof VALUE - 1) == 0) {
            at = append(out, at, value, strlen(value));
            text += sizeof VALUE - 1;
        } else if (*text != '\0') {
            at = append(out, at, text++, 1);
        }
    }
    out[at] = '\0';
    return at;
}

bool words_set(const char *text, size_t size, PluralForm *form)
{
    if (text == NULL) {
        own_form = NULL;
        return true;
    }
    size_t texts = 0;
    if (size == 0 || size > TEXTS_BYTES || text[size - 1] != '\n' || memchr(text, '\0', size) != NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\t' || text[i] == '\n') {
            texts++;
            if ((texts % WORD_FORMS == 0) != (text[i] == '\n')) return false;
        }
    if (texts != (size_t)WORDS * WORD_FORMS) return false;
    memcpy(own_bytes, text, size);
    char *next = own_bytes;
    for (size_t i = 0; i < texts; i++) {
        own_texts[i / WORD_FORMS][i % WORD_FORMS] = next;
        next += strcspn(next, "\t\n");
        *next++ = '\0';
    }
    own_form = form;
    return true;
}
