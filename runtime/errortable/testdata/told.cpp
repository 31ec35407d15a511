// Each case runs into one error about data of its own.
#include <openacc.h>
#include <cstdio>
#include <cstring>
#include <vector>

struct field {
    int n;
    double *values;
    explicit field(int n) : n(n), values(new double[n]()) {}
    void fill()
    {
#pragma acc parallel loop present(values[0:n])
        for (int i = 0; i < n; i++) values[i] = i;
    }
    void update()
    {
#pragma acc update self(values[0:n])
    }
};

static void method(int n) { field f(n); f.fill(); }

static void methodUpdate(int n)
{
    field f(n);
#pragma acc enter data copyin(f)
    f.update();
    f.n = 0;
}

static void reference(int n)
{
    std::vector<double> v(n);
    double *const &data = v.data();
#pragma acc enter data copyin(data[0:n/2])
#pragma acc parallel loop present(data[0:n])
    for (int i = 0; i < n; i++) data[i] = i;
}

template <typename T> static void templated(T *x, int n)
{
#pragma acc data present(x[0:n])
    { x[0] = 1; }
}

static void instance(int n)
{
    std::vector<float> v(n);
    templated(v.data(), n);
}

int main(int, char **argv)
{
    static const struct { const char *name; void (*run)(int); } cases[] = {
        { "method", method }, { "methodUpdate", methodUpdate }, { "reference", reference }, { "instance", instance },
    };
    for (auto &c : cases)
        if (!strcmp(argv[1], c.name)) c.run(1000);
    std::printf("no error\n");
    return 0;
}
