#include "app/cli/suggest.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static size_t least_of(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Returns the number of edits that turn `b` into `a`: inserting, removing or replacing a character, or
 * swapping two neighbours. Both words are shorter than SUGGESTION_BYTES. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][SUGGESTION_BYTES]; /* of the current prefix of `a` and the two before */
    size_t a_size = strlen(a), b_size = strlen(b);
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = least_of(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && second[j - 2] + 1 < row[j]) row[j] = second[j - 2] + 1;
        }
    }
    return rows[a_size % 3][b_size];
}

void suggestion_offer(Suggestion *best, const char *typed, const char *word)
{
    size_t typed_size = strlen(typed), size = strlen(word);
    if (typed_size == 0 || typed_size >= SUGGESTION_BYTES || size == 0 || size >= SUGGESTION_BYTES) return;
    size_t most = typed_size < 3 ? 1 : (typed_size + 2) / 3;
    bool   begins = typed_size >= 2 && strncmp(word, typed, typed_size) == 0;
    size_t distance = begins ? 1 : edit_distance(typed, word);
    if (distance > most || distance >= typed_size) return;
    bool is_better = best->word[0] == '\0' || distance < best->distance ||
                     (distance == best->distance && strcmp(word, best->word) < 0);
    if (!is_better) return;
    memcpy(best->word, word, size + 1);
    best->distance = distance;
}

/* True for folders, hidden files, and names with control characters. */
static bool is_unfit(DIR *folder, const char *name)
{
    struct stat status;
    if (fstatat(dirfd(folder), name, &status, 0) != 0 || S_ISDIR(status.st_mode)) return true;
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) return true;
    }
    return name[0] == '.';
}

void suggestion_offer_files(Suggestion *best, const char *path)
{
    enum { MOST_FILES = 10000 };
    const char *slash = strrchr(path, '/');
    size_t      folder_size = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char        folder[SUGGESTION_BYTES] = ".";
    Suggestion  name = { .distance = 0 };
    if (folder_size >= sizeof folder) return;
    if (folder_size > 0) {
        memcpy(folder, path, folder_size);
        folder[folder_size] = '\0';
    }
    DIR *entries = opendir(folder);
    if (entries == NULL) return;
    const struct dirent *entry;
    for (int i = 0; i < MOST_FILES && (entry = readdir(entries)) != NULL; i++) {
        if (!is_unfit(entries, entry->d_name)) suggestion_offer(&name, path + folder_size, entry->d_name);
    }
    (void)closedir(entries);
    bool is_better = name.word[0] != '\0' && (best->word[0] == '\0' || name.distance < best->distance);
    if (!is_better || folder_size + strlen(name.word) >= sizeof best->word) return;
    if (folder_size > 0) memcpy(best->word, folder, folder_size);
    memcpy(best->word + folder_size, name.word, strlen(name.word) + 1);
    best->distance = name.distance;
}
