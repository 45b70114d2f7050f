/*
 * unit_markup.c - letters and figures in bench's report: whatever a name or a command
 * line holds, the page stays a page.
 */
#define _POSIX_C_SOURCE 200809L

#include "../bench/markup.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAD "\xef\xbf\xbd"

static const struct {
    const char *name, *from, *to;
} texts[] = {
    {"nothing",                    "",                 ""                               },
    {"plain letters",              "--counts 2^20",    "--counts 2^20"                  },
    {"tags and quotes",            "<a b=\"c\">&'",    "&lt;a b=&quot;c&quot;&gt;&amp;'"},
    {"what looks escaped",         "&lt;",             "&amp;lt;"                       },
    {"two bytes",                  "\xc3\xa9",         "\xc3\xa9"                       },
    {"three bytes",                "\xe2\x82\xac",     "\xe2\x82\xac"                   },
    {"four bytes",                 "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"               },
    {"control characters",         "a\001\t\n\x7f",    "a" BAD BAD BAD BAD              },
    {"controls beyond ASCII",      "\xc2\x85",         BAD BAD                          },
    {"a byte that begins nothing", "\xffz\x80",        BAD "z" BAD                      },
    {"a letter that is cut off",   "a\xe2\x82",        "a" BAD BAD                      },
    {"a letter cut off by a tag",  "\xe2<",            BAD "&lt;"                       },
    {"a longer form than need be", "\xc0\xbc",         BAD BAD                          },
    {"half of a pair",             "\xed\xa0\x80",     BAD BAD BAD                      },
    {"beyond the last letter",     "\xf4\x90\x80\x80", BAD BAD BAD BAD                  },
    {"letters that are none",      "\xef\xbf\xbe",     BAD BAD BAD                      },
};

static const struct {
    const char *name, *from, *to;
    int most;
} shorts[] = {
    {"short enough",         "cub-merge",                "cub-merge",                9},
    {"one too many",         "cub-merges",               "cub-merg\xe2\x80\xa6",     9},
    {"letters, not bytes",   "\xc3\xa9\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9\xc3\xa9", 3},
    {"no half of an escape", "a<<<<",                    "a&lt;\xe2\x80\xa6",        3},
};

static const struct {
    double value;
    int decimals;
    const char *text;
} figures[] = {
    {1.42351,   4, "1.4235"   },
    {0.027744,  4, "0.0277"   },
    {0.0000313, 4, "3.13e-05" },
    {524.8456,  3, "524.846"  },
    {0.5,       2, "0.50"     },
    {0,         4, DASH       },
    {-1,        4, DASH       },
    {INFINITY,  4, DASH       },
    {NAN,       4, DASH       },
    {2.5e12,    4, "2.5e+12"  },
    {9999999,   1, "9999999.0"},
    {1e300,     4, "1e+300"   },
};

/* What was written in between, to be freed. */
struct memory {
    FILE *to;
    char *text;
    size_t bytes;
};

static void test_text(struct tap *tap, const char *name, const char *from, int most,
                      const char *wanted)
{
    struct memory memory = {NULL, NULL, 0};

    memory.to = open_memstream(&memory.text, &memory.bytes);
    if (!memory.to) {
        tap_ok(tap, 0, name, "no memory");
        return;
    }
    if (most)
        markup_short(memory.to, from, most);
    else
        markup_text(memory.to, from);
    fclose(memory.to);
    if (strcmp(memory.text, wanted) != 0)
        tap_note("got %s", memory.text);
    tap_ok(tap, strcmp(memory.text, wanted) == 0, name, "");
    free(memory.text);
}

int main(void)
{
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(texts); i++)
        test_text(&tap, texts[i].name, texts[i].from, 0, texts[i].to);
    for (size_t i = 0; i < COUNT_OF(shorts); i++)
        test_text(&tap, shorts[i].name, shorts[i].from, shorts[i].most, shorts[i].to);
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        char text[FIGURE_TEXT];

        figure_text(figures[i].value, figures[i].decimals, text);
        tap_case(&tap, strcmp(text, figures[i].text) == 0, "%g is written %s",
                 figures[i].value, figures[i].text);
    }
    return tap_end(&tap);
}
