#include "format/symbols_native.h"

#include "base/attr.h"
#include "base/file.h"
#include "base/search.h"
#include "base/utf8.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limits of demangling. A mangled name repeats its parts by reference, and each reference may double the result. So the
 * number of references is limited, and for all names of a program the number of bytes of results that were too long. */
enum { MOST_NAME_BYTES = 4096, MOST_REFERENCES = 24, MOST_SHOWN_BYTES = 2048 };
static const uint64_t MOST_WASTED_BYTES = UINT64_C(1) << 28;

typedef struct CodeRange {
    uint64_t begin, end;
    uint64_t offset, file_end; /* of its bytes in the file */
} CodeRange;

typedef struct Function {
    uint64_t    start, size; /* size 0 = up to the next function, but not beyond its section */
    uint64_t    section_end; /* with size 0; UINT64_MAX = not known */
    const char *name;        /* borrowed from libelf until the file is closed */
    unsigned    rank;        /* of functions with the same start the one with the least rank is used */
} Function;

struct Symbols {
    Arena            arena; /* the Symbols itself is allocated in it */
    const char      *path;  /* in arena */
    ElfFile          file, debug;
    uint64_t         image_base;
    uint64_t         address_mask; /* the significant bits of an address */
    CodeRange       *code;         /* in arena; in the order of the file */
    size_t           code_count;
    Function        *functions; /* in arena; sorted by start, one per start */
    size_t           function_count;
    _Atomic uint64_t wasted_bytes; /* of demangled names that were too long */
    pthread_mutex_t  lock;         /* guards the members below */
    Lines           *lines;
    bool             lines_opened;
};

/* -- ELF files -- */

/* Opens an ELF file. Fails for other files, without blocking on a FIFO and without side effects on a device. */
static bool elf_file_open(const char *path, ElfFile *file, Err *err)
{
    struct stat info;
    *file = (ElfFile){ .elf = NULL };
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (handle < 0 || fstat(handle, &info) != 0) {
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        goto failed;
    }
    if (!S_ISREG(info.st_mode)) {
        err_set(err, ERR_IO, "%s: is not a regular file", path);
        goto failed;
    }
    (void)elf_version(EV_CURRENT);
    file->elf = elf_begin(handle, ELF_C_READ, NULL); /* not mapped: the file may shrink while it is open */
    if (file->elf == NULL || elf_kind(file->elf) != ELF_K_ELF) {
        err_set(err, ERR_UNKNOWN, "%s: is not an ELF executable", path);
        goto failed;
    }
    file->handle = handle;
    return true;
failed:
    (void)elf_end(file->elf);
    if (handle >= 0) (void)close(handle);
    file->elf = NULL;
    return false;
}

static void elf_file_close(ElfFile *file)
{
    if (file->elf == NULL) return;
    (void)elf_end(file->elf);
    (void)close(file->handle);
    file->elf = NULL;
}

bool elf_file_has_section(const ElfFile *file, const char *name)
{
    size_t   names = 0;
    Elf_Scn *section = NULL;
    if (file->elf == NULL || elf_getshdrstrndx(file->elf, &names) != 0) return false;
    while ((section = elf_nextscn(file->elf, section)) != NULL) {
        GElf_Shdr   header;
        const char *found = NULL;
        if (gelf_getshdr(section, &header) != NULL) found = elf_strptr(file->elf, names, header.sh_name);
        if (found != NULL && strcmp(found, name) == 0) return header.sh_type != SHT_NOBITS;
    }
    return false;
}

/* Opens the separate file with the debug information of `file`, found by the build id. Closed if there is no such
 * file. */
static ElfFile elf_file_find_debug(const ElfFile *file)
{
    static const char FOLDER[] = "/usr/lib/debug/.build-id/";
    enum { LEAST_ID = 2, MOST_ID = 64 };
    char        path[sizeof FOLDER + 2 * MOST_ID + 16];
    const void *id = NULL;
    ElfFile     debug = { .elf = NULL };
    ssize_t     size = dwelf_elf_gnu_build_id(file->elf, &id);
    if (size < LEAST_ID || size > MOST_ID) return debug;
    size_t at = sizeof FOLDER - 1;
    memcpy(path, FOLDER, at);
    for (ssize_t i = 0; i < size; i++)
        at += (size_t)snprintf(path + at, sizeof path - at, i == 0 ? "%02x/" : "%02x",
                               (unsigned)((const uint8_t *)id)[i]);
    (void)snprintf(path + at, sizeof path - at, ".debug");
    if (!elf_file_open(path, &debug, NULL)) debug.elf = NULL;
    return debug;
}

