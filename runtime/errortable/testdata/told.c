/* Each case runs into one error about data of its own. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double table[4][30];
static int counts[100];
struct grid { int n; double *cells; float halo[8]; };

static double *make(int n) { return calloc(n, sizeof (double)); }
static volatile int done; /* what comes after the last call of a case */

static void never(int n)
{
    double *velocity = make(n), *pressure = make(n);
#pragma acc enter data copyin(velocity[0:n])
#pragma acc parallel loop present(velocity[0:n], pressure[0:n])
    for (int i = 0; i < n; i++) pressure[i] += velocity[i];
}

static void shorter(int n)
{
    double *a = make(n);
#pragma acc enter data copyin(a[0:n/2])
#pragma acc parallel loop present(a[0:n])
    for (int i = 0; i < n; i++) a[i] *= 2;
}

static void shifted(int n)
{
    double *a = make(2 * n);
#pragma acc enter data copyin(a[0:n])
#pragma acc parallel loop copy(a[n/2:n])
    for (int i = n / 2; i < n + n / 2; i++) a[i] *= 2;
}

static void before(int n)
{
    double *a = make(2 * n);
#pragma acc enter data copyin(a[n/2:n])
#pragma acc data copy(a[0:n])
    a[0] = 1;
}

static void pieces(int n)
{
    double *a = make(n);
#pragma acc enter data copyin(a[0:100])
    acc_create(a + 200, 100 * sizeof *a);
#pragma acc update self(a[0:n])
}

static void rows(int n __attribute__((unused)))
{
#pragma acc enter data copyin(table[0:2][0:30])
#pragma acc parallel loop present(table)
    for (int i = 0; i < 30; i++) table[3][i] = i;
}

static void whole(int n __attribute__((unused)))
{
#pragma acc parallel loop present(counts)
    for (int i = 0; i < 100; i++) counts[i] = i;
}

static void byDefault(int n __attribute__((unused)))
{
    int local[50];
#pragma acc parallel loop default(present)
    for (int i = 0; i < 50; i++) local[i] = i;
}

static void member(int n)
{
    struct grid g = { n, make(n), { 0 } };
#pragma acc enter data copyin(g)
#pragma acc update self(g.cells[0:n])
}

static __attribute__((noinline)) void pointedMember(struct grid *g)
{
#pragma acc enter data copyin(g[0:1])
#pragma acc update device(g->cells[0:g->n])
}

static void ended(int n)
{
    double *a = make(n);
#pragma acc enter data copyin(a[0:n])
#pragma acc exit data delete(a[0:n])
#pragma acc update device(a[0:n])
}

static void endedRegion(int n)
{
    double *a = make(n);
#pragma acc data copyin(a[0:n])
    a[0] = 1;
#pragma acc kernels present(a[0:n])
    for (int i = 0; i < n; i++) a[i] = i;
}

static void finalized(int n)
{
    double *a = make(n);
#pragma acc enter data copyin(a[0:n])
#pragma acc exit data delete(a[0:n]) finalize
#pragma acc host_data use_device(a)
    a[0] = 1;
}

static void hostData(int n __attribute__((unused)))
{
#pragma acc host_data use_device(counts)
    counts[0] = 1;
}

static void moved(int n)
{
    double *a = make(n);
#pragma acc enter data copyin(a[0:n])
    a = make(4 * n);
#pragma acc serial present(a[0:n])
    a[0] = 1;
}

static void freed(int n)
{
    char *pool = malloc(64 * n);
    double *p = (double *) pool;
#pragma acc enter data copyin(p[0:n])
    float *q = (float *) (pool + 4 * n);
#pragma acc enter data create(q[0:4*n])
}

static void shrinks(int n)
{
    double *a = make(n);
#pragma acc enter data copyin(a[0:n/2])
#pragma acc exit data copyout(a[0:n])
}

static void negative(int n)
{
    double *a = make(n);
    n = -n;
#pragma acc enter data create(a[0:n])
}

static void large(int n)
{
    double *a = make(n), *huge = a;
    long m = 1l << 40;
#pragma acc data create(huge[0:m])
    a[0] = 1;
}

static __attribute__((noinline)) int leaves(void)
{
    int flag[1] = { 1 };
#pragma acc enter data copyin(flag[0:1])
#pragma acc parallel present(flag[0:1])
    flag[0] = 0;
    return flag[0];
}

static __attribute__((noinline)) void finds(void)
{
    double a[64];
    for (int i = 0; i < 64; i++) a[i] = i;
#pragma acc parallel loop copy(a[0:64])
    for (int i = 0; i < 64; i++) a[i] *= 2;
}

static void ofAnEndedFrame(int n __attribute__((unused)))
{
    leaves();
    finds();
}

static void copyin(int n)
{
    double *a = make(n);
    acc_copyin(a, n / 2 * sizeof *a);
    acc_copyin(a, n * sizeof *a);
    done = 1;
}

static void routineUpdate(int n)
{
    double *a = make(n);
    acc_update_device(a, n * sizeof *a);
    done = 1;
}

static void copyout(int n)
{
    double *a = make(n);
    acc_create(a, n / 2 * sizeof *a);
    acc_copyout(a, n * sizeof *a);
    done = 1;
}

static void between(int n)
{
    double *a = make(n), *b = make(n);
    acc_create(a, n * sizeof *a);
    acc_memcpy_d2d(a, b, n * sizeof *a, 0, 0);
    done = 1;
}

