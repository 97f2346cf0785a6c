#include "base/words.h"

bool word_find(const char *const *words, size_t count, StringView word, size_t *found)
{
    for (*found = 0; *found < count; ++*found)
        if (string_equal(word, c_string_view(words[*found]))) return true;
    return false;
}

void word_list_append(const char *const *words, size_t count, const char *quote, Bytes *out)
{
    for (size_t i = 0; i < count; i++) {
        bytes_append_text(out, i == 0 ? "" : i + 1 == count ? " or " : ", ");
        bytes_append_text(out, quote);
        bytes_append_text(out, words[i]);
        bytes_append_text(out, quote);
    }
}
