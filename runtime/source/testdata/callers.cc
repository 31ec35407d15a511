// What optimised code hides: locals that stand for members, pointers that were
// moved on, arguments that only the caller still knows.

extern "C" void *acc_copyin(void *, unsigned long);
#define copy_in acc_copyin // which no text names
static double *where;
static int above;

class Field {
 public:
  explicit Field(int n) : n_(n), values_(new double[n]) {
    for (int i = 0; i < n_; i++)
      values_[i] = i;
    double *values = values_;
    int length = n_;
#pragma acc enter data copyin(values[0:length])
  }
  __attribute__((noinline)) ~Field() {
    double *values = values_;
    int length = n_;
#pragma acc exit data delete(values[0:length])
    delete[] values_;
  }
  __attribute__((noinline)) void clear() {
    double *next = values_;
    for (int i = 0; i < n_; i++)
      *next++ = 0;
#pragma acc update device(values_[0:n_])
  }

 private:
  int n_;
  double *values_;
};

// The argument is gone when the routine is called.
__attribute__((noinline)) static int compare(double *argument, int by) {
  above = argument[1] > by;
  copy_in(where, 80);
  return above >= 0;
}

__attribute__((noinline)) static int twice(double (&field)[10], int by) {
  int n = compare(field, by);
  return n + compare(field, by + 1);
}

int main() {
  Field field(100);
  field.clear();
  double local[10] = {1, 2, 3};
  where = local;
  return twice(local, 1) != 2;
}