/* -- segments and functions -- */

static bool read_segments(Symbols *symbols)
{
    GElf_Ehdr header;
    size_t    count = 0;
    if (gelf_getehdr(symbols->file.elf, &header) == NULL || elf_getphdrnum(symbols->file.elf, &count) != 0)
        return false;
    symbols->address_mask = header.e_machine == EM_ARM ? ~UINT64_C(1) : UINT64_MAX; /* bit 0: Thumb code */
    symbols->code = ARENA_ARRAY(&symbols->arena, CodeRange, count);
    if (symbols->code == NULL) return false;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(symbols->file.elf, (int)i, &segment) == NULL || segment.p_type != PT_LOAD) continue;
        if (header.e_phoff >= segment.p_offset && header.e_phoff - segment.p_offset < segment.p_filesz) {
            /* Recorders know the address of the program headers and assume that the ELF header precedes them. */
            symbols->image_base =
                segment.p_vaddr + (header.e_phoff - segment.p_offset) - (uint64_t)header.e_ehsize;
        }
        if ((segment.p_flags & PF_X) == 0) continue;
        symbols->code[symbols->code_count++] =
            (CodeRange){ segment.p_vaddr, segment.p_vaddr + segment.p_memsz, segment.p_offset,
                         segment.p_offset + segment.p_filesz };
    }
    return true;
}

/* Returns the rank of a name among the names of one address: global before weak before local symbols, then names with
 * fewer leading underscores. */
static unsigned function_rank(const GElf_Sym *symbol, const char *name)
{
    enum { MOST_UNDERSCORES = 7 };
    unsigned binding = GELF_ST_BIND(symbol->st_info);
    unsigned rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
    unsigned underscores = (unsigned)strspn(name, "_");
    return rank * (MOST_UNDERSCORES + 1) + (underscores < MOST_UNDERSCORES ? underscores : MOST_UNDERSCORES);
}

static bool is_function(const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

/* Returns the address behind the section of a symbol: behind .init, which has one function, is .plt, which has none. */
static uint64_t section_end_of(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    Elf_Scn  *section = elf_getscn(elf, symbol->st_shndx);
    if (symbol->st_shndx >= SHN_LORESERVE || section == NULL || gelf_getshdr(section, &header) == NULL)
        return UINT64_MAX;
    return header.sh_addr + header.sh_size;
}

/* Appends the functions of a symbol table to `out` (Function[]). */
static void read_table(const Symbols *symbols, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                       Bytes *out)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t    entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    if (data == NULL || entry == 0) return;
    for (size_t i = 0; i < data->d_size / entry && i < INT32_MAX && !out->failed; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL || !is_function(&symbol)) continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name == NULL || name[0] == '\0') continue;
        Function function = { .start = symbol.st_value & symbols->address_mask,
                              .size = symbol.st_size,
                              .section_end = symbol.st_size == 0 ? section_end_of(elf, &symbol) : UINT64_MAX,
                              .name = name,
                              .rank = function_rank(&symbol, name) };
        bytes_append(out, &function, sizeof function);
    }
}

