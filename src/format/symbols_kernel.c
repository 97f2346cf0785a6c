/* The names of the functions of a kernel: /proc/kallsyms, and copies of it. */
#include "base/ascii.h"
#include "base/search.h"
#include "base/vec.h"
#include "format/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_BYTES = 256 << 20, READ_BYTES = 256 << 10 };

typedef struct KernelFunction {
    uint64_t   address;
    StringView name; /* in KernelSymbols.text */
} KernelFunction;

struct KernelSymbols {
    Bytes text;
    VEC(KernelFunction) functions; /* by address */
};

/* Appends the bytes of a file whose size the system does not tell. */
static bool read_all(const char *path, Bytes *out, Err *err)
{
    const int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t   got = handle < 0 ? -1 : 1;
    while (got > 0 && out->size < MOST_BYTES && bytes_reserve(out, READ_BYTES) != NULL) {
        got = read(handle, out->data + out->size, READ_BYTES);
        if (got > 0) bytes_grow(out, (size_t)got);
    }
    if (got < 0) (void)err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (out->failed) (void)err_set(err, ERR_MEMORY, "out of memory");
    if (handle >= 0) (void)close(handle);
    return got >= 0 && !out->failed;
}

/* Reads a line "ADDRESS TYPE NAME [module]". Only functions, in parts of the kernel that have code, have these types. */
static bool parse_line(StringView line, KernelFunction *function)
{
    StringView part;
    uint64_t   address = 0;
    if (!text_next_part(&line, ' ', &part) || part.size == 0 || part.size > 16) return false;
    for (size_t i = 0; i < part.size; i++) {
        const unsigned digit = ascii_hex_value(part.bytes[i]);
        if (digit > 15) return false;
        address = address << 4 | digit;
    }
    if (!text_next_part(&line, ' ', &part) || part.size != 1 || memchr("tTwW", part.bytes[0], 4) == NULL)
        return false;
    size_t size = 0;
    while (size < line.size && line.bytes[size] > ' ')
        size++;
    *function = (KernelFunction){ address, { line.bytes, size } };
    return address != 0 && size > 0;
}

/* Functions of one address are in the order of the file: the first one counts. */
static int compare_functions(const void *left, const void *right)
{
    const KernelFunction *a = left, *b = right;
    if (a->address != b->address) return a->address < b->address ? -1 : 1;
    return (a->name.bytes > b->name.bytes) - (a->name.bytes < b->name.bytes);
}

KernelSymbols *kernel_symbols_open(const char *path, Err *err)
{
    KernelSymbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    bool           done = read_all(path, &symbols->text, err);
    StringView     text = bytes_view(&symbols->text), line;
    KernelFunction function;
    while (done && text_next_part(&text, '\n', &line))
        if (parse_line(line, &function)) vec_push(&symbols->functions, function);
    const size_t count = vec_count(&symbols->functions);
    if (done && symbols->functions.bytes.failed) done = err_set(err, ERR_MEMORY, "out of memory");
    if (done && count == 0) done = err_set(err, ERR_IO, "%s: it does not tell the addresses", path);
    if (!done) {
        kernel_symbols_close(symbols);
        return NULL;
    }
    qsort(symbols->functions.items, count, sizeof function, compare_functions);
    return symbols;
}

void kernel_symbols_close(KernelSymbols *symbols)
{
    if (symbols == NULL) return;
    bytes_release(&symbols->text);
    vec_release(&symbols->functions);
    free(symbols);
}

bool kernel_symbols_find(const KernelSymbols *symbols, uint64_t address, StringView *name)
{
    const KernelFunction *functions = symbols->functions.items;
    size_t                low = 0;
    LOWER_BOUND(size_t, low, vec_count(&symbols->functions), i, functions[i].address <= address);
    if (low == 0) return false;
    low--;
    while (low > 0 && functions[low - 1].address == functions[low].address)
        low--;
    *name = functions[low].name;
    return true;
}

bool kernel_symbols_address(const KernelSymbols *symbols, const char *name, uint64_t *address)
{
    for (size_t i = 0; i < vec_count(&symbols->functions); i++) {
        if (!string_equal(symbols->functions.items[i].name, c_string_view(name))) continue;
        *address = symbols->functions.items[i].address;
        return true;
    }
    return false;
}

/* The notes of the kernel: for each the sizes of name and data, the type, the name and the data, both padded to 4 bytes. */
size_t kernel_build_id(uint8_t *id, size_t size)
{
    enum { HEADER_BYTES = 12, TYPE_BUILD_ID = 3 };
    Bytes  notes = { 0 };
    size_t found = 0;
    Err    err;
    if (!read_all("/sys/kernel/notes", &notes, &err)) notes.size = 0;
    for (size_t at = 0; found == 0 && notes.size - at >= HEADER_BYTES;) {
        uint32_t header[3];
        memcpy(header, notes.data + at, sizeof header);
        const uint64_t name_end = at + HEADER_BYTES + (((uint64_t)header[0] + 3) & ~UINT64_C(3));
        const uint64_t end = name_end + (((uint64_t)header[1] + 3) & ~UINT64_C(3));
        if (end > notes.size) break;
        const bool is_gnu = header[0] == 4 && memcmp(notes.data + at + HEADER_BYTES, "GNU", 4) == 0;
        if (is_gnu && header[2] == TYPE_BUILD_ID) {
            found = header[1] < size ? header[1] : size;
            memcpy(id, notes.data + name_end, found);
        }
        at = (size_t)end;
    }
    bytes_release(&notes);
    return found;
}

bool kernel_is_release(StringView release)
{
    struct utsname name;
    return uname(&name) == 0 && string_equal(release, c_string_view(name.release));
}
