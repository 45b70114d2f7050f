/*
 * tap.h - a test speaks TAP: one line a case, the plan at the end.
 *
 *   ok 1 - nothing to sort
 *   not ok 2 - one past a tile
 *   ok 3 - cuda i32 # SKIP no CUDA device
 *   # a note for the reader
 *   1..3
 */
#ifndef MW_TESTS_TAP_H
#define MW_TESTS_TAP_H

#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
#define TAP_PRINTF(text, first) __attribute__((unused, format(printf, text, first)))
#else
#define TAP_PRINTF(text, first)
#endif

/* Rows of a table. */
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

struct tap {
    int count;
    int failed;
};

/* One case: its name, and what tells it from its neighbours ("" for nothing). */
static inline void tap_ok(struct tap *tap, int passed, const char *name, const char *detail)
{
    tap->count++;
    tap->failed += !passed;
    printf("%sok %d - %s%s%s\n", passed ? "" : "not ", tap->count, name,
           *detail ? ": " : "", detail);
}

/* The same with a name made as printf makes it. */
TAP_PRINTF(3, 4)
static inline void tap_case(struct tap *tap, int passed, const char *format, ...)
{
    char name[256];
    va_list list;

    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    tap_ok(tap, passed, name, "");
}

/* A case that this machine cannot run. */
static inline void tap_skip(struct tap *tap, const char *name, const char *reason)
{
    tap->count++;
    printf("ok %d - %s # SKIP %s\n", tap->count, name, reason);
}

/* A line that is no case; a failure is told best in front of its "not ok". */
TAP_PRINTF(1, 2)
static inline void tap_note(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("# ", stdout);
    vprintf(format, list);
    putchar('\n');
    va_end(list);
}

/* The plan; returns what main should. A test without a case has failed. */
static inline int tap_end(const struct tap *tap)
{
    printf("1..%d\n", tap->count);
    return tap->failed != 0 || tap->count == 0;
}

#endif
