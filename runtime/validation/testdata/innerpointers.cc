/* Kernels that are given pointers of the host's inside of their data, or such as only look
   like it. A line that ends "warns: NAME..." is a directive of which the runtime warns once
   of each name. With an argument the kernel of that name runs alone. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <openacc.h>

#define APART static __attribute__((noinline)) void
enum { n = 10 };

struct Field {
    long count;
    char *title; // of the host's alone
    double *values, *others;
};

struct Fields {
    Field first, rest[3];
};

APART copied(Field f)
{
#pragma acc parallel loop copy(f) // warns: f.values
    for (int i = 0; i < n; i++) f.values[i] += 1;
}

APART implied(Field f)
{
#pragma acc kernels loop // warns: f.values
    for (int i = 0; i < n; i++) f.values[i] += 1;
}

APART firstprivate(Field f)
{
#pragma acc parallel loop firstprivate(f) // warns: f.values
    for (int i = 0; i < n; i++) f.values[i] += 1;
}

APART pointed(Field *f)
{
    for (int k = 0; k < 3; k++) {
#pragma acc parallel loop copyin(f[0:1]) // warns: f->values f->others
        for (int i = 0; i < n; i++) f->values[i] += f->others[i];
    }
}

APART present(Field *f)
{
#pragma acc enter data copyin(f[0:1])
#pragma acc enter data create(f->others[0:n])
#pragma acc serial present(f) // warns: f->values
    for (int i = 0; i < n; i++) f->others[i] = f->values[i];
#pragma acc exit data delete(f->others[0:n])
#pragma acc exit data delete(f[0:1])
}

struct Handle {
    double *data;
};

APART single(Handle h)
{
    double *data = h.data;
#pragma acc enter data copyin(data[0:n])
#pragma acc parallel loop // warns: h.data
    for (int i = 0; i < n; i++) h.data[i] += 1;
#pragma acc exit data delete(data[0:n])
}

APART several(Field *f, int m)
{
#pragma acc parallel loop copyin(f[1:m]) // warns: f[1].values
    for (int j = 1; j <= m; j++)
        for (int i = 0; i < n; i++) f[j].values[i] += 1;
}

APART rows(double **row, int m)
{
#pragma acc parallel loop copyin(row[0:m]) // warns: row[0]
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) row[j][i] += 1;
}

APART nested(Fields *f)
{
#pragma acc parallel loop copyin(f[0:1]) // warns: f->first.values f->rest[1].others
    for (int i = 0; i < n; i++) f->first.values[i] += f->rest[1].others[i];
}

APART asynchronous(Field f)
{
#pragma acc enter data copyin(f) async(1)
#pragma acc parallel loop present(f) async(1) // warns: f.values
    for (int i = 0; i < n; i++) f.values[i] += 1;
#pragma acc exit data delete(f) async(1)
#pragma acc wait
}

// Mapped, but not attached.
APART beside(Field f)
{
    double *values = f.values;
    Field *g = &f;
#pragma acc data copy(values[0:n])
    {
#pragma acc parallel loop copyin(g[0:1]) present(values[0:n]) // warns: g->values
        for (int i = 0; i < n; i++) g->values[i] += 1;
    }
}

// Of several objects one is not attached.
APART other(Field *f)
{
    for (int k = 0; k < 4; k++) {
        Field *g = f + k;
#pragma acc enter data copyin(g[0:1])
        if (k != 2) {
#pragma acc enter data copyin(g->values[0:n])
        }
    }
    for (int k = 0; k < 4; k++) {
        Field *g = f + k;
#pragma acc parallel loop present(g[0:1]) // warns: g->values
        for (int i = 0; i < n; i++) g->values[i] += 1;
    }
    for (int k = 0; k < 4; k++) {
        Field *g = f + k;
#pragma acc exit data delete(g->values[0:n])
#pragma acc exit data delete(g[0:1])
    }
}

// Attached, of the device, null, and another one at each launch.
APART fine(Field f)
{
    Field g = f, *p = &f;
#pragma acc enter data copyin(p[0:1])
#pragma acc enter data copyin(p->values[0:n])
#pragma acc parallel loop present(p)
    for (int i = 0; i < n; i++) p->values[i] += 1;
#pragma acc exit data delete(p->values[0:n])
#pragma acc exit data delete(p[0:1])

    g.values = static_cast<double *>(acc_malloc(n * sizeof *g.values));
#pragma acc parallel loop copyin(g)
    for (int i = 0; i < n; i++) g.values[i] = 1;
    acc_free(g.values);

    g.values = nullptr;
    for (int k = 0; k < 5; k++) {
#pragma acc parallel loop copyin(g)
        for (int i = 0; i < n; i++)
            if (g.values) g.values[i] = 1;
    }
}

static void run(const char *name, const char *chosen, void (*kernel)(Field), Field f)
{
    if (!chosen || !strcmp(name, chosen)) kernel(f);
}

int main(int argc, char **argv)
{
    const char *chosen = argc > 1 ? argv[1] : nullptr;
    char title[] = "title";
    Field f = {n, title, static_cast<double *>(calloc(n, 8)), static_cast<double *>(calloc(n, 8))};
    Field list[] = {f, f, f, f};
    for (Field &one : list) one.values = static_cast<double *>(calloc(n, 8));
    double *row[] = {f.values, f.others};
    Fields all = {f, {f, f, f}};
    run("copied", chosen, copied, f);
    run("fine", chosen, fine, f);
    if (!chosen) {
        implied(f);
        firstprivate(f);
        pointed(&f);
        present(&f);
        single({f.values});
        several(list, 3);
        rows(row, 2);
        nested(&all);
        asynchronous(f);
        beside(f);
        other(list);
    }
    printf("went on\n");
    return 0;
}
