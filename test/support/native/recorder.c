#define _GNU_SOURCE
#include "recorder.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { BUFFER_BYTES = 96, MOST_RECORD = 25, TID = 7, ELF_HEADER_BYTES = sizeof(void *) == 8 ? 64 : 52 };

static struct {
    FILE    *file;
    int      version;
    uint64_t now, first, time, address, caller; /* one tick for each event */
    uint8_t  bytes[BUFFER_BYTES];
    size_t   used;
} recorder;

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static void put(uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        recorder.bytes[recorder.used++] = (uint8_t)(value >> (8 * i));
}

static void write_integer(uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        (void)fputc((int)(value >> (8 * i) & 0xFF), recorder.file);
}

static void flush_buffer(void)
{
    if (recorder.used == 0) return;
    write_integer(recorder.used, 4);
    write_integer(TID, 4);
    if (recorder.version > 1) {
        write_integer(recorder.first, 8);
        write_integer(1, 4);
    }
    (void)fwrite(recorder.bytes, 1, recorder.used, recorder.file);
    recorder.used = 0;
}

static unsigned log2_bytes(uint64_t value)
{
    return value >> 8 == 0 ? 0 : value >> 16 == 0 ? 1 : value >> 32 == 0 ? 2 : 3;
}

static void prepare(void)
{
    if (recorder.used + MOST_RECORD > BUFFER_BYTES) flush_buffer();
    recorder.now++;
    if (recorder.used == 0) {
        recorder.first = recorder.time = recorder.now;
        recorder.address = recorder.caller = 0;
    }
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    uint64_t address = (uintptr_t)function, from = (uintptr_t)caller;
    if (recorder.file == NULL) return;
    prepare();
    if (recorder.version == 1) {
        put(recorder.now | UINT64_C(1) << 56, 8);
        put(address, 8);
        put(from, 8);
        return;
    }
    uint64_t dt = recorder.now - recorder.time, da = address ^ recorder.address, dc = from ^ recorder.caller;
    put(log2_bytes(dt) << 4 | log2_bytes(da) << 2 | log2_bytes(dc), 1);
    put(dt, (size_t)1 << log2_bytes(dt));
    put(da, (size_t)1 << log2_bytes(da));
    put(dc, (size_t)1 << log2_bytes(dc));
    recorder.time = recorder.now;
    recorder.address = address;
    recorder.caller = from;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
    if (recorder.file == NULL) return;
    prepare();
    if (recorder.version == 1) {
        put(recorder.now | UINT64_C(2) << 56, 8);
        return;
    }
    uint64_t dt = recorder.now - recorder.time;
    put(0x40 | log2_bytes(dt) << 4, 1);
    put(dt, (size_t)1 << log2_bytes(dt));
    recorder.time = recorder.now;
}

int spall_auto_init(const char *file, int version)
{
    char     path[4096];
    double   unit = 1;
    uint64_t unit_bits;
    ssize_t  size = readlink("/proc/self/exe", path, sizeof path);
    FILE    *opened = size <= 0 || size > UINT16_MAX ? NULL : fopen(file, "wb");
    if (opened == NULL) return -1;
    memcpy(&unit_bits, &unit, sizeof unit);
    recorder.file = opened;
    recorder.version = version;
    write_integer(0xABADF00D, 8);
    write_integer((uint64_t)version, 8);
    write_integer(unit_bits, 8);
    write_integer(version == 3 ? getauxval(AT_PHDR) - ELF_HEADER_BYTES : (uintptr_t)&spall_auto_init, 8);
    write_integer((uint64_t)size, 2);
    (void)fwrite(path, 1, (size_t)size, opened);
    return 0;
}

void spall_auto_quit(void)
{
    if (recorder.file == NULL) return;
    flush_buffer();
    (void)fclose(recorder.file);
    recorder.file = NULL;
}
