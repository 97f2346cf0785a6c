/* view/words.h - the texts that the view itself makes: in tooltips, the ruler, summaries and the accessible rows. They are in
 * English unless the host sets another language with words_set; web/texts/en.json has the same texts as `view.ID`, which
 * tools/check-texts.py compares.
 *
 * The language is that of the process: set it before other threads use views. */
#ifndef VIEW_WORDS_H
#define VIEW_WORDS_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Word {
    WORD_AFTER_FIRST,
    WORD_AND_LAST,
    WORD_BACKWARDS,
    WORD_BEFORE_FIRST,
    WORD_DELAY,
    WORD_DURATION,
    WORD_FLOW,
    WORD_FLOWS_HERE,
    WORD_FLOWS_IN_LINE,
    WORD_FLOWS_IN_LINES,
    WORD_FLOWS_SHARE,
    WORD_FLOWS_UNDRAWN,
    WORD_GOROUTINES,
    WORD_IN_ALL,
    WORD_INSTANTS,
    WORD_INSTANTS_SHARE,
    WORD_LEAVES,
    WORD_LENGTH,
    WORD_LONGEST,
    WORD_MARK,
    WORD_MORE_DETAILS,
    WORD_MORE_ROWS,
    WORD_MORE_SERIES,
    WORD_NO_NAME,
    WORD_NOTE,
    WORD_OBJECTS,
    WORD_PROCESSORS,
    WORD_REPAIRED,
    WORD_ROW,
    WORD_SELF,
    WORD_SLICES,
    WORD_SLICES_SHARE,
    WORD_START,
    WORD_THREAD,
    WORD_THREADS,
    WORD_TIME,
    WORD_TO,
    WORD_TO_BEGIN,
    WORD_TO_END,
    WORD_TOGETHER,
    WORD_TRACES,
    WORD_TRACK,
    WORD_TRACKS,
    WORD_UNENDED,
    WORD_VALUE,
    WORDS
} Word;

enum { WORD_FORMS = 6, WORD_TEXT = 192 };
/* Returns the plural form for a count, below WORD_FORMS: zero, one, two, few, many, other (CLDR). */
typedef unsigned PluralForm(uint64_t count);

/* Returns a text without placeholders, terminated. */
const char *word_text(Word word);
/* Writes a text. "{count}" becomes the count, which also selects the form, and "{value}" becomes `value`. Returns the
 * length, below WORD_TEXT; `out` is terminated. */
size_t word_format(Word word, uint64_t count, const char *value, char out[WORD_TEXT]);

/* Returns the id of a word: "in-all". */
const char *word_id(Word word);
/* Sets the texts of all words, in their order: a line for each with WORD_FORMS texts, separated by tabs. NULL: English
 * again. False, without a change, if the text has another number of lines or texts, or is too long. */
bool words_set(const char *text, size_t size, PluralForm *form) WARN_UNUSED;

#endif
