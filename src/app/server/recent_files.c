#include "app/server/recent_files.h"

#include "base/file.h"
#include "base/json_check.h"
#include "base/json_members.h"
#include "base/json_writer.h"
#include "base/utf8.h"

#include <string.h>

/* A longer file is not read: the longest list that is written has RECENT_MOST paths, each byte of which takes at most six. */
enum { LIST_MAX = 1 << 20 };

typedef struct RecentList {
    Bytes    bytes;               /* owned: the decoded paths, each with a 0 behind it */
    size_t   begins[RECENT_MOST]; /* of the paths in `bytes` */
    uint32_t count;
} RecentList;

static const char *path_at(const RecentList *list, uint32_t i)
{
    return (const char *)list->bytes.data + list->begins[i];
}

static bool list_path(char path[FILE_PATH_BYTES], Err *err)
{
    return file_state_path("recent.json", path) ||
           err_set(err, ERR_IO, "there is no folder for recent files: XDG_STATE_HOME and HOME are not set");
}

static bool has_path(const RecentList *list, const char *path)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(path_at(list, i), path) == 0) return true;
    return false;
}

/* True for an absolute path of at most FILE_PATH_BYTES without control characters. */
static bool is_path(const uint8_t *bytes, size_t size)
{
    if (size == 0 || size >= FILE_PATH_BYTES || bytes[0] != '/') return false;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < 0x20 || bytes[i] == 0x7f) return false;
    return true;
}

/* Appends a path to the list unless it has it. */
static void list_append(RecentList *list, StringView quoted)
{
    const size_t begin = list->bytes.size;
    if (list->count == RECENT_MOST || quoted.size == 0 || quoted.bytes[0] != '"') return;
    json_text_append(quoted, &list->bytes);
    const bool is_new = !list->bytes.failed && is_path(list->bytes.data + begin, list->bytes.size - begin);
    bytes_append(&list->bytes, "", 1);
    if (!is_new || list->bytes.failed || has_path(list, (const char *)list->bytes.data + begin)) {
        list->bytes.size = begin;
        return;
    }
    list->begins[list->count++] = begin;
}

static void list_parse(RecentList *list, StringView text)
{
    JsonMembers members, elements;
    StringView  key, value;
    if (!json_valid_object(text.bytes, text.size) || !json_members_open(text, &members)) return;
    while (json_members_next(&members, &key, &value)) {
        if (!string_equal(key, STRING_LITERAL("\"files\"")) || !json_elements_open(value, &elements))
            continue;
        while (json_elements_next(&elements, &value))
            list_append(list, value);
    }
}

/* Reads the list; an absent, long or damaged file gives an empty one. Release it. */
static bool list_read(RecentList *list, Err *err)
{
    char       path[FILE_PATH_BYTES];
    FileReader reader;
    Bytes      text = { 0 };
    *list = (RecentList){ .count = 0 };
    if (!list_path(path, err)) return false;
    if (!file_is_regular(path)) return true;
    if (!file_reader_open(path, &reader, err)) return false;
    const size_t  size = reader.size > LIST_MAX ? 0 : (size_t)reader.size;
    void         *room = bytes_reserve(&text, size);
    const int64_t read = room == NULL ? -1 : file_reader_read(&reader, 0, room, size);
    file_reader_close(&reader);
    if (read > 0) bytes_grow(&text, (size_t)read);
    list_parse(list, bytes_view(&text));
    bytes_release(&text);
    return read >= 0 || err_set(err, ERR_IO, "the list of recent files cannot be read");
}

static bool list_store(const RecentList *list, Err *err)
{
    char       path[FILE_PATH_BYTES];
    Bytes      text = { 0 };
    JsonWriter w = json_writer_to(&text, 2);
    json_object_begin(&w);
    json_put_u64(&w, "varve_recent", 1);
    json_put_array(&w, "files");
    for (uint32_t i = 0; i < list->count; i++)
        json_string(&w, path_at(list, i));
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(&text, "\n");
    const bool done = text.failed ? err_set(err, ERR_MEMORY, "out of memory for the recent files")
                                  : list_path(path, err) && file_state_write(path, text.data, text.size, err);
    bytes_release(&text);
    return done;
}

bool recent_files_write(Bytes *out, Err *err)
{
    RecentList list;
    if (!list_read(&list, err)) return false;
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_array(&w, "files");
    for (uint32_t i = 0; i < list.count; i++)
        if (file_is_regular(path_at(&list, i))) json_string(&w, path_at(&list, i));
    json_array_end(&w);
    json_object_end(&w);
    bytes_release(&list.bytes);
    return true;
}

/* Returns a list with `path` first, then the others. */
static RecentList list_with(const char *path, const RecentList *others)
{
    RecentList list = { .count = 1 };
    bytes_append(&list.bytes, path, strlen(path) + 1);
    for (uint32_t i = 0; i < others->count && list.count < RECENT_MOST; i++) {
        const char *other = path_at(others, i);
        if (strcmp(other, path) == 0) continue;
        list.begins[list.count++] = list.bytes.size;
        bytes_append(&list.bytes, other, strlen(other) + 1);
    }
    return list;
}

bool recent_files_add(const char *path, Err *err)
{
    char       real[FILE_PATH_BYTES];
    RecentList before;
    if (!file_is_regular(path) || !file_real_path(path, real)) return true;
    const size_t size = strlen(real);
    if (!is_path((const uint8_t *)real, size) || utf8_valid_prefix(real, size) != size) return true;
    if (!list_read(&before, err)) return false;
    RecentList list = list_with(real, &before);
    const bool done = list.bytes.failed ? err_set(err, ERR_MEMORY, "out of memory for the recent files")
                                        : list_store(&list, err);
    bytes_release(&list.bytes);
    bytes_release(&before.bytes);
    return done;
}

bool recent_files_has(StringView path)
{
    Err        err;
    RecentList list;
    bool       has = false;
    if (!list_read(&list, &err)) return false;
    for (uint32_t i = 0; i < list.count && !has; i++)
        has = strlen(path_at(&list, i)) == path.size && memcmp(path_at(&list, i), path.bytes, path.size) == 0;
    bytes_release(&list.bytes);
    return has;
}

bool recent_files_clear(Err *err)
{
    char path[FILE_PATH_BYTES];
    return list_path(path, err) && file_state_write(path, NULL, 0, err);
}
