/*
 * info.c - `multiway info`: the devices of this machine, and how each would sort.
 */
#include "cli.h"
#include "device.h"
#include "json.h"
#include "options.h"

#include <inttypes.h>

static const mw_type types[] = {MW_U8, MW_I32, MW_F64};
static const struct {
    const char *text;
    uint64_t count;
} counts[] = {
    {"2^20", UINT64_C(1) << 20},
    {"2^26", UINT64_C(1) << 26},
};

enum {
    TYPES = sizeof types / sizeof types[0],
    COUNTS = sizeof counts / sizeof counts[0],
    MOST_GPUS = 64
};

static const char *kernels_of(const mw_info *info)
{
    return info->ahead_of_time ? "built in" : "compiled on first use by NVRTC";
}

static int is_cpu(const mw_info *info)
{
    return strncmp(info->device, "cpu", 3) == 0;
}

static void print_tunings(mw_context *context)
{
    printf("  %-5s %6s %6s %6s %8s %8s %6s\n", "type", "count", "engine", "ways", "warps",
           "threads", "base");
    for (int t = 0; t < TYPES; t++) {
        for (int c = 0; c < COUNTS; c++) {
            mw_tuning tuning;

            if (kit_get_tuning(context, types[t], counts[c].count, &tuning) == MW_OK)
                printf("  %-5s %6s %6s %6" PRIu32 " %8" PRIu32 " %8" PRIu32 " %6" PRIu32
                       "\n",
                       mw_type_name(types[t]), counts[c].text, engine_name(tuning.engine),
                       tuning.ways, tuning.warps, tuning.threads, tuning.base);
        }
    }
}

static void print_device(mw_context *context, const mw_info *info)
{
    printf("%s: %s\n", info->device, info->name);
    if (is_cpu(info))
        return;
    if (info->driver[0])
        printf("  driver          %s\n", info->driver);
    if (info->memory_bytes)
        printf("  memory          %.1f GiB\n", (double)info->memory_bytes / (1 << 30));
    printf("  multiprocessors %" PRIu32 ", sm_%" PRIu32 "\n", info->processors,
           info->architecture);
    printf("  shared memory   %" PRIu64 " bytes a block, %" PRIu64 " a multiprocessor\n",
           info->shared_per_block, info->shared_per_processor);
    printf("  kernels         %s\n", kernels_of(info));
    print_tunings(context);
}

static void json_tunings(struct json *json, mw_context *context)
{
    json_open(json, "tunings", '[');
    for (int t = 0; t < TYPES; t++) {
        for (int c = 0; c < COUNTS; c++) {
            mw_tuning tuning;

            if (kit_get_tuning(context, types[t], counts[c].count, &tuning) != MW_OK)
                continue;
            json_open(json, NULL, '{');
            json_text(json, "type", mw_type_name(types[t]));
            json_count(json, "count", counts[c].count);
            json_tuning(json, "tuning", &tuning);
            json_close(json, '{');
        }
    }
    json_close(json, '[');
}

static void json_device(struct json *json, mw_context *context, const mw_info *info)
{
    json_open(json, NULL, '{');
    json_text(json, "device", info->device);
    json_truth(json, "present", 1);
    json_text(json, "name", info->name);
    json_text(json, "driver", info->driver);
    json_count(json, "memory_bytes", info->memory_bytes);
    json_count(json, "processors", info->processors);
    json_count(json, "architecture", info->architecture);
    json_count(json, "shared_per_block", info->shared_per_block);
    json_count(json, "shared_per_processor", info->shared_per_processor);
    json_truth(json, "ahead_of_time", info->ahead_of_time);
    if (!is_cpu(info))
        json_tunings(json, context);
    json_close(json, '{');
}

/* Tell about one device; returns what opening it came to. */
static mw_status show(const char *device, struct json *json, int must_exist)
{
    const struct cache_choice no_cache = {NULL, 1};
    mw_info info = MW_INFO_INIT;
    mw_context *context = NULL;
    mw_status status = device_open(&context, device, no_cache, NULL);

    if (status == MW_OK)
        status = mw_get_info(context, &info);
    if (status == MW_OK && json) {
        json_device(json, context, &info);
    } else if (status == MW_OK) {
        print_device(context, &info);
    } else if (must_exist && json) {
        json_open(json, NULL, '{');
        json_text(json, "device", device);
        json_truth(json, "present", 0);
        json_text(json, "why", device_error(context, status));
        json_close(json, '{');
    } else if (must_exist) {
        printf("%s: %s\n", device, device_error(context, status));
    }
    mw_close(context);
    return status;
}

static int info(int as_json)
{
    struct json writer = {.to = stdout};
    struct json *const json = as_json ? &writer : NULL;
    const int version = mw_version();
    char text[32];

    snprintf(text, sizeof text, "%d.%d.%d", version / 10000, version / 100 % 100,
             version % 100);
    if (json) {
        json_open(json, NULL, '{');
        json_text(json, "version", text);
        json_open(json, "devices", '[');
    } else {
        printf("multiway %s\n", text);
    }
    for (int gpu = 0; gpu < MOST_GPUS; gpu++) {
        snprintf(text, sizeof text, "cuda:%d", gpu);
        if (show(text, json, gpu == 0) != MW_OK)
            break;
    }
    show("cpu", json, 1);
    show("sim", json, 1);
    if (json) {
        json_close(json, '[');
        json_close(json, '{');
    }
    return EXIT_FINE;
}

int command_info(int argc, char **argv)
{
    int as_json = 0;
    /* clang-format off */
    const struct option options[] = {
        {"json", 0, NULL, OPTION_FLAG, &as_json, 0, "answer in JSON"},
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "info",
        .usage = "[--json]",
        .about =
            "List the devices that can sort here: name, driver, memory, and the tuning\n"
            "each would choose for a few types and counts. If there is no GPU, say why.",
        .options = options,
        .more = "  multiway info\n"
                "  multiway info --json\n",
    };
    const enum parsed parsed = options_parse(&command, argc, argv, NULL);

    return parsed == PARSED_RUN ? info(as_json) : exit_of(parsed);
}
