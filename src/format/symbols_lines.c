/* Finds source lines in DWARF data. */
#include "format/symbols_native.h"

#include "base/search.h"
#include "base/vec.h"

#include <assert.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

enum { CACHE_PLACES = 4096 };

/* A range of code of a compilation unit. */
typedef struct UnitRange {
    uint64_t  begin, end;
    Dwarf_Off unit; /* offset of its debugging entry */
} UnitRange;

typedef struct KnownLine {
    uint64_t   address;
    bool       used, found;
    SourceLine line;
} KnownLine;

struct Lines {
    Dwarf     *dwarf;
    UnitRange *ranges; /* in the arena; sorted by begin */
    size_t     range_count;
    KnownLine  cache[CACHE_PLACES];
};

static int compare_ranges(const void *a_entry, const void *b_entry)
{
    const UnitRange *a = a_entry, *b = b_entry;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* Reads the ranges of all units. The section that lists them (.debug_aranges) is optional and not used. */
static bool read_ranges(Lines *lines, Arena *arena)
{
    VEC(UnitRange) found = VEC_EMPTY;
    Dwarf_CU *unit = NULL;
    Dwarf_Die entry;
    while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &entry, NULL) == 0 && !found.bytes.failed) {
        Dwarf_Addr base = 0, begin = 0, end = 0;
        ptrdiff_t  at = 0;
        while ((at = dwarf_ranges(&entry, at, &base, &begin, &end)) > 0) {
            UnitRange range = { begin, end, dwarf_dieoffset(&entry) };
            if (begin < end) vec_push(&found, range);
        }
    }
    lines->range_count = vec_count(&found);
    if (!found.bytes.failed) lines->ranges = ARENA_ARRAY(arena, UnitRange, lines->range_count);
    if (lines->ranges != NULL && lines->range_count > 0) {
        memcpy(lines->ranges, found.items, found.bytes.size);
        qsort(lines->ranges, lines->range_count, sizeof *lines->ranges, compare_ranges);
    }
    vec_release(&found);
    return lines->ranges != NULL;
}

Lines *lines_open(Arena *arena, const ElfFile *file, const ElfFile *debug)
{
    const ElfFile *source = elf_file_has_section(file, ".debug_info") ? file : debug;
    if (source->elf == NULL) return NULL;
    Lines *lines = ARENA_NEW(arena, Lines);
    if (lines == NULL) return NULL;
    lines->dwarf = dwarf_begin_elf(source->elf, DWARF_C_READ, NULL);
    if (lines->dwarf != NULL && read_ranges(lines, arena)) return lines;
    lines_close(lines);
    return NULL;
}

void lines_close(Lines *lines)
{
    if (lines != NULL) (void)dwarf_end(lines->dwarf);
}

static bool look_up(const Lines *lines, uint64_t address, SourceLine *line)
{
    size_t low = 0;
    /* counts the ranges that begin at or before the address */
    LOWER_BOUND(size_t, low, lines->range_count, i, lines->ranges[i].begin <= address);
    if (low == 0 || address >= lines->ranges[low - 1].end) return false;
    Dwarf_Die entry;
    if (dwarf_offdie(lines->dwarf, lines->ranges[low - 1].unit, &entry) == NULL) return false;
    Dwarf_Line *found = dwarf_getsrc_die(&entry, address);
    const char *name = found == NULL ? NULL : dwarf_linesrc(found, NULL, NULL);
    int         number = 0;
    if (name == NULL || dwarf_lineno(found, &number) != 0 || number <= 0) return false;
    Dwarf_Attribute attribute;
    const char     *folder = NULL;
    if (name[0] != '/') folder = dwarf_formstring(dwarf_attr(&entry, DW_AT_comp_dir, &attribute));
    *line = (SourceLine){ folder == NULL ? "" : folder, name, (unsigned)number };
    return true;
}

bool lines_find(Lines *lines, uint64_t address, SourceLine *line)
{
    KnownLine *known = &lines->cache[(address * UINT64_C(0x9E3779B97F4A7C15)) >> 52];
    static_assert(CACHE_PLACES == 1 << 12, "the index is the hash's highest 12 bits");
    if (!known->used || known->address != address) {
        *known = (KnownLine){ .address = address, .used = true };
        known->found = look_up(lines, address, &known->line);
    }
    *line = known->line;
    return known->found;
}
