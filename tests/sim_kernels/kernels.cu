/*
 * kernels.cu - kernels of which is known what they compute and count, and `script`, which
 * takes any steps and may break rules.
 */
#include "simt.h"

#include "kernels.h"

CELL(byte_cell, unsigned char);
CELL(word_cell, unsigned);
CELL(wide_cell, unsigned long long);

/* Each lane's answers, all to be 1: do shuffles and ballots of every type work? */
KERNEL(shuffle_all, struct test_args)
{
    word_cell *const out = (word_cell *)args.out;
    const int lane = LANE;
    const unsigned char narrow = (unsigned char)(200 + lane);
    const short negative = (short)(-lane);
    const unsigned long long large = (1ull << 40) * (unsigned)lane + 7;
    const float real = 0.5f * (float)lane;
    const double fine = 0.25 * lane;
    unsigned right = 1;

    right &= SHUFFLE(narrow, 31 - lane) == 231 - lane;
    right &= SHUFFLE(negative, lane + 1) == -((lane + 1) % 32);
    right &= SHUFFLE_XOR(large, 5) == (1ull << 40) * (unsigned)(lane ^ 5) + 7;
    right &= SHUFFLE_XOR(real, 16) == 0.5f * (float)(lane ^ 16);
    right &= SHUFFLE(fine, 3) == 0.75;
    right &= SHUFFLE(SHUFFLE_XOR(lane, 1), 6) == 7;
    right &= SHUFFLE(lane, 1) + 100 * SHUFFLE(lane, 2) + 10000 * SHUFFLE(lane, 3) == 30201;
    right &= BALLOT(lane % 3 == 0) == 0x49249249u;
    right &= BALLOT(0) == 0;
    right &= BALLOT(&out[0] != 0) == 0xffffffffu;
    STORE(&out[THREAD], right);
}

/*
 * Lines, in order: lower half, upper half, everyone, a loop of LANE + 1 turns,
 * everyone again.
 */
KERNEL(diverge, struct test_args)
{
    const word_cell *const in = (const word_cell *)args.in;
    word_cell *const out = (word_cell *)args.out;
    unsigned sum = 0;

    if (LANE < 16)
        sum += LOAD(&in[LANE]);
    else
        sum += LOAD(&in[LANE]);
    sum += LOAD(&in[LANE + 32]);
    for (int i = 0; i <= LANE; i++)
        sum += LOAD(&in[i]);
    STORE(&out[LANE], sum);
}

/* The sum of `count` words into out[BLOCK]. */
KERNEL(reduce, struct test_args)
{
    SHARED(word_cell, sums);
    const word_cell *const in = (const word_cell *)args.in;
    unsigned sum = 0;

    for (int i = THREAD; i < args.count; i += THREADS)
        sum += LOAD_AS(BULK, &in[i]);
    for (int step = WARP / 2; step > 0; step /= 2)
        sum += SHUFFLE_XOR(sum, step);
    if (LANE == 0)
        STORE(&sums[THREAD / WARP], sum);
    BARRIER();
    if (THREAD == 0) {
        sum = 0;
        for (int i = 0; i < (THREADS + WARP - 1) / WARP; i++)
            sum += LOAD(&sums[i]);
        STORE((word_cell *)args.out + BLOCK, sum);
    }
}

/* All accesses stand in one source line, since a macro makes them. */
#define MOVE(to, from)                                                            \
    do {                                                                          \
        const unsigned long long k = LOAD(from) + LOAD_AS(PLAIN, from) +          \
                                     LOAD_AS(SEARCH, from) + LOAD_AS(CUT, from) + \
                                     LOAD_EVICT(CUT, from) + PEEK(CUT, from);     \
                                                                                  \
        STORE_AS(BULK, to, k);                                                    \
        POST(CUT, to, k);                                                         \
    } while (0)

DEVICE void move(const struct test_args *args)
{
    MOVE((wide_cell *)args->out + THREAD, (const wide_cell *)args->in + THREAD);
}

KERNEL(kinds, struct test_args)
{
    move(&args);
}

KERNEL(same_kinds, struct test_args)
{
    move(&args);
}

DEVICE int takes_part(int who)
{
    switch (who) {
    case EVERYONE:
        return 1;
    case FIRST_LANES:
        return LANE < 7;
    case OTHER_LANES:
        return LANE >= 7;
    case LAST_LANES:
        return LANE == WARP - 1;
    case FIRST_WARP:
        return THREAD < WARP;
    case OTHER_WARPS:
        return THREAD >= WARP;
    case FIRST_BLOCK:
        return BLOCK == 0;
    default:
        return BLOCK == BLOCKS - 1 && THREAD == who - LAST_BLOCK;
    }
}

/* A kilobyte of stack for each level, and all of them in use at the end. */
static unsigned dig(int levels, volatile unsigned char *above)
{
    volatile unsigned char room[1024];

    room[0] = room[1023] = (unsigned char)levels;
    return (levels > 0 ? dig(levels - 1, room) : 0) + above[0] + room[1023];
}

/* Tell the test which line to expect in the message, without the simulator knowing. */
#define CASE(op, act)                 \
    case op:                          \
        *(int *)args->out = __LINE__; \
        (void)act;                    \
        break

DEVICE void take_step(const struct test_args *args, const struct step *s, void *at)
{
    switch (s->op) {
        CASE(LOAD4, LOAD((word_cell *)at));
        CASE(LOAD8, LOAD((wide_cell *)at));
        CASE(STORE1, STORE((byte_cell *)at, 1));
        CASE(STORE4, STORE((word_cell *)at, 1));
        CASE(STORE8, STORE((wide_cell *)at, 1));
        CASE(POST8, POST(PLAIN, (wide_cell *)at, 1));
        CASE(PEEK8, PEEK(PLAIN, (wide_cell *)at));
        CASE(ADD4, ADD(PLAIN, (word_cell *)at, 1));
        CASE(ADD8, ADD(PLAIN, (wide_cell *)at, 1));
        CASE(MEET_WARP, WARP_BARRIER());
        CASE(MEET_BLOCK, BARRIER());
        CASE(MEET_BLOCK_ELSEWHERE, BARRIER());
        CASE(SHUFFLE31, SHUFFLE(LANE, 31));
        CASE(BALLOT1, BALLOT(1));
        CASE(DIG, dig(s->offset, (volatile unsigned char *)args->out));
    default:
        break;
    }
}

/* Takes the steps of its arguments. */
KERNEL(script, struct test_args)
{
    SHARED(word_cell, shared);
    word_cell mine; /* no memory of the device */
    char *const spaces[] = {(char *)args.in, (char *)args.out, (char *)shared,
                            (char *)&mine};

    for (const struct step *s = args.steps; s->op != END;
         s = s->op == AGAIN ? args.steps : s + 1) {
        if (takes_part(s->who))
            take_step(&args, s,
                      spaces[s->space] + s->offset + THREAD * s->each + BLOCK * s->across);
    }
}
