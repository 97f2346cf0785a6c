/* What is received, at moments that cannot be met from outside: in the middle of a turn. */
#include "app/live/receiver.h"
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIVES = 20 };

typedef struct Writers {
    char      path[1024];
    Receiver *receiver;
    uint64_t  sizes[LIVES]; /* of the senders that have ended */
    unsigned  ended;
} Writers;

/* A writer comes; its size tells it from the others. */
static int writer_open(const Writers *writers, unsigned number)
{
    char      bytes[LIVES];
    const int fd = open(writers->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    CHECK(fd >= 0);
    memset(bytes, '[', sizeof bytes);
    CHECK(write(fd, bytes, number + 1) == (ssize_t)number + 1);
    return fd;
}

/* The receiver has seen the end of one writer and not yet looked for the next: that one comes now, and goes. */
static void ended(void *context, const SenderStatus *status)
{
    Writers *writers = context;
    CHECK(writers->ended < LIVES);
    writers->sizes[writers->ended++] = status->bytes;
    if (writers->ended == LIVES) {
        receiver_stop(writers->receiver);
    } else {
        CHECK(close(writer_open(writers, writers->ended)) == 0);
    }
}

TEST(a_writer_of_a_pipe_that_comes_and_goes_while_the_one_before_ends_is_a_sender)
{
    Err             err;
    char            address[1100];
    Writers         writers = { .ended = 0 };
    ReceiverOptions options = { .memory_limit = 1 << 20, .ended = ended, .context = &writers };
    test_scratch_path("pipe", writers.path, sizeof writers.path);
    (void)snprintf(address, sizeof address, "pipe:%s", writers.path);
    CHECK(mkfifo(writers.path, 0600) == 0);
    writers.receiver = receiver_create(&options, &err);
    CHECK_DONE(writers.receiver != NULL, err);
    CHECK_DONE(receiver_open(writers.receiver, address, &err), err);
    CHECK(close(writer_open(&writers, 0)) == 0);
    CHECK_DONE(receiver_run(writers.receiver, &err), err);
    for (unsigned i = 0; i < LIVES; i++)
        CHECK_UINT(writers.sizes[i], i + 1);
    receiver_destroy(writers.receiver);
}

TEST_MAIN("receiver",
          TEST_CASE(a_writer_of_a_pipe_that_comes_and_goes_while_the_one_before_ends_is_a_sender))
