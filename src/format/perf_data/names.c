#include "format/perf_data/names.h"

#include "base/file.h"
#include "format/input_text.h"
#include "format/linux/perf_threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The keys of frames have the module above an address, or an offset, of this many bits. */
enum { ADDRESS_BITS = 48, MOST_MODULES = 1 << (64 - ADDRESS_BITS) };
/* Limit on open executables: a process may have 1,024 open files, and a recording may name any. */
enum { MOST_OPEN = 512 };

bool perf_names_open(PerfNames *names, Arena *arena, TraceBuilder *builder)
{
    *names = (PerfNames){ .builder = builder, .arena = arena };
    names->maps.table_of.arena = names->module_of.arena = names->frame_of.arena = arena;
    PerfModule *none = ARENA_LIST_PUSH(&names->modules, arena);
    if (none == NULL) return false;
    none->is_sought = true;
    none->name = none->other = builder_string(builder, "[unknown]", 9);
    return true;
}

void perf_names_close(PerfNames *names)
{
    for (size_t i = 0; i < names->modules.count; i++)
        symbols_close(names->modules.items[i].symbols);
    kernel_symbols_close(names->kernel.symbols);
    names->kernel.symbols = NULL;
    names->modules.count = 0;
}

/* -- modules -- */

/* Returns the last part of a path; "[kernel.kallsyms]" of "[kernel.kallsyms]_text". */
static StringView name_in(StringView path)
{
    if (path.size > 0 && path.bytes[0] == '[') {
        const char *end = (const char *)memchr(path.bytes, ']', path.size);
        if (end != NULL) path.size = (size_t)(end - path.bytes) + 1;
        return path;
    }
    size_t at = path.size;
    while (at > 0 && path.bytes[at - 1] != '/')
        at--;
    return at == path.size ? path : (StringView){ path.bytes + at, path.size - at };
}

/* Returns the index of a module, added on first use; 0 when out of memory, or if there are too many. */
static uint32_t module_of(PerfNames *names, StringView path, bool is_kernel, EventPos pos)
{
    if (is_kernel) path = name_in(path);
    const StringId id = input_text_intern(names->builder, path, "the path of a file", pos, &names->failed);
    const uint32_t found = id_map_find(&names->module_of, id.index);
    if (found != 0 || id.index == 0 || names->modules.count >= MOST_MODULES) return found;
    const uint32_t index = (uint32_t)names->modules.count;
    PerfModule    *module = ARENA_LIST_PUSH(&names->modules, names->arena);
    if (module == NULL || !id_map_put(&names->module_of, id.index, index)) {
        names->failed = true;
        return 0;
    }
    const StringView name = name_in(builder_text(names->builder, id));
    module->path = id;
    module->is_kernel = is_kernel;
    module->name = builder_string(names->builder, name.bytes, name.size);
    module->other = perf_unnamed_function(names->builder, module->name, &names->failed);
    return index;
}

void perf_names_map(PerfNames *names, uint32_t pid, const PerfMap *place, StringView path,
                    const PerfBuildId *build_id, EventPos pos)
{
    PerfMap map = *place;
    map.module = module_of(names, path, pid == PERF_KERNEL_PID, pos);
    if (build_id != NULL && map.module != 0) names->modules.items[map.module].build_id = *build_id;
    if (!perf_maps_add(&names->maps, pid, &map))
        builder_warn(names->builder, "too-many-maps", pos,
                     "a process has more maps of files than are kept: functions in the others have no names");
    names->failed |= names->maps.failed;
}

void perf_names_tell_build_id(PerfNames *names, StringView path, bool is_kernel, const PerfBuildId *build_id)
{
    const uint32_t module = module_of(names, path, is_kernel, builder_read_pos(names->builder));
    if (module != 0) names->modules.items[module].build_id = *build_id;
}

/* -- symbols -- */

/* Sets `path` to the copy of a file that perf keeps by its build id: ~/.debug/.build-id/ab/cd.../elf. False: there is no such
 * path. */
static bool path_in_cache(const PerfBuildId *id, const char *name, char path[FILE_PATH_BYTES])
{
    const char *home = getenv("HOME");
    Bytes       text = { 0 };
    if (home == NULL || home[0] != '/' || id->size < 2) return false;
    bytes_printf(&text, "%s/.debug/.build-id/%02x/", home, id->bytes[0]);
    for (uint8_t i = 1; i < id->size; i++)
        bytes_printf(&text, "%02x", id->bytes[i]);
    bytes_printf(&text, "/%s", name);
    const bool fits = !text.failed && text.size < FILE_PATH_BYTES;
    if (fits) {
        memcpy(path, text.data, text.size);
        path[text.size] = '\0';
    }
    bytes_release(&text);
    return fits;
}

