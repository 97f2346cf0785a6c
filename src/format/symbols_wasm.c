/* format/symbols.h in the builds that cannot read executables: that of the browser and the minimal library. */
#include "format/symbols.h"

#include <assert.h>

Symbols *symbols_search(const SymbolSource *source, StringView recorded, const char *trace_path, Err *err)
{
    (void)recorded;
    (void)trace_path;
    if (source->policy == SYMBOLS_OFF)
        err_set(err, ERR_IO, "no executable was looked for");
    else
        err_set(err, ERR_IO, "this build cannot read executables; varve open can show names");
    return NULL;
}

void symbols_close(Symbols *symbols)
{
    assert(symbols == NULL);
    (void)symbols;
}

/* The functions below are never called, because symbols_search returns NULL. */

const char *symbols_path(const Symbols *symbols)
{
    (void)symbols;
    return "";
}

uint64_t symbols_image_base(const Symbols *symbols)
{
    (void)symbols;
    return 0;
}

bool symbols_find(const Symbols *symbols, const char *name, uint64_t *address)
{
    (void)symbols;
    (void)name;
    (void)address;
    return false;
}

bool symbols_has_code(const Symbols *symbols, uint64_t address)
{
    (void)symbols;
    (void)address;
    return false;
}

bool symbols_function(const Symbols *symbols, uint64_t address, SymbolFunction *function)
{
    (void)symbols;
    (void)address;
    (void)function;
    return false;
}

void symbols_append_name(Symbols *symbols, const char *name, Bytes *out)
{
    (void)symbols;
    bytes_append_text(out, name);
}

bool symbols_line(Symbols *symbols, uint64_t address, SourceLine *line)
{
    (void)symbols;
    (void)address;
    (void)line;
    return false;
}

bool symbols_at_offset(const Symbols *symbols, uint64_t offset, uint64_t *address)
{
    (void)symbols;
    (void)offset;
    (void)address;
    return false;
}

size_t symbols_build_id(const Symbols *symbols, uint8_t *id, size_t size)
{
    (void)symbols;
    (void)id;
    (void)size;
    return 0;
}

/* -- the kernel -- */

KernelSymbols *kernel_symbols_open(const char *path, Err *err)
{
    err_set(err, ERR_IO, "%s: this build cannot read it", path);
    return NULL;
}

void kernel_symbols_close(KernelSymbols *symbols)
{
    assert(symbols == NULL);
    (void)symbols;
}

bool kernel_symbols_find(const KernelSymbols *symbols, uint64_t address, StringView *name)
{
    (void)symbols;
    (void)address;
    (void)name;
    return false;
}

bool kernel_symbols_address(const KernelSymbols *symbols, const char *name, uint64_t *address)
{
    (void)symbols;
    (void)name;
    (void)address;
    return false;
}

size_t kernel_build_id(uint8_t *id, size_t size)
{
    (void)id;
    (void)size;
    return 0;
}

bool kernel_is_release(StringView release)
{
    (void)release;
    return false;
}