static void mapData(int n)
{
    double *a = make(n);
    acc_create(a, n * sizeof *a);
    acc_map_data(a, acc_malloc(n * sizeof *a), n * sizeof *a);
    done = 1;
}

static void unmapped(int n)
{
    double *a = make(n);
    acc_map_data(a, acc_malloc(n * sizeof *a), n * sizeof *a);
    acc_unmap_data(a);
#pragma acc update self(a[0:n])
}

static void unmapOther(int n)
{
    double *a = make(n), *b = make(n);
    acc_map_data(a, acc_malloc(n * sizeof *a), n * sizeof *a);
    acc_unmap_data(b);
    a[0] = b[0];
    done = 1;
}

static void unmapEntered(int n)
{
    double *a = make(n);
    acc_create(a, n * sizeof *a);
    acc_unmap_data(a);
    done = 1;
}

static void freeMapped(int n)
{
    double *a = make(n);
    acc_free(acc_create(a, n * sizeof *a));
    done = 1;
}

static void freeOther(int n)
{
    double *a = make(n);
    acc_free(a);
    a[0] = done = 1;
}

static void toOther(int n)
{
    double *a = make(n), *b = make(n);
    acc_memcpy_to_device(b, a, n * sizeof *a);
    a[0] = b[0] = done = 1;
}

static void fromOther(int n)
{
    double *a = make(n), *b = make(n);
    acc_memcpy_from_device_async(a, b, n * sizeof *a, 1);
    a[0] = b[0] = done = 1;
}

static void betweenOther(int n)
{
    double *a = make(n), *b = acc_malloc(n * sizeof *b);
    acc_memcpy_device(a, b, n * sizeof *a);
    a[0] = done = 1;
    acc_free(b);
}

static void beyond(int n)
{
    double *a = make(2 * n), *b = acc_malloc(n * sizeof *b);
    acc_memcpy_to_device(b, a, 2 * n * sizeof *a);
    a[0] = done = 1;
    acc_free(b);
}

static void swapped(int n)
{
    double *a = make(n), *b = acc_malloc(n * sizeof *b);
    acc_memcpy_to_device(a, b, n * sizeof *a);
    a[0] = done = 1;
    acc_free(b);
}

static void shutDown(int n)
{
    double *a = make(n);
    acc_create(a, n * sizeof *a);
    acc_shutdown(acc_get_device_type());
#pragma acc update self(a[0:n])
}

static void ofAMember(int n)
{
    struct grid g = { n, make(n), { 0 } };
    pointedMember(&g);
}

static __attribute__((noinline)) void haloBehind(struct grid *g)
{
#pragma acc parallel loop present(g->halo[0:8])
    for (int i = 0; i < 8; i++) g->halo[i] = i;
}

static void halo(int n)
{
    struct grid g = { n, make(n), { 0 } };
    haloBehind(&g);
    done += g.halo[1] > 7;
}

static void partOfWhole(int n)
{
    struct grid g = { n, make(n), { 0 } };
#pragma acc enter data copyin(g.halo[0:5])
#pragma acc parallel loop copy(g)
    for (int i = 0; i < 8; i++) g.halo[i] = i;
    done += g.halo[1] > 7;
}

static __attribute__((noinline)) void inside(int level)
{
    double local[10];
    for (int i = 0; i < 10; i++) local[i] = i;
    if (level == 0) {
#pragma acc enter data copyin(local)
        inside(1);
    } else {
#pragma acc update self(local)
    }
    printf("%g", local[1]);
}

static void recursive(int n __attribute__((unused))) { inside(done); }

/* The branches may share one call. */
static void inTurn(int n, int which)
{
    double *first = make(n), *second = make(n);
    static float third[77];
    switch (which) {
    case 0:;
#pragma acc update self(first[0:n])
        break;
    case 1:;
#pragma acc update self(second[0:n])
        break;
    case 2:;
#pragma acc update self(third)
        break;
    }
    printf("%g %g %g\n", first[3], second[3], third[3]);
}

static void firstInTurn(int n) { inTurn(n, done); }
static void secondInTurn(int n) { inTurn(n, done + 1); }
static void thirdInTurn(int n) { inTurn(n, done + 2); }

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(int); } cases[] = {
        { "never", never }, { "shorter", shorter }, { "shifted", shifted }, { "before", before }, { "pieces", pieces },
        { "rows", rows }, { "whole", whole }, { "byDefault", byDefault }, { "member", member }, { "ofAMember", ofAMember },
        { "ended", ended }, { "endedRegion", endedRegion }, { "finalized", finalized }, { "hostData", hostData },
        { "moved", moved }, { "freed", freed }, { "shrinks", shrinks }, { "negative", negative }, { "large", large },
        { "ofAnEndedFrame", ofAnEndedFrame }, { "copyin", copyin }, { "routineUpdate", routineUpdate },
        { "copyout", copyout }, { "between", between }, { "mapData", mapData }, { "unmapped", unmapped },
        { "unmapOther", unmapOther }, { "unmapEntered", unmapEntered }, { "freeMapped", freeMapped }, { "shutDown", shutDown },
        { "freeOther", freeOther }, { "toOther", toOther }, { "fromOther", fromOther }, { "betweenOther", betweenOther },
        { "beyond", beyond }, { "swapped", swapped }, { "firstInTurn", firstInTurn },
        { "secondInTurn", secondInTurn }, { "thirdInTurn", thirdInTurn },
        { "halo", halo }, { "partOfWhole", partOfWhole }, { "recursive", recursive },
    };
    for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[1], cases[i].name)) cases[i].run(1000);
    printf("no error\n");
    return 0;
}
