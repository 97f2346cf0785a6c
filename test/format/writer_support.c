#include "writer_support.h"

#include <string.h>

Loaded writer_load(const void *bytes, size_t size)
{
    /* One thread: the tests load thousands of times, and qemu-arm 7.2 leaks 170 KB for each thread. */
    LoadOptions options = { .threads = 1 };
    Loaded      loaded;
    Err         err = { 0 };
    CHECK_DONE(load_bytes(bytes, size, "test", &options, &loaded, &err), err);
    return loaded;
}

static bool append_or_fail(void *context, const void *bytes, size_t size, Err *err)
{
    size_t *left = context;
    (void)bytes;
    CHECK(size > 0);
    if (*left == 0) return err_set(err, ERR_IO, "the disk is full");
    (*left)--;
    return true;
}

OutputSink writer_failing_sink(size_t *appends_left)
{
    return (OutputSink){ .append = append_or_fail, .context = appends_left };
}

void writer_convert(const void *bytes, size_t size, const char *writer, WriterReport *report, Bytes *out)
{
    Loaded       loaded = writer_load(bytes, size);
    OutputSink   sink = output_to_bytes(out);
    WriterReport ignored = { .loss_count = 0 };
    Err          err = { 0 };
    CHECK_DONE(writer_find(writer)->write(&loaded, &sink, report == NULL ? &ignored : report, &err), err);
    loaded_release(&loaded);
    CHECK(!out->failed);
}

const char *writer_convert_text(const char *text, const char *writer, WriterReport *report, Bytes *out)
{
    bytes_clear(out);
    writer_convert(text, strlen(text), writer, report, out);
    bytes_append(out, "", 1);
    out->size--;
    return (const char *)out->data;
}

uint64_t writer_lost(const WriterReport *report, const char *what)
{
    uint64_t count = 0;
    for (size_t i = 0; i < report->loss_count; i++) {
        if (strcmp(report->losses[i].what, what) == 0) count += report->losses[i].count;
    }
    return count;
}

void writer_random_json(TestRandom *random, Bytes *out)
{
    static const char NAMES[] = "abcd";
    uint64_t count = 1 + test_random_below(random, 24), form_range = 3 + test_random_below(random, 6);
    unsigned producers = 0;
    bytes_append_text(out, "[");
    for (uint64_t i = 0; i < count; i++) {
        unsigned tid = 1 + (unsigned)test_random_below(random, 2),
                 ts = (unsigned)test_random_below(random, 12);
        char name = NAMES[test_random_below(random, 4)];
        if (i > 0) bytes_append_text(out, ",\n");
        switch (test_random_below(random, form_range)) {
        case 0:
        case 1:
            bytes_printf(out, "{\"ph\":\"B\",\"name\":\"%c\"", name);
            break;
        case 2:
            bytes_printf(out, "{\"ph\":\"E\"");
            if (test_random_below(random, 2) == 0) bytes_printf(out, ",\"name\":\"%c\"", name);
            break;
        case 3:
        case 4:
            bytes_printf(out, "{\"ph\":\"X\",\"name\":\"%c\",\"dur\":%u", name,
                         (unsigned)test_random_below(random, 9));
            if (test_random_below(random, 4) == 0) {
                unsigned id = (unsigned)test_random_below(random, 3);
                bytes_printf(out, ",\"bind_id\":\"0x%u\",\"flow_%s\":true", id,
                             /* of two at one time the first in the file is valid */
                             producers >> id & 1 ? "in" : "out");
                producers |= 1u << id;
            }
            break;
        case 5:
            bytes_printf(out, "{\"ph\":\"i\",\"name\":\"%c\",\"s\":\"%c\"", name,
                         "tpg"[test_random_below(random, 3)]);
            break;
        case 6:
            bytes_printf(out, "{\"ph\":\"X\",\"name\":\"%c\"", name);
            tid = 3; /* among begins it would look like one */
            break;
        case 7: {
            unsigned role = (unsigned)test_random_below(random, 3);
            bytes_printf(out, "{\"ph\":\"%c\",\"name\":\"%c\",\"id\":%u", "stf"[role], NAMES[0],
                         (unsigned)test_random_below(random, 2));
            if (role == 2 && test_random_below(random, 2) == 0) bytes_append_text(out, ",\"bp\":\"e\"");
            break;
        }
        default:
            bytes_printf(out, "{\"ph\":\"C\",\"name\":\"%c\",\"args\":{\"v\":%u}", name, ts);
            break;
        }
        bytes_printf(out, ",\"ts\":%u,\"pid\":1,\"tid\":%u", ts, tid);
        if (test_random_below(random, 4) == 0) bytes_printf(out, ",\"tts\":%u", ts);
        bytes_append_text(out, "}");
    }
    bytes_append_text(out, "]");
    CHECK(!out->failed);
}
