/*
 * 08_order_by_columns.c - ORDER BY over a table of columns, with NULLs first or last.
 *
 *   SELECT * FROM staff ORDER BY age DESC NULLS LAST, salary ASC NULLS FIRST
 *
 * Column 0 is the elements; column c of a field is value column c - 1. A byte says whether
 * a value is valid: as a field before the value's it puts NULLs at either end. The values
 * of NULLs must be equal, here 0, so that the next field decides among them.
 */
#include <multiway.h>

#include <stdio.h>

enum {
    ROWS = 6,
    AGE = 0,
    AGE_VALID = 1,
    SALARY = 2,
    SALARY_VALID = 3,
    ID = 4,
    COLUMNS = 5
};

static int32_t age[ROWS] = {41, 0, 35, 41, 0, 35};
static uint8_t age_valid[ROWS] = {1, 0, 1, 1, 0, 1};
static float salary[ROWS] = {900, 700, 0, 850, 0, 800};
static uint8_t salary_valid[ROWS] = {1, 1, 0, 1, 0, 1};
static uint32_t id[ROWS] = {1, 2, 3, 4, 5, 6};

static const mw_field fields[] = {
    {AGE_VALID,    0, MW_U8,  0, MW_DESCENDING, 0}, /* NULLS LAST */
    {AGE,          0, MW_I32, 0, MW_DESCENDING, 0},
    {SALARY_VALID, 0, MW_U8,  0, MW_ASCENDING,  0}, /* NULLS FIRST */
    {SALARY,       0, MW_F32, 0, MW_ASCENDING,  0},
};

int main(void)
{
    const mw_column values[COLUMNS - 1] = {
        {age_valid,    sizeof age_valid[0]   },
        {salary,       sizeof salary[0]      },
        {salary_valid, sizeof salary_valid[0]},
        {id,           sizeof id[0]          },
    };
    const mw_table table = {age, ROWS, values, COLUMNS - 1};
    const uint32_t expected[ROWS] = {4, 1, 3, 6, 5, 2};
    mw_order order = MW_ORDER_INIT;
    mw_job job = MW_JOB_INIT;
    mw_context *context;
    mw_status status;

    order.element_bytes = sizeof age[0];
    order.fields = fields;
    order.field_count = sizeof fields / sizeof fields[0];
    job.order = &order;
    job.in = &table;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_run(context, &job);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (int i = 0; i < ROWS; i++) {
        printf("id %u, age %d%s, salary %.0f%s\n", id[i], (int)age[i],
               age_valid[i] ? "" : " (NULL)", (double)salary[i],
               salary_valid[i] ? "" : " (NULL)");
        if (id[i] != expected[i])
            return 1;
    }
    return status != MW_OK;
}
