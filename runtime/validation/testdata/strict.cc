/* Kernels that are given pointers of the host's, which they follow or not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) void follow(double *p, int n)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) p[i] *= 2;
}

static __attribute__((noinline)) void compare(double *p, double *y, int n)
{
#pragma acc parallel loop copy(y[0:n])
    for (int i = 0; i < n; i++) y[i] *= p ? 3 : 1;
}

static __attribute__((noinline)) void empty(double *p)
{
#pragma acc data copyin(p[5:10])
    {
#pragma acc parallel loop
        for (int i = 5; i < 15; i++) p[i] = i;
    }
}

static __attribute__((noinline)) void said(double *p, int n)
{
#pragma acc parallel loop deviceptr(p)
    for (int i = 0; i < n; i++) p[i] *= 2;
}

static __attribute__((noinline)) void behind(double *p)
{
#pragma acc enter data copyin(p[5:10])
#pragma acc parallel loop
    for (int i = 5; i < 15; i++) p[i] = i;
#pragma acc exit data delete(p[5:10])
}

static __attribute__((noinline)) void spare(double *p)
{
#pragma acc parallel loop no_create(p[0:100])
    for (int i = 0; i < 100; i++) p[i] *= 2;
}

static __attribute__((noinline)) void unneeded(double *p, double *y, int n)
{
#pragma acc parallel loop copy(y[0:n]) no_create(p[0:n])
    for (int i = 0; i < n; i++) y[i] *= p ? 3 : 1;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    double *p = static_cast<double *>(calloc(100, sizeof *p)), *y = static_cast<double *>(calloc(100, sizeof *y));
    if (!strcmp(name, "followed") || !strcmp(name, "present") || !strcmp(name, "compared")) {
#pragma acc enter data copyin(p[0:100])
    }
    if (!strcmp(name, "compared")) compare(p, y, 100);
    else if (!strcmp(name, "empty")) empty(p);
    else if (!strcmp(name, "behind")) behind(p);
    else if (!strcmp(name, "spare")) spare(p);
    else if (!strcmp(name, "unneeded")) unneeded(p, y, 100);
    else if (!strcmp(name, "said") || !strcmp(name, "present")) said(p, 100);
    else follow(p, 100);
    printf("went on\n");
    return 0;
}