static void read_tables(const Symbols *symbols, const ElfFile *file, Bytes *out)
{
    Elf_Scn *section = NULL;
    if (file->elf == NULL) return;
    while ((section = elf_nextscn(file->elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL) continue;
        if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            read_table(symbols, file->elf, section, &header, out);
    }
}

static int compare_functions(const void *a_entry, const void *b_entry)
{
    const Function *a = a_entry, *b = b_entry;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool read_functions(Symbols *symbols)
{
    Bytes found = { 0 };
    read_tables(symbols, &symbols->file, &found);
    read_tables(symbols, &symbols->debug, &found);
    size_t    count = found.size / sizeof(Function), kept = 0;
    Function *functions = found.failed ? NULL : ARENA_ARRAY(&symbols->arena, Function, count);
    if (functions != NULL && count > 0) {
        memcpy(functions, found.data, count * sizeof *functions);
        qsort(functions, count, sizeof *functions, compare_functions);
        for (size_t i = 0; i < count; i++) {
            if (kept == 0 || functions[kept - 1].start != functions[i].start) {
                functions[kept++] = functions[i];
            } else if (functions[kept - 1].size < functions[i].size) {
                functions[kept - 1].size = functions[i].size;
            }
        }
    }
    bytes_release(&found);
    symbols->functions = functions;
    symbols->function_count = kept;
    return functions != NULL;
}

/* -- opening -- */

static Symbols *open_executable(const char *path, Err *err)
{
    Arena    arena = arena_create(0);
    Symbols *symbols = ARENA_NEW(&arena, Symbols);
    ElfFile  file;
    if (symbols == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (!elf_file_open(path, &file, err)) {
        arena_release(&arena);
        return NULL;
    }
    *symbols = (Symbols){ .arena = arena, .file = file };
    (void)pthread_mutex_init(&symbols->lock, NULL);
    bool has_table = elf_file_has_section(&file, ".symtab"),
         has_lines = elf_file_has_section(&file, ".debug_info");
    if (!has_table || !has_lines) symbols->debug = elf_file_find_debug(&file);
    symbols->path = arena_push_copy(&symbols->arena, path, strlen(path));
    if (symbols->path != NULL && read_segments(symbols) && read_functions(symbols)) return symbols;
    err_set(err, ERR_CORRUPT, "%s: its headers cannot be read", path);
    symbols_close(symbols);
    return NULL;
}

void symbols_close(Symbols *symbols)
{
    if (symbols == NULL) return;
    lines_close(symbols->lines);
    elf_file_close(&symbols->debug);
    elf_file_close(&symbols->file);
    (void)pthread_mutex_destroy(&symbols->lock);
    Arena arena = symbols->arena; /* a copy, because the Symbols is allocated in it */
    arena_release(&arena);
}

/* Sets `path` to the recorded file name in the folder of the trace. Returns false if the name is empty or the path is
 * too long. */
static bool path_beside(const char *trace_path, StringView recorded, char path[FILE_PATH_BYTES])
{
    size_t at = recorded.size;
    while (at > 0 && recorded.bytes[at - 1] != '/' && recorded.bytes[at - 1] != '\\')
        at--;
    StringView  name = { recorded.bytes + at, recorded.size - at };
    const char *slash = strrchr(trace_path, '/');
    size_t      folder_size = slash == NULL ? 0 : (size_t)(slash - trace_path) + 1;
    if (name.size == 0 || folder_size + name.size >= FILE_PATH_BYTES) return false;
    memcpy(path, trace_path, folder_size);
    memcpy(path + folder_size, name.bytes, name.size);
    path[folder_size + name.size] = '\0';
    return true;
}

Symbols *symbols_search(const SymbolSource *source, StringView recorded, const char *trace_path, Err *err)
{
    char path[FILE_PATH_BYTES];
    Err  second;
    bool has_err = false;
    if (source->policy == SYMBOLS_GIVEN) return open_executable(source->path, err);
    if (source->policy == SYMBOLS_OFF) {
        err_set(err, ERR_IO, "no executable was looked for");
        return NULL;
    }
    if (recorded.size == 0 || memchr(recorded.bytes, '\0', recorded.size) != NULL) {
        err_set(err, ERR_IO, "the trace does not say which program it is of");
        return NULL;
    }
    if (recorded.bytes[0] == '/' && recorded.size < sizeof path) {
        memcpy(path, recorded.bytes, recorded.size);
        path[recorded.size] = '\0';
        Symbols *symbols = open_executable(path, err);
        if (symbols != NULL) return symbols;
        has_err = true;
    }
    if (trace_path != NULL && path_beside(trace_path, recorded, path)) {
        Symbols *symbols = open_executable(path, has_err ? &second : err);
        if (symbols != NULL || has_err) return symbols;
        has_err = true;
    }
    if (!has_err) err_set(err, ERR_IO, "%.*s: is not here", (int)(recorded.size & 0xFFFF), recorded.bytes);
    return NULL;
}

/* -- requests -- */

const char *symbols_path(const Symbols *symbols)
{
    return symbols->path;
}

uint64_t symbols_image_base(const Symbols *symbols)
{
    return symbols->image_base;
}

bool symbols_find(const Symbols *symbols, const char *name, uint64_t *address)
{
    for (size_t i = 0; i < symbols->function_count; i++) {
        if (strcmp(symbols->functions[i].name, name) != 0) continue;
        *address = symbols->functions[i].start;
        return true;
    }
    return false;
}

bool symbols_at_offset(const Symbols *symbols, uint64_t offset, uint64_t *address)
{
    for (size_t i = 0; i < symbols->code_count; i++) {
        const CodeRange *code = &symbols->code[i];
        if (offset < code->offset || offset >= code->file_end) continue;
        *address = code->begin + (offset - code->offset);
        return true;
    }
    return false;
}

size_t symbols_build_id(const Symbols *symbols, uint8_t *id, size_t size)
{
    const void   *found = NULL;
    const ssize_t found_size = dwelf_elf_gnu_build_id(symbols->file.elf, &found);
    if (found_size <= 0) return 0;
    if ((size_t)found_size < size) size = (size_t)found_size;
    memcpy(id, found, size);
    return size;
}

bool symbols_has_code(const Symbols *symbols, uint64_t address)
{
    for (size_t i = 0; i < symbols->code_count; i++) {
        if (address >= symbols->code[i].begin && address < symbols->code[i].end) return true;
    }
    return false;
}

bool symbols_function(const Symbols *symbols, uint64_t address, SymbolFunction *function)
{
    enum { MOST_STEPS = 16 }; /* few functions begin inside another function */
    size_t low = 0;
    address &= symbols->address_mask;
    if (!symbols_has_code(symbols, address)) return false;
    /* counts the functions that start at or before the address */
    LOWER_BOUND(size_t, low, symbols->function_count, i, symbols->functions[i].start <= address);
    for (size_t steps = 0; low > 0 && steps < MOST_STEPS; steps++) {
        const Function *candidate = &symbols->functions[--low];
        uint64_t        offset = address - candidate->start;
        bool            open_end = candidate->size == 0 && steps == 0 && address < candidate->section_end;
        if (offset != 0 && offset >= candidate->size && !open_end) continue;
        *function = (SymbolFunction){ candidate->name, offset };
        return true;
    }
    return false;
}

bool symbols_line(Symbols *symbols, uint64_t address, SourceLine *line)
{
    (void)pthread_mutex_lock(&symbols->lock);
    if (!symbols->lines_opened) {
        symbols->lines_opened = true;
        symbols->lines = lines_open(&symbols->arena, &symbols->file, &symbols->debug);
    }
    bool found = symbols->lines != NULL && lines_find(symbols->lines, address & symbols->address_mask, line);
    (void)pthread_mutex_unlock(&symbols->lock);
    return found;
}

/* -- names -- */

typedef struct Demangling {
    Symbols *symbols;
    Bytes   *out;
    size_t   room;
    bool     cut;
} Demangling;

static void take_text(const char *text, size_t size, void *context)
{
    Demangling *demangling = context;
    if (size > demangling->room) {
        demangling->symbols->wasted_bytes += size;
        demangling->cut = true;
        demangling->room = 0;
        return;
    }
    demangling->room -= size;
    bytes_append(demangling->out, text, size);
}

/* True if demangling the name stays within the limits. Counts the characters that may be references. */
static bool is_cheap(const Symbols *symbols, const char *name, size_t size)
{
    const bool is_rust = name[1] == 'R';
    unsigned   references = 0;
    for (size_t i = 1; i < size; i++) {
        bool number =
            name[i] == '_' || (name[i] >= '0' && name[i] <= '9') || (name[i] >= 'A' && name[i] <= 'Z');
        references += number && (is_rust ? name[i - 1] == 'B' : name[i - 1] == 'S' || name[i - 1] == 'T');
    }
    return size <= MOST_NAME_BYTES && references <= MOST_REFERENCES &&
           symbols->wasted_bytes < MOST_WASTED_BYTES;
}

static bool demangle(Symbols *symbols, const char *name, size_t size, Bytes *out)
{
    const int options = DMGL_PARAMS | DMGL_ANSI;
    bool      mangled = name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
    if (!mangled || !is_cheap(symbols, name, size)) return false;
    Demangling demangling = { symbols, out, MOST_SHOWN_BYTES, false };
    if (rust_demangle_callback(name, DMGL_ANSI, take_text, &demangling) != 0 && !demangling.cut) return true;
    bytes_clear(out);
    demangling = (Demangling){ symbols, out, MOST_SHOWN_BYTES, false };
    return cplus_demangle_v3_callback(name, options, take_text, &demangling) != 0 && !demangling.cut;
}

void symbols_append_name(Symbols *symbols, const char *name, Bytes *out)
{
    Bytes      readable = { 0 };
    StringView shown = c_string_view(name);
    if (demangle(symbols, name, shown.size, &readable) && readable.size > 0 && !readable.failed)
        shown = bytes_view(&readable);
    (void)utf8_append_repaired(out, (const uint8_t *)shown.bytes, shown.size);
    if (readable.failed) out->failed = true;
    bytes_release(&readable);
}
