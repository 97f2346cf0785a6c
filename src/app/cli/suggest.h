/* app/cli/suggest.h - the most likely correction of a mistyped word.
 *
 * Words are compared by edit distance; a word that begins with the typed text is also near. A Suggestion
 * starts zeroed and keeps the nearest of the offered words; of equally near words it keeps the first in byte
 * order, so that the order of the offers does not matter. */
#ifndef APP_CLI_SUGGEST_H
#define APP_CLI_SUGGEST_H
#include <stdbool.h>
#include <stddef.h>

enum { SUGGESTION_BYTES = 256 };

typedef struct Suggestion {
    char   word[SUGGESTION_BYTES]; /* "" = no word is near enough */
    size_t distance;               /* of `word` */
} Suggestion;

/* Offers `word` as a correction of `typed`. Words of SUGGESTION_BYTES and more are ignored. */
void suggestion_offer(Suggestion *best, const char *typed, const char *word);
/* Offers the names in the folder of `path` as corrections of its last part. `best->word` becomes a path. */
void suggestion_offer_files(Suggestion *best, const char *path);

#endif
