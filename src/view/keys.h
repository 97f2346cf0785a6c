/* view/keys.h - keys as text: "W", "Ctrl+Shift+P", "←", "?". */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H
#include "base/attr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_NAME = 16, KEY_TEXT = 40, KEYS_PER_COMMAND = 4 };

/* A key as in view_key, with exact modifiers (MOD_*, without MOD_META). A sign ("?") has no MOD_SHIFT, because the keyboard
 * layout decides whether it needs Shift. */
typedef struct Key {
    char     name[KEY_NAME];
    unsigned modifiers;
} Key;

/* The keys of a command. */
typedef struct CommandKeys {
    uint32_t count;
    Key      key[KEYS_PER_COMMAND];
} CommandKeys;

/* Returns the key of an event: Meta counts as Ctrl, the Enter of the number block as Enter. A name that is too long gives a
 * key without a name, which equals no readable key. */
Key  key_of(const char *name, unsigned modifiers);
bool key_equal(const Key *a, const Key *b);
/* Reads a key: modifiers in any order, then a letter, digit, sign or name; letter case is ignored. ERR_USAGE if it is not a
 * key, or one that belongs to the browser. */
bool key_read(const char *text, size_t size, Key *key, Err *err);
/* Writes the text of a key, which key_read reads. Returns its size; 0 if the key has no text. */
size_t key_write(const Key *key, char out[KEY_TEXT]);

#endif
