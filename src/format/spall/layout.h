/* format/spall/layout.h - the layouts of manual streams, as tables of the differences between versions. */
#ifndef FORMAT_SPALL_LAYOUT_H
#define FORMAT_SPALL_LAYOUT_H
#include "base/bits.h"
#include "base/cursor.h"
#include "base/string_view.h"

#define SPALL_MAGIC UINT64_C(0x0BADF00D)
#define SPALL_AUTO_MAGIC UINT64_C(0xABADF00D)

typedef enum {
    RECORD_NONE, /* no record has this type, or its size was never published */
    RECORD_BEGIN,
    RECORD_END,
    RECORD_COMPLETE,
    RECORD_CACHE_HIT, /* a Begin whose name is in a slot of a table that is not in the file */
    RECORD_INSTANT,
    RECORD_THREAD_INSTANT, /* these six are written by varve/record.h, inside a Pad_Skip */
    RECORD_COUNTER,
    RECORD_WHOLE_SLICE,
    RECORD_ASYNC,
    RECORD_FLOW,
    RECORD_ARGUMENTS, /* of the next record */
    RECORD_PAD_SKIP,
    RECORD_NAME_PROCESS,
    RECORD_NAME_THREAD,
    RECORD_KINDS
} RecordKind;

/* The offsets of a record's fields, from its type byte. 0 = the record does not have the field. */
typedef struct RecordShape {
    uint8_t size;        /* without the texts after it; 0 = the layout does not have the record */
    uint8_t category;    /* u8 */
    uint8_t pid, tid;    /* u32, u64 in 0A */
    uint8_t time;        /* f64 or u64 */
    uint8_t duration;    /* f64 or u64 */
    uint8_t name_length; /* u8; the name follows the record */
    uint8_t args_length; /* u8; the arguments follow the name */
    uint8_t number;      /* u32 bytes to skip, u16 name slot, u16 size of arguments */
    uint8_t value;       /* f64 */
    uint8_t id;          /* u64 */
    uint8_t role;        /* u8: 0 begin, 1 end, 2 instant; of a flow 0 start, 1 finish, 2 step */
} RecordShape;

/* The shapes for which blocks.c has compiled instances; the others are in layout.c. */
#define SHAPE_BEGIN_1                                                                                        \
    { .size = 20, .category = 1, .pid = 2, .tid = 6, .time = 10, .name_length = 18, .args_length = 19 }
#define SHAPE_BEGIN_3 { .size = 11, .time = 1, .name_length = 9, .args_length = 10 }
#define SHAPE_END_0B { .size = 17, .pid = 1, .tid = 5, .time = 9 }
#define SHAPE_END_2 { .size = 9, .time = 1 }

/* The types of the arguments in a RECORD_ARGUMENTS. */
typedef enum { ARGUMENT_I64, ARGUMENT_U64, ARGUMENT_F64, ARGUMENT_BOOL, ARGUMENT_TEXT } ArgumentType;

typedef enum { TIME_F64, TIME_U64 } TimeField;

/* Sizes of a file's header: the shortest one of version 0, and the one of versions 1 to 3. */
enum { LAYOUT_MIN_HEADER = 24, LAYOUT_FULL_HEADER = 32 };
/* A Pad_Skip of version 3 whose filler begins with these four bytes contains records of varve/record.h, which other
 * readers skip. Its other bytes are records. */
#define SPALL_RECORDS_MAGIC UINT32_C(0x31767256) /* "Vrv1" */
enum { LAYOUT_TYPES = 16, LAYOUT_MAX_RECORD = 33 /* 0A's Begin */, LAYOUT_MAX_TEXT = 255 };

typedef struct SpallLayout {
    const char *name; /* "1"; with a letter of Varve's own for the layouts of version 0: "0F" */
    const char *version;
    const char *not_published[LAYOUT_TYPES]; /* names of types that were declared without a layout */
    uint8_t     kinds[LAYOUT_TYPES];         /* RecordKind by type */
    RecordShape shapes[RECORD_KINDS];
    TimeField   time;
    uint16_t    unit_ns;     /* the unit of timestamp_unit, in nanoseconds */
    uint8_t     header_size; /* of the file */
    uint8_t     id_size;     /* of the type (if 8), pid and tid */
    uint8_t     frame_size;  /* of a buffer's header (size u32 @0, tid u32 @4); 0 = no buffers */
    uint8_t     frame_pid;   /* offset of the u32 pid in a buffer's header; 0 = process 0 */
} SpallLayout;

/* The layouts of version 0, the most likely first. */
enum { LAYOUT_V0_COUNT = 7 };
extern const SpallLayout SPALL_V0[LAYOUT_V0_COUNT];
extern const SpallLayout SPALL_V1, SPALL_V2, SPALL_V3;

/* Returns the layout of a version from 1 to 3, or NULL. */
const SpallLayout *layout_of_version(uint64_t version);
/* Returns the layout with this name, or NULL. */
const SpallLayout *layout_named(StringView name);
/* Returns the name of a kind for the trace's source_events: "Begin", for example. Not for RECORD_NONE. */
const char *layout_record_name(RecordKind kind);

#endif
