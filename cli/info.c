/*
 * info.c - `multiway info`: the devices of this machine, and how each would sort.
 */
#include "cli.h"
#include "device.h"
#include "options.h"
#include "table.h"

static const mw_type types[] = {MW_U8, MW_I32, MW_F64};
static const uint64_t counts[] = {UINT64_C(1) << 20, UINT64_C(1) << 26};

enum {
    TYPES = sizeof types / sizeof types[0],
    COUNTS = sizeof counts / sizeof counts[0],
    MOST_GPUS = 64
};

/* How the device would sort a few types and counts. */
static void put_tunings(struct report *report, mw_context *context)
{
    const struct table table = table_open(report, "tunings",
                                          "type:-4 count:8 engine:6 ways:4 warps:7 "
                                          "threads:7 items:5 base:6 workspace_bytes:15");

    for (int i = 0; i < TYPES * COUNTS; i++) {
        const mw_type type = types[i / COUNTS];
        const uint64_t count = counts[i % COUNTS];
        mw_plan plan;
        const mw_tuning *const t = &plan.tuning;

        if (sort_plan(context, NULL, type, count, &plan) == MW_OK)
            table_row(&table, TEXT(mw_type_name(type)), COUNT(count),
                      TEXT(engine_name(t->engine)), COUNT(t->ways), COUNT(t->warps),
                      COUNT(t->threads), COUNT(t->items), COUNT(t->base),
                      COUNT(plan.workspace_bytes));
    }
    table_close(&table);
}

static void put_device(struct report *report, mw_context *context, const mw_info *info)
{
    report_field(report, "name", TEXT(info->name));
    report_field(report, "processors", COUNT(info->processors));
    if (info->architecture == 0)
        return; /* the CPU */
    report_field(report, "driver", TEXT(info->driver));
    report_field(report, "memory_bytes", COUNT(info->memory_bytes));
    report_field(report, "architecture", COUNT(info->architecture));
    report_field(report, "shared_per_block", COUNT(info->shared_per_block));
    report_field(report, "shared_per_processor", COUNT(info->shared_per_processor));
    report_field(report, "ahead_of_time", TRUTH(info->ahead_of_time));
    report_field(report, "kernels",
                 TEXT(info->ahead_of_time
                          ? "embedded in the library"
                          : "compiled by NVRTC at first use: no embedded image fits"));
    put_tunings(report, context);
}

/* Open a device; its status, and why it failed or, if "auto" took no GPU, why. */
static mw_status open_one(mw_context **context, const char *device, mw_info *info,
                          const char **why)
{
    mw_status status = device_open(context, device, (struct cache_choice){NULL, 1}, NULL);

    *info = (mw_info)MW_INFO_INIT;
    if (status == MW_OK)
        status = mw_get_info(*context, info);
    *why = status == MW_OK ? info->fallback : device_error(*context, status);
    return status;
}

/* Describe a device; one that is not there only if it is `required`. */
static int put(struct report *report, const char *device, int required)
{
    mw_context *context = NULL;
    const char *why;
    mw_info info;
    const int present = open_one(&context, device, &info, &why) == MW_OK;

    if (present || required) {
        report_open(report, NULL);
        report_field(report, "device", TEXT(present ? info.device : device));
        report_field(report, "present", TRUTH(present));
        if (present)
            put_device(report, context, &info);
        else
            report_field(report, "why", TEXT(why));
        report_close(report);
    }
    mw_close(context);
    return present;
}

static int info(int as_json)
{
    struct report report = report_begin(as_json);
    const int version = mw_version();
    mw_context *context = NULL;
    const char *why;
    mw_info info;
    char text[32];

    snprintf(text, sizeof text, "%d.%d.%d", version / 10000, version / 100 % 100,
             version % 100);
    report_field(&report, "version", TEXT(text));
    open_one(&context, "auto", &info, &why);
    report_field(&report, "auto", TEXT(info.device));
    report_field(&report, "fallback", TEXT(why));
    mw_close(context);
    if (as_json)
        json_open(&report.json, "devices", '[');
    for (int gpu = 0, more = 1; gpu < MOST_GPUS && more; gpu++) {
        snprintf(text, sizeof text, "cuda:%d", gpu);
        more = put(&report, text, gpu == 0);
    }
    put(&report, "cpu", 1);
    put(&report, "sim", 1);
    if (as_json)
        json_close(&report.json, '[');
    report_close(&report);
    return EXIT_FINE;
}

int command_info(int argc, char **argv)
{
    int as_json = 0;
    const struct option options[] = {JSON_OPTION(as_json), {0}};
    const struct command command = {
        .name = "info",
        .usage = "[--json]",
        .about =
            "List the devices of this machine: name, driver, memory, where kernels come\n"
            "from, and the tuning each would choose for a few types and counts. If there\n"
            "is no GPU, or \"auto\" takes none, say why.",
        .options = options,
        .more = "  multiway info\n"
                "  multiway info --json\n",
    };
    const int parsed = options_parse(&command, argc, argv, NULL);

    return parsed == OPTIONS_RUN ? info(as_json) : parsed;
}
