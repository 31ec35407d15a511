/* Kernels that are given pointers of the host's, which they follow or not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) void follow(double *p, int n)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) p[i] *= 2;
}

static __attribute__((noinline)) void certain(double *p, int n)
{
#pragma acc serial
    if (n > 0) p[0] = 1; else p[1] = 2;
}

static __attribute__((noinline)) void guarded(double *p, int n)
{
#pragma acc serial
    if (n < 0) p[0] = 1;
}

static __attribute__((noinline)) void elsewhere(double *p)
{
    double own = 0;
#pragma acc serial copy(own) firstprivate(p)
    { p = &own; p[0] = 1; }
}

static __attribute__((noinline)) void string(const char *s, int n)
{
    int sum = 0;
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < n; i++) sum += s[i];
}

static __attribute__((noinline)) void constant(const double *p, double *y)
{
#pragma acc serial copyout(y[0:1])
    y[0] = p[0];
}

static __attribute__((noinline)) void twice(double **pp)
{
#pragma acc serial
    **pp = 1;
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
#pragma acc serial deviceptr(p)
    { p[0] = n; for (int i = 0; i < n; i++) p[i] *= 2; }
}

static __attribute__((noinline)) void behind(double *p)
{
#pragma acc enter data copyin(p[5:10])
#pragma acc serial
    p[5] = 5;
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

// A clause names a member, none the object that has it.
struct Field {
    double *v;
    int n;
    __attribute__((noinline)) void grow()
    {
#pragma acc parallel loop copy(v[0:n])
        for (int i = 0; i < n; i++) v[i] += 1;
    }
};

static __attribute__((noinline)) void object(double *p, int there)
{
    Field *f = static_cast<Field *>(malloc(sizeof *f));
    *f = Field{p, 100};
    if (there) {
#pragma acc enter data copyin(f[0:1])
    }
    f->grow();
    if (there) {
#pragma acc exit data delete(f[0:1])
    }
    free(f);
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
    else if (!strcmp(name, "certain")) certain(p, 100);
    else if (!strcmp(name, "guarded")) guarded(p, 100);
    else if (!strcmp(name, "elsewhere")) elsewhere(p);
    else if (!strcmp(name, "string")) string("hello", 5);
    else if (!strcmp(name, "constant")) constant(p, y);
    else if (!strcmp(name, "twice")) twice(&p);
    else if (!strcmp(name, "behind")) behind(p);
    else if (!strcmp(name, "spare")) spare(p);
    else if (!strcmp(name, "unneeded")) unneeded(p, y, 100);
    else if (!strcmp(name, "member") || !strcmp(name, "object")) object(p, name[0] == 'o');
    else if (!strcmp(name, "said") || !strcmp(name, "present")) said(p, 100);
    else follow(p, 100);
    printf("went on\n");
    return 0;
}
