/*
 * Runs a program many times in one process image: a library for LD_PRELOAD.
 *
 * The start of a program under valgrind, reading debug information and binding libraries, takes longer than a short
 * run. This library replaces main(): the program starts once and forks a child for each line of its standard input.
 *
 * A line: the files for standard input, standard output and standard error, then the arguments, separated by tabs. An
 * empty line makes a child that ends at once: it executes the instructions that every child has in common.
 * A line that begins with `+` runs the program in the server itself. Valgrind then has a translation of the code, and
 * makes no other one in each child: that is most of the time of a short run. The program must return from main().
 * Only the program named by the environment variable FORK_SERVER does so: valgrind itself is another program.
 * The answer on standard output is a line `PID STATUS`, where PID is 0 without a child and STATUS is 128 plus the signal of a killed child.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*Main)(int, char **, char **);

enum { ARGUMENTS = 64, FILES = 3 };

static Main  program;
static char *program_name;

/* Opens `path` as the descriptor `fd`. Ends the process with status 126 if that fails. */
static void open_as(const char *path, int flags, int fd)
{
    int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, fd) < 0) _exit(126);
    close(file);
}

/* Runs the program of one line, and returns its status. */
static int run(char *line, char **environment)
{
    char *words[ARGUMENTS + FILES + 1];
    int   count = 0;
    for (char *word = strtok(line, "\t\n"); word != NULL; word = strtok(NULL, "\t\n")) {
        if (count == ARGUMENTS + FILES) _exit(126);
        words[count++] = word;
    }
    if (count == 0) return 0;
    if (count < FILES) _exit(126);
    open_as(words[0], O_RDONLY, STDIN_FILENO);
    open_as(words[1], O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    open_as(words[2], O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    words[count] = NULL;
    words[FILES - 1] = program_name;
    return program(count - FILES + 1, &words[FILES - 1], environment);
}

/* Runs the program of one line in this process, whose files stay. Returns its status. */
static int run_here(char *line, char **environment)
{
    int kept[FILES];
    for (int fd = 0; fd < FILES; fd++)
        kept[fd] = dup(fd);
    int status = run(line, environment);
    fflush(NULL);
    for (int fd = 0; fd < FILES; fd++) {
        dup2(kept[fd], fd);
        close(kept[fd]);
    }
    return status;
}

/* Reads one line without a buffer that a child could inherit. Returns false at the end of the input. */
static int read_line(char *line, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && read(STDIN_FILENO, &line[length], 1) == 1) {
        if (line[length++] != '\n') continue;
        line[length] = '\0';
        return 1;
    }
    return 0;
}

static int serve(int argc, char **argv, char **environment)
{
    (void)argc;
    static char line[16384];
    program_name = argv[0];
    while (read_line(line, sizeof line)) {
        pid_t child = 0;
        int   code = 0;
        if (line[0] == '+') {
            code = run_here(&line[1], environment);
        } else {
            child = fork();
            if (child < 0) return 1;
            if (child == 0) exit(run(line, environment));
            int status = 0;
            if (waitpid(child, &status, 0) != child) return 1;
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (dprintf(STDOUT_FILENO, "%ld %d\n", (long)child, code) < 0) return 1;
    }
    return 0;
}

/* The entry of glibc into a program, see csu/libc-start.c. */
int __libc_start_main(Main main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(Main main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    int (*next)(Main, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    const char *name = getenv("FORK_SERVER");
    program = main;
    return next(name != NULL && strcmp(name, argv[0]) == 0 ? serve : main, argc, argv, init, fini, rtld_fini,
                stack_end);
}
