/*
 * 07_records_by_fields.c - sort records by several of their fields.
 *
 * An order is data: the first field that differs decides. Nothing is compiled for it, on
 * no device. Byte strings compare as memcmp does.
 */
#include <multiway.h>

#include <stdio.h>

struct flight {
    char from[4]; /* padded with zeros */
    uint16_t delay;
    double price;
    uint32_t number;
};

static const mw_field fields[] = {
    {0, offsetof(struct flight, from),  MW_BYTES, 4, MW_ASCENDING,  0             },
    {0, offsetof(struct flight, price), MW_F64,   0, MW_DESCENDING, MW_ZEROS_EQUAL},
    {0, offsetof(struct flight, delay), MW_U16,   0, MW_ASCENDING,  0             },
};

int main(void)
{
    struct flight flights[] = {
        {"OSL", 10, 99.5,  1},
        {"BER", 25, 120.0, 2},
        {"BER", 5,  120.0, 3},
        {"OSL", 0,  150.0, 4},
        {"BER", 0,  80.0,  5},
    };
    const uint32_t expected[] = {3, 2, 5, 4, 1};
    const uint64_t count = sizeof flights / sizeof flights[0];
    mw_order order = MW_ORDER_INIT;
    mw_context *context;
    mw_status status;

    order.element_bytes = sizeof(struct flight);
    order.fields = fields;
    order.field_count = sizeof fields / sizeof fields[0];

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_sort_records(context, &order, flights, count);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (uint64_t i = 0; i < count; i++) {
        printf("%s %6.2f %3u min, flight %u\n", flights[i].from, flights[i].price,
               flights[i].delay, flights[i].number);
        if (flights[i].number != expected[i])
            return 1;
    }
    return status != MW_OK;
}
