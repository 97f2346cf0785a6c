#include "view/keys.h"

#include "base/ascii.h"
#include "view/view.h"

#include <stdio.h>
#include <string.h>

/* Signs that are named by their character, because their place depends on the keyboard layout. */
static const char SIGNS[] = "?/+-[],.";

/* The names of KeyboardEvent.code and their texts. Further texts of a name are read, but not written. */
static const struct {
    const char *name, *text;
} NAMES[] = { { "ArrowLeft", "\xE2\x86\x90" },
              { "ArrowRight", "\xE2\x86\x92" },
              { "ArrowUp", "\xE2\x86\x91" },
              { "ArrowDown", "\xE2\x86\x93" },
              { "ArrowLeft", "Left" },
              { "ArrowRight", "Right" },
              { "ArrowUp", "Up" },
              { "ArrowDown", "Down" },
              { "Escape", "Esc" },
              { "PageUp", "PgUp" },
              { "PageDown", "PgDn" },
              { "ContextMenu", "Menu" },
              { "Enter", "Enter" },
              { "Space", "Space" },
              { "Home", "Home" },
              { "End", "End" },
              { "Insert", "Insert" },
              { "Delete", "Delete" },
              { "Backspace", "Backspace" },
              { "Semicolon", "Semicolon" },
              { "Quote", "Quote" },
              { "Backquote", "Backquote" },
              { "Backslash", "Backslash" },
              { "Equal", "Equal" } };
enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };

static const struct {
    unsigned    bit;
    const char *text;
} MODIFIERS[] = { { MOD_CTRL, "Ctrl+" }, { MOD_ALT, "Alt+" }, { MOD_SHIFT, "Shift+" } };
enum { MODIFIER_COUNT = sizeof MODIFIERS / sizeof MODIFIERS[0] };

/* The keys that browsers do not give to a page, or that close it. */
static const char *const OF_BROWSER[] = { "Ctrl+W",       "Ctrl+T",       "Ctrl+N", "Ctrl+L",
                                          "Ctrl+R",       "Ctrl+Shift+W", "Ctrl+0", "Ctrl++",
                                          "Ctrl+Shift+T", "Ctrl+Shift+N", "Ctrl+-", "Ctrl+Shift+R" };

static bool is_sign(const char *name)
{
    return name[0] != 0 && name[1] == 0 && strchr(SIGNS, name[0]) != NULL;
}

static bool equal_ignoring_case(const char *text, size_t size, const char *other)
{
    if (strlen(other) != size) return false;
    for (size_t i = 0; i < size; i++)
        if (ascii_lower(text[i]) != ascii_lower(other[i])) return false;
    return true;
}

Key key_of(const char *name, unsigned modifiers)
{
    Key key = { .modifiers = modifiers & (MOD_SHIFT | MOD_CTRL | MOD_ALT) };
    if ((modifiers & MOD_META) != 0) key.modifiers |= MOD_CTRL;
    if (is_sign(name)) key.modifiers &= ~(unsigned)MOD_SHIFT;
    if (strcmp(name, "NumpadEnter") == 0) name = "Enter";
    if (strlen(name) < KEY_NAME) (void)snprintf(key.name, KEY_NAME, "%s", name);
    return key;
}

bool key_equal(const Key *a, const Key *b)
{
    return a->modifiers == b->modifiers && strcmp(a->name, b->name) == 0;
}

/* Reads "F1" to "F12"; 0: another text. */
static unsigned function_key(const char *text, size_t size)
{
    unsigned number = 0;
    if (size < 2 || size > 3 || ascii_lower(text[0]) != 'f' || text[1] == '0') return 0;
    for (size_t i = 1; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        number = number * 10 + (unsigned)(text[i] - '0');
    }
    return number <= 12 ? number : 0;
}

/* Sets the name of a key without modifiers; false if it is not one. */
static bool read_name(const char *text, size_t size, char name[KEY_NAME])
{
    const char one = size == 1 ? text[0] : 0, lower = ascii_lower(one);
    if (ascii_is_letter(one)) return snprintf(name, KEY_NAME, "Key%c", lower - 'a' + 'A') > 0;
    if (ascii_is_digit(one)) return snprintf(name, KEY_NAME, "Digit%c", one) > 0;
    if (one != 0 && strchr(SIGNS, one) != NULL) return snprintf(name, KEY_NAME, "%c", one) > 0;
    const unsigned number = function_key(text, size);
    if (number > 0) return snprintf(name, KEY_NAME, "F%u", number) > 0;
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (equal_ignoring_case(text, size, NAMES[i].text) || equal_ignoring_case(text, size, NAMES[i].name))
            return snprintf(name, KEY_NAME, "%s", NAMES[i].name) > 0;
    return false;
}

/* Reads a modifier at the begin of the text; 0 without one. Sets *size. */
static unsigned read_modifier(const char *text, size_t left, size_t *size)
{
    for (size_t i = 0; i < MODIFIER_COUNT; i++) {
        *size = strlen(MODIFIERS[i].text);
        if (left > *size && equal_ignoring_case(text, *size, MODIFIERS[i].text)) return MODIFIERS[i].bit;
    }
    return 0;
}

static bool is_of_browser(const Key *key)
{
    char text[KEY_TEXT];
    (void)key_write(key, text);
    for (size_t i = 0; i < sizeof OF_BROWSER / sizeof OF_BROWSER[0]; i++)
        if (strcmp(text, OF_BROWSER[i]) == 0) return true;
    return false;
}

bool key_read(const char *text, size_t size, Key *key, Err *err)
{
    char     name[KEY_NAME];
    unsigned modifiers = 0, bit;
    size_t   at = 0, length;
    while ((bit = read_modifier(text + at, size - at, &length)) != 0) {
        modifiers |= bit;
        at += length;
    }
    if (!read_name(text + at, size - at, name))
        return err_set(err, ERR_USAGE, "%.*s is not a key; keys are, for example, W, Ctrl+Shift+P, F2, Left",
                       (int)(size < KEY_TEXT ? size : KEY_TEXT), text);
    *key = key_of(name, modifiers);
    if (is_of_browser(key))
        return err_set(err, ERR_USAGE, "%.*s belongs to the browser",
                       (int)(size < KEY_TEXT ? size : KEY_TEXT), text);
    return true;
}

size_t key_write(const Key *key, char out[KEY_TEXT])
{
    const char *text = key->name;
    size_t      size = 0;
    out[0] = 0;
    if (strncmp(text, "Key", 3) == 0 && text[3] != 0 && text[4] == 0)
        text += 3;
    else if (strncmp(text, "Digit", 5) == 0)
        text += 5;
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (strcmp(key->name, NAMES[i].name) == 0) {
            text = NAMES[i].text;
            break;
        }
    char name[KEY_NAME];
    if (!read_name(text, strlen(text), name) || strcmp(name, key->name) != 0) return 0;
    for (size_t i = 0; i < MODIFIER_COUNT; i++)
        if ((key->modifiers & MODIFIERS[i].bit) != 0)
            size += (size_t)snprintf(out + size, KEY_TEXT - size, "%s", MODIFIERS[i].text);
    return size + (size_t)snprintf(out + size, KEY_TEXT - size, "%s", text);
}