/* True if the symbols are of the file that was recorded, as far as that is known. */
static bool is_recorded(const PerfModule *module, const Symbols *symbols)
{
    uint8_t      found[PERF_BUILD_ID_BYTES];
    const size_t size = symbols_build_id(symbols, found, sizeof found);
    if (size == 0 || module->build_id.size == 0) return true;
    return size == module->build_id.size && memcmp(found, module->build_id.bytes, size) == 0;
}

/* Opens the executable of a module: the copy that perf keeps, or the file at its path or beside the trace. */
static void find_symbols(PerfNames *names, PerfModule *module, EventPos pos)
{
    const ReadContext *context = &names->context;
    const StringView   path = builder_text(names->builder, module->path);
    char               cached[FILE_PATH_BYTES];
    SymbolSource       source = context->symbols;
    Err                err;
    module->is_sought = true;
    if (names->open_count >= MOST_OPEN) return;
    if (string_equal(path, STRING_LITERAL("[vdso]")) && source.policy == SYMBOLS_SEARCH &&
        path_in_cache(&module->build_id, "vdso", cached))
        module->symbols = symbols_search(&(SymbolSource){ SYMBOLS_GIVEN, cached }, path, NULL, &err);
    if (path.size == 0 || path.bytes[0] != '/' || (path.size > 1 && path.bytes[1] == '/')) return;
    if (source.policy == SYMBOLS_GIVEN &&
        !string_equal(name_in(c_string_view(source.path)), builder_text(names->builder, module->name)))
        return;
    if (source.policy == SYMBOLS_SEARCH && path_in_cache(&module->build_id, "elf", cached))
        module->symbols = symbols_search(&(SymbolSource){ SYMBOLS_GIVEN, cached }, path, NULL, &err);
    if (module->symbols == NULL) module->symbols = symbols_search(&source, path, context->path, &err);
    if (module->symbols == NULL || is_recorded(module, module->symbols)) return;
    symbols_close(module->symbols);
    module->symbols = NULL;
    if (names->changed_count++ > 0) return;
    names->changed = module->path;
    names->first_changed = pos;
}

/* Opens the executable of a module once. */
static void seek_symbols(PerfNames *names, PerfModule *module, EventPos pos)
{
    if (module->is_sought) return;
    find_symbols(names, module, pos);
    names->open_count += module->symbols != NULL;
}

/* -- the kernel -- */

/* True if the running kernel is the recorded one: by its build id, or its release if the recording has no build id. */
static bool is_running(const PerfNames *names, const PerfBuildId *build_id)
{
    uint8_t running[PERF_BUILD_ID_BYTES];
    if (build_id->size == 0)
        return names->kernel.release.index != 0 &&
               kernel_is_release(builder_text(names->builder, names->kernel.release));
    const size_t size = kernel_build_id(running, sizeof running);
    return size == build_id->size && memcmp(running, build_id->bytes, size) == 0;
}

/* Opens the symbols of the recorded kernel: those of the running one if it is the same, or the copy that perf keeps. */
static void find_kernel(PerfNames *names, const PerfModule *module)
{
    PerfKernel *kernel = &names->kernel;
    char        cached[FILE_PATH_BYTES];
    uint64_t    text;
    Err         err;
    kernel->is_sought = true;
    if (names->context.symbols.policy != SYMBOLS_SEARCH) return;
    if (is_running(names, &module->build_id)) kernel->symbols = kernel_symbols_open("/proc/kallsyms", &err);
    if (kernel->symbols == NULL && path_in_cache(&module->build_id, "kallsyms", cached))
        kernel->symbols = kernel_symbols_open(cached, &err);
    if (kernel->symbols != NULL && kernel->text != 0 &&
        kernel_symbols_address(kernel->symbols, kernel->reference, &text))
        kernel->shift = text - kernel->text;
}

void perf_names_place_kernel(PerfNames *names, StringView path, uint64_t address)
{
    PerfKernel  *kernel = &names->kernel;
    const size_t skipped = name_in(path).size;
    if (kernel->text != 0 || skipped >= path.size || path.size - skipped >= sizeof kernel->reference) return;
    memcpy(kernel->reference, path.bytes + skipped, path.size - skipped);
    kernel->reference[path.size - skipped] = '\0';
    kernel->text = address;
}

