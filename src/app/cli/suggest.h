/* app/cli/suggest.h - the word that a mistyped word most likely means.
 *
 * Words are compared by edit distance, and a word that begins with the typed text also counts as near. A Suggestion
 * starts zeroed and keeps the nearest word that it was offered; of equally near words it keeps the first in byte
 * order, so that the order of the offers does not matter. */
#ifndef APP_CLI_SUGGEST_H
#define APP_CLI_SUGGEST_H
#include <stdbool.h>
#include <stddef.h>

enum { SUGGESTION_BYTES = 256 };

typedef struct Suggestion {
    char   word[SUGGESTION_BYTES]; /* "" = nothing is near enough */
    size_t distance;               /* of `word` */
} Suggestion;

/* Offers `word` as the meaning of `typed`. Words of SUGGESTION_BYTES and more are passed over. */
void suggestion_offer(Suggestion *best, const char *typed, const char *word);
/* Offers the names in the folder of `path` as the meaning of its last part. `best->word` becomes a path. */
void suggestion_offer_files(Suggestion *best, const char *path);

#endif
