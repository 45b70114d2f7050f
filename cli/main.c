/*
 * main.c - `multiway`: find the command, run it, and see that its output was written.
 */
#define _XOPEN_SOURCE 700

#include "cli.h"
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

/* `multiway bench`: run multiway-bench, which lies beside this program. */
static int command_bench(int argc, char **argv)
{
    static const char name[] = "multiway-bench";
    char path[MOST_PATH];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
    char *slash = NULL;

    (void)argc;
    if (length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
    }
    if (!slash)
        return complain("bench", "cannot find the folder of this program");
    strcpy(slash + 1, name);
    execv(path, argv);
    if (errno == ENOENT)
        return complain("bench", "%s is not installed (build with -DMW_INSTALL_BENCH=ON)",
                        path);
    return complain("bench", "cannot run %s: %s", path, strerror(errno));
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} commands[] = {
    {"gen",   command_gen,   "write keys or records: random, sorted ..."              },
    {"sort",  command_sort,  "sort a file of keys or records, or find its order"      },
    {"merge", command_merge, "merge sorted files into one"                            },
    {"top",   command_top,   "the smallest or largest keys of a file, without a sort" },
    {"split", command_split, "where to cut sorted files at ranks of their merge"      },
    {"check", command_check, "is a file in order, and does it hold the same keys?"    },
    {"count", command_count, "sort in the simulator; count conflicts and transactions"},
    {"model", command_model, "the paper's formulas for a sort, beside the counts"     },
    {"bench", command_bench, "time the engines and other libraries' sorts"            },
    {"tune",  command_tune,  "try tunings on a device; print the fastest as a row"    },
    {"info",  command_info,  "the devices of this machine, and how each would sort"   },
};

static int print_help(void)
{
    char names[TYPE_NAMES];

    type_names(names);
    printf("usage: multiway <command> [options] [file ...]\n"
           "       multiway <command> --help, multiway --version\n\n"
           "Sort on a GPU, on the CPU, or in a simulator that counts:\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].about);
    printf(
        "\n"
        "Files hold keys of one type, or records, raw and little-endian; no file, or -,\n"
        "means standard input or output. Types:%s.\n"
        "\n"
        "  multiway gen --type u64 --count 1M --shape random --seed 7 -o keys.bin\n"
        "  multiway sort --type u64 -o sorted.bin keys.bin\n"
        "  multiway check --type u64 --same-as keys.bin sorted.bin\n"
        "\n"
        "Exit status: 0 success, 1 the answer is no, 2 wrong usage or a failure.\n",
        names);
    return EXIT_FINE;
}

static int print_version(void)
{
    const int version = mw_version();

    printf("multiway %d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return complain(NULL, "no command given (see multiway --help)");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    return complain(NULL, "unknown command %s (see multiway --help)", argv[1]);
}

/*
 * Fill closed standard streams with something that fails, so that no file opened later
 * takes their place. A broken pipe or a file-size limit becomes an error of write().
 */
static void prepare(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static int little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 1;
}

int main(int argc, char **argv)
{
    int status;

    prepare();
    if (!little_endian())
        return complain(NULL,
                        "this machine is big-endian; multiway needs a little-endian one");
    status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        status = complain(argc > 1 && argv[1][0] != '-' ? argv[1] : NULL,
                          "cannot write standard output: %s", strerror(errno));
    return status;
}
