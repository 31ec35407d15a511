// Pointers that no directive can name: a vector's own, and what a lambda has captured.
#include <cstdlib>
#include <vector>

template <class F> static void all(int n, F f)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) f(i);
}

int main()
{
    const int n = 100;
    std::vector<double> v(n, 1.0);
#pragma acc parallel loop copy(v)
    for (int i = 0; i < n; i++) v[i] += 1;
    double *a = static_cast<double *>(calloc(n, sizeof *a));
#pragma acc enter data copyin(a[0:n])
    all(n, [=](int i) { a[i] = i; });
#pragma acc exit data delete(a[0:n])
    free(a);
}