/* -- frames -- */

/* Appends the name of the function at an address. False: it is not known. */
static bool append_function(PerfNames *names, PerfModule *module, const PerfMap *map, uint64_t address,
                            EventPos pos, Bytes *out)
{
    SymbolFunction function;
    StringView     name;
    uint64_t       in_file;
    if (module->is_kernel) {
        if (!names->kernel.is_sought) find_kernel(names, module);
        const KernelSymbols *kernel = names->kernel.symbols;
        if (kernel == NULL || !kernel_symbols_find(kernel, address + names->kernel.shift, &name))
            return false;
        bytes_append(out, name.bytes, name.size);
        return true;
    }
    seek_symbols(names, module, pos);
    if (module->symbols == NULL || map == NULL ||
        !symbols_at_offset(module->symbols, map->offset + (address - map->begin), &in_file) ||
        !symbols_function(module->symbols, in_file, &function))
        return false;
    symbols_append_name(module->symbols, function.name, out);
    return true;
}

static FrameId make_frame(PerfNames *names, uint32_t index, const PerfMap *map, uint64_t address,
                          EventPos pos)
{
    Bytes       text = { 0 };
    PerfModule *module = &names->modules.items[index];
    StackFrame  frame = { .function = module->other, .module = module->name };
    if (append_function(names, module, map, address, pos, &text) && !text.failed) {
        frame.function = builder_string(names->builder, (const char *)text.data, text.size);
        names->named++;
    } else if (names->unnamed++ == 0) {
        names->first_unnamed = pos;
    }
    names->failed |= text.failed;
    bytes_release(&text);
    return builder_frame(names->builder, &frame);
}

FrameId perf_names_frame(PerfNames *names, uint32_t pid, bool in_kernel, uint64_t address, bool is_return,
                         EventPos pos)
{
    const uint64_t of_call = address - (is_return && address > 0 ? 1 : 0);
    const PerfMap *map = perf_maps_find(&names->maps, in_kernel ? PERF_KERNEL_PID : pid, of_call);
    const uint32_t module = map == NULL ? 0 : map->module;
    const uint64_t in_file = map == NULL || in_kernel ? of_call : map->offset + (of_call - map->begin);
    const uint64_t key = (uint64_t)module << ADDRESS_BITS | (in_file & ((UINT64_C(1) << ADDRESS_BITS) - 1));
    const uint32_t found = module == 0 ? names->unknown.index : id_map_find(&names->frame_of, key);
    if (found != 0) return (FrameId){ found };
    const FrameId frame = make_frame(names, module, map, of_call, pos);
    if (module == 0)
        names->unknown = frame;
    else if (frame.index != 0 && !id_map_put(&names->frame_of, key, frame.index))
        names->failed = true;
    return frame;
}

bool perf_names_file(PerfNames *names, uint32_t pid, uint64_t address, EventPos pos, UnwindFile *file)
{
    const PerfMap *map = perf_maps_find(&names->maps, pid, address);
    PerfModule    *module = map == NULL ? NULL : &names->modules.items[map->module];
    uint64_t       in_file;
    if (module == NULL) return false;
    seek_symbols(names, module, pos);
    if (module->symbols == NULL ||
        !symbols_at_offset(module->symbols, map->offset + (address - map->begin), &in_file))
        return false;
    *file = (UnwindFile){ symbols_path(module->symbols),
                          address - in_file + symbols_image_base(module->symbols) };
    return true;
}

/* -- the end -- */

void perf_names_report(PerfNames *names)
{
    const SymbolPolicy policy = names->context.symbols.policy;
    if (names->changed_count > 0) {
        const StringView path = builder_text(names->builder, names->changed);
        builder_warn(names->builder, "executable-mismatch", names->first_changed,
                     "%" PRIu64 " files have changed since the recording, and give no names; the first: %.*s",
                     names->changed_count, (int)path.size, path.bytes);
    }
    if (names->unnamed > 0 && names->unnamed >= names->named)
        builder_warn(names->builder, "no-symbols", names->first_unnamed,
                     "%" PRIu64 " of %" PRIu64 " addresses have no name of a function: %s", names->unnamed,
                     names->named + names->unnamed,
                     policy == SYMBOLS_OFF ? "no executable was looked for"
                                           : "the executables are not on this machine, or have no symbols");
}
