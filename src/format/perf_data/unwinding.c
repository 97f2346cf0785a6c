#include "format/perf_data/reader.h"

/* Numbers of registers in a mask of perf: perf_regs.h of Linux 6.1, for x86 and 64-bit ARM. */
enum { X86_SP = 7, X86_IP = 8, ARM_SP = 31, ARM_PC = 32 };

void perf_data_forget_files(PerfKept *kept, uint32_t pid)
{
    PerfUnwinder *slot = &kept->unwinders[pid % PERF_UNWINDERS];
    if (slot->pid != pid) return;
    unwinder_destroy(slot->unwinder);
    slot->unwinder = NULL;
}

void perf_data_forget_all(PerfKept *kept)
{
    for (size_t i = 0; i < PERF_UNWINDERS; i++)
        perf_data_forget_files(kept, kept->unwinders[i].pid);
}

/* Returns the unwinder of a process, or NULL. */
static Unwinder *unwinder_of(PerfKept *kept, uint32_t pid)
{
    PerfUnwinder *slot = &kept->unwinders[pid % PERF_UNWINDERS];
    if (slot->pid != pid) {
        perf_data_forget_files(kept, slot->pid);
        slot->pid = pid;
    }
    if (slot->unwinder == NULL) slot->unwinder = unwinder_create();
    return slot->unwinder;
}

/* Sets the registers of a thread. False: the sample does not have them. */
static bool take_registers(const PerfSample *sample, UnwindState *state)
{
    /* by the number of DWARF: that of perf */
    static const uint8_t X86[UNWIND_X86_REGISTERS] = { 0,  3,  2,  1,  4,  5,  6,  X86_SP, 16,
                                                       17, 18, 19, 20, 21, 22, 23, X86_IP };
    const bool           is_arm = (sample->user_mask >> ARM_PC & 1) != 0;
    if (sample->user_registers == NULL) return false;
    state->register_count = is_arm ? UNWIND_ARM_REGISTERS : UNWIND_X86_REGISTERS;
    for (unsigned i = 0; i < state->register_count; i++) {
        const unsigned number = is_arm ? i : X86[i];
        const uint64_t bit = UINT64_C(1) << number;
        if ((sample->user_mask & bit) == 0) return false;
        const unsigned place = bits_count_u64(sample->user_mask & (bit - 1));
        state->registers[i] = bits_load_u64(sample->user_registers + place * sizeof(uint64_t));
        if (number == (is_arm ? ARM_SP : X86_SP)) state->stack_pointer = state->registers[i];
    }
    return true;
}

/* The process of the sample, for find_file. */
typedef struct Place {
    PerfNames *names;
    uint32_t   pid;
    EventPos   pos;
} Place;

static bool find_file(void *context, uint64_t address, UnwindFile *file)
{
    const Place *place = context;
    return perf_names_file(place->names, place->pid, address, place->pos, file);
}

size_t perf_data_unwind(PerfDataReader *reader, const PerfSample *sample, EventPos pos,
                        uint64_t addresses[UNWIND_MOST_FRAMES])
{
    UnwindState state = { .stack = sample->stack, .stack_size = sample->stack_size };
    Place       place = { &reader->kept->names, sample->pid, pos };
    if (!take_registers(sample, &state)) return 0;
    Unwinder    *unwinder = unwinder_of(reader->kept, sample->pid);
    const size_t count = unwinder == NULL ? 0 : unwinder_run(unwinder, &state, find_file, &place, addresses);
    if (count > 0) return count;
    builder_warn(reader->builder, "dwarf-stacks", pos,
                 "the callers of a program are in a copy of its stack (--call-graph=dwarf), which needs its "
                 "executable to be "
                 "unwound: the text of `perf script` has them");
    addresses[0] = state.registers[state.register_count - 1];
    return 1;
}
