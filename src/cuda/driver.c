/*
 * driver.c - open libcuda.so.1, turn its errors into statuses and messages.
 */
#include "driver.h"

#include "library.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct library_function functions[] = {
#define DRIVER_ROW(name, symbol, parameters) {symbol, offsetof(struct driver, name)},
    DRIVER_FUNCTIONS(DRIVER_ROW)
#undef DRIVER_ROW
};

/* Our status for an error. */
static mw_status status_of(CUresult code)
{
    switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
        return MW_NO_MEMORY;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
        return MW_NO_DEVICE;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_NOT_FOUND:
        return MW_COMPILE_FAILED;
    default:
        return MW_DEVICE_FAILED;
    }
}

mw_status driver_check(const struct driver *driver, struct error *error, CUresult code,
                       const char *format, ...)
{
    const char *name = NULL;
    const char *text = NULL;
    char what[200];
    va_list list;

    if (code == CUDA_SUCCESS)
        return MW_OK;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (driver->GetErrorName(code, &name) != CUDA_SUCCESS || !name)
        name = "an error unknown to the driver";
    if (driver->GetErrorString(code, &text) != CUDA_SUCCESS || !text)
        text = "no description";
    return fail(error, status_of(code), "%s: %s (%d): %s", what, name, code, text);
}

mw_status driver_open(struct driver *driver, struct error *error)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    const char *missing = NULL;
    mw_status status;

    driver->library = library_open(names, functions, sizeof functions / sizeof *functions,
                                   driver, &missing);
    if (!driver->library && missing)
        return fail(error, MW_NO_DEVICE,
                    "the CUDA driver is too old: libcuda.so.1 has no function %s", missing);
    if (!driver->library)
        return fail(error, MW_NO_DEVICE, "no CUDA driver (libcuda.so.1) on this machine");
    status = driver_check(driver, error, driver->Init(0), "the CUDA driver cannot start");
    if (status == MW_OK)
        return MW_OK;
    driver_close(driver);
    /* A driver that cannot start has no GPU for us, whatever the reason. */
    return status == MW_NO_MEMORY ? status : MW_NO_DEVICE;
}

void driver_close(struct driver *driver)
{
    library_close(driver->library);
    driver->library = NULL;
}

/* The first word of `line` that looks like a version, such as 580.65.06, or "". */
static const char *find_version(char *line)
{
    char *word = line;

    while (*word) {
        const size_t length = strcspn(word, " \t\n");

        if (isdigit((unsigned char)*word) && strspn(word, "0123456789.") == length) {
            word[length] = '\0';
            return word;
        }
        word += length;
        word += strspn(word, " \t\n");
    }
    return "";
}

void driver_version(const struct driver *driver, char *text, size_t bytes)
{
    /* libcuda knows its CUDA version; the kernel module knows the driver's own. */
    FILE *const file = fopen("/proc/driver/nvidia/version", "r");
    char line[256] = "";
    int version = 0;

    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
        fclose(file);
    }
    driver->DriverGetVersion(&version);

    const char *const own = find_version(line);

    if (*own)
        snprintf(text, bytes, "%s (CUDA %d.%d)", own, version / 1000, version % 1000 / 10);
    else
        snprintf(text, bytes, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}
