/* base/words.h - values that are one of a few words. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H
#include "base/string_view.h"

/* Finds a word in a list. False, and *found is the count: the list does not contain it. */
bool word_find(const char *const *words, size_t count, StringView word, size_t *found);
/* Appends the words of a list with `quote` before and after each: "auto, always or never". */
void word_list_append(const char *const *words, size_t count, const char *quote, Bytes *out);

#endif
