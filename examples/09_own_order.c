/*
 * 09_own_order.c - an order of one's own, written once for the host and for a GPU.
 *
 * MW_RECORD defines a struct, MW_ORDER says when *a must precede *b. Use < and >, not <=:
 * two equal records must not precede each other.
 */
#include <multiway.h>

#include <stdio.h>

MW_RECORD(city, {
    float lat, lon;
    uint32_t people;
});
MW_ORDER(by_people, city,
         a->people > b->people || (a->people == b->people && a->lat < b->lat));

int main(void)
{
    city cities[] = {
        {59.9f, 10.8f, 700 },
        {52.5f, 13.4f, 3700},
        {48.9f, 2.4f,  2100},
        {47.5f, 19.0f, 700 },
    };
    const float expected[] = {52.5f, 48.9f, 47.5f, 59.9f};
    const uint64_t count = sizeof cities / sizeof cities[0];
    mw_context *context;
    mw_status status;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_sort_records(context, &by_people, cities, count);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (uint64_t i = 0; i < count; i++) {
        printf("%4.1f %4.1f: %u thousand\n", (double)cities[i].lat, (double)cities[i].lon,
               cities[i].people);
        if (cities[i].lat != expected[i])
            return 1;
    }
    return status != MW_OK;
}
