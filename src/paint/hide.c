#include "paint/hide.h"

#include "base/string_view.h"

#include <string.h>

/* Returns the number of a category from its displayed name; UINT32_MAX if the trace does not have it. */
static uint32_t number_of(const Categories *categories, StringView name)
{
    if (string_equal(name, STRING_LITERAL("(none)"))) return 0;
    return name.size == 0 ? UINT32_MAX : category_find(categories, name);
}

/* Sets the value of the listed categories in the sets of all traces. */
static bool mark(const char *list, uint8_t value, const Categories *categories, uint8_t **sets, size_t count,
                 Err *err)
{
    StringView rest = { list, list == NULL ? 0 : strlen(list) }, name;
    if (list == NULL) return true;
    while (text_next_part(&rest, ',', &name)) {
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            uint32_t number = number_of(&categories[i], name);
            if (number == UINT32_MAX) continue;
            sets[i][number] = value;
            found = true;
        }
        if (!found)
            return err_set(err, ERR_USAGE, "no event is of category '%.*s'",
                           name.size < 100 ? (int)name.size : 100, name.bytes);
    }
    return true;
}

static void start(const HideOptions *options, const Categories *categories, uint8_t *set)
{
    for (uint32_t number = 0; number < categories->count; number++)
        set[number] = options->only != NULL || category_is_hidden_at_first(category_name(categories, number));
}

bool hide_sets(const HideOptions *options, const Trace *const *traces, size_t count, Bytes *hidden, Err *err)
{
    Arena       arena = arena_create(0);
    Categories *categories = ARENA_ARRAY(&arena, Categories, count);
    uint8_t   **sets = ARENA_ARRAY(&arena, uint8_t *, count);
    bool        done = categories != NULL && sets != NULL;
    for (size_t i = 0; done && i < count; i++) {
        done = categories_list(traces[i], &arena, &categories[i]);
        sets[i] = done ? ARENA_ARRAY(&arena, uint8_t, categories[i].count) : NULL;
        done = sets[i] != NULL;
        if (done) start(options, &categories[i], sets[i]);
    }
    if (!done) {
        err_set(err, ERR_MEMORY, "out of memory for the categories");
    } else {
        done = mark(options->only, 0, categories, sets, count, err) &&
               mark(options->hide, 1, categories, sets, count, err);
    }
    for (size_t i = 0; done && i < count; i++) {
        categories_print(&categories[i], sets[i], &hidden[i]);
        if (hidden[i].failed) done = err_set(err, ERR_MEMORY, "out of memory for the categories");
    }
    arena_release(&arena);
    return done;
}
