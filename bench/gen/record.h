/* gen/record.h - the records of a generated trace in the bytes of each format.
 *
 * Each function writes at `at` and returns the first byte behind; none writes more than
 * RECORD_MAX. A NULL function means that the format has no such record. */
#ifndef GEN_RECORD_H
#define GEN_RECORD_H
#include "program.h"

enum { RECORD_MAX = 1024, RECORD_BUFFER_HEADER_MAX = 32 };

typedef struct RecordFormat {
    const char *name;        /* as in --format= */
    size_t      header_size; /* of each thread's buffer; 0 = buffers have none */
    uint8_t *(*put_file_head)(uint8_t *at);
    uint8_t *(*put_file_tail)(uint8_t *at);
    void (*put_buffer_header)(uint8_t *at, size_t record_bytes, uint32_t tid, uint64_t first_ns);
    uint8_t *(*put_process_name)(uint8_t *at, const char *name);
    uint8_t *(*put_thread_name)(uint8_t *at, uint32_t tid, const char *name);
    uint8_t *(*put_begin)(uint8_t *at, const Call *call);
    uint8_t *(*put_end)(uint8_t *at, const Call *call);
    uint8_t *(*put_complete)(uint8_t *at, const Call *call);
} RecordFormat;

/* Returns NULL for an unknown name. */
const RecordFormat *record_format_find(const char *name);
/* The formats in order; NULL behind the last. */
const RecordFormat *record_format_at(size_t index);

#endif
