#include "format/unwind.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct Unwinder {
    Dwfl *dwfl;
    bool  is_attached; /* libdw knows the callbacks below */
    /* the thread that is unwound, and its frames so far */
    const UnwindState *state;
    UnwindFind         find;
    void              *context;
    uint64_t          *addresses;
    size_t             count;
};

/* -- files -- */

/* Separate files of debug information are not needed, and libdw would ask servers for them. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                             const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file,
                       Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

static const Dwfl_Callbacks FILES = { .find_elf = find_no_elf,
                                      .find_debuginfo = find_no_debuginfo,
                                      .section_address = dwfl_offline_section_address };

/* Opens the file at an address. False: it is not known, or another one was there before. */
static bool open_file_at(Unwinder *unwinder, uint64_t address)
{
    UnwindFile   file;
    Dwarf_Addr   begin = 0;
    Dwfl_Module *module = dwfl_addrmodule(unwinder->dwfl, address);
    if (!unwinder->find(unwinder->context, address, &file)) return false;
    if (module == NULL) {
        dwfl_report_begin_add(unwinder->dwfl);
        module = dwfl_report_elf(unwinder->dwfl, file.path, file.path, -1, file.base, false);
        (void)dwfl_report_end(unwinder->dwfl, NULL, NULL);
    }
    if (module == NULL) return false;
    (void)dwfl_module_info(module, NULL, &begin, NULL, NULL, NULL, NULL, NULL);
    return begin == file.base;
}

/* -- the thread -- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
    (void)dwfl;
    if (*thread != NULL) return 0; /* there is one */
    *thread = context;
    return dwfl_pid(dwfl);
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *context)
{
    const UnwindState *state = ((const Unwinder *)context)->state;
    const uint64_t     offset = address - state->stack_pointer;
    (void)dwfl;
    if (state->stack_size < sizeof *result || offset > state->stack_size - sizeof *result) return false;
    memcpy(result, state->stack + offset, sizeof *result);
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const UnwindState *state = ((const Unwinder *)context)->state;
    const bool         is_arm = state->register_count == UNWIND_ARM_REGISTERS;
    if (is_arm) dwfl_thread_state_register_pc(thread, state->registers[UNWIND_ARM_REGISTERS - 1]);
    return dwfl_thread_state_registers(thread, 0, state->register_count - (is_arm ? 1 : 0),
                                       (const Dwarf_Word *)state->registers);
}

static const Dwfl_Thread_Callbacks THREAD = { .next_thread = next_thread,
                                              .memory_read = read_memory,
                                              .set_initial_registers = set_registers };

/* Takes a frame. The file of the next one must be open before libdw looks for it. */
static int take_frame(Dwfl_Frame *frame, void *context)
{
    Unwinder  *unwinder = context;
    Dwarf_Addr address;
    bool       is_exact;
    if (!dwfl_frame_pc(frame, &address, &is_exact) || address == 0) return DWARF_CB_ABORT;
    unwinder->addresses[unwinder->count++] = address;
    if (!open_file_at(unwinder, is_exact ? address : address - 1)) return DWARF_CB_ABORT;
    return unwinder->count < UNWIND_MOST_FRAMES ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* -- the unwinder -- */

Unwinder *unwinder_create(void)
{
    Unwinder *unwinder = calloc(1, sizeof *unwinder);
    if (unwinder == NULL) return NULL;
    unwinder->dwfl = dwfl_begin(&FILES);
    if (unwinder->dwfl != NULL) return unwinder;
    free(unwinder);
    return NULL;
}

void unwinder_destroy(Unwinder *unwinder)
{
    if (unwinder == NULL) return;
    dwfl_end(unwinder->dwfl);
    free(unwinder);
}

size_t unwinder_run(Unwinder *unwinder, const UnwindState *state, UnwindFind find, void *context,
                    uint64_t addresses[UNWIND_MOST_FRAMES])
{
    enum { ANY_PID = 1 };
    const uint64_t first = state->registers[state->register_count - 1];
    unwinder->state = state;
    unwinder->find = find;
    unwinder->context = context;
    unwinder->addresses = addresses;
    unwinder->count = 0;
    if (!open_file_at(unwinder, first)) return 0;
    if (!unwinder->is_attached) {
        unwinder->is_attached = dwfl_attach_state(unwinder->dwfl, NULL, ANY_PID, &THREAD, unwinder);
        if (!unwinder->is_attached) return 0;
    }
    (void)dwfl_getthread_frames(unwinder->dwfl, ANY_PID, take_frame, unwinder); /* an error ends the stack */
    return unwinder->count;
}
