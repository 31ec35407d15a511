// Classes that own device memory: each field keeps its array on the device for
// as long as the object lives, and compute constructs find it there.
//
//   g++ -fopenacc -O2 -g particles.cpp -o particles && accscope run -- ./particles
#include <cmath>
#include <cstdio>
#include <cstdlib>

class Field
{
public:
  explicit Field (int count) : count_ (count), values_ (new double[count])
  {
    for (int i = 0; i < count_; i++)
      values_[i] = 0.0;
    double *values = values_;
    int n = count_;
#pragma acc enter data copyin(values[0:n])
  }
  ~Field ()
  {
    double *values = values_;
    int n = count_;
#pragma acc exit data delete(values[0:n])
    delete[] values_;
  }
  Field (const Field &) = delete;
  Field &operator= (const Field &) = delete;

  double *data () { return values_; }
  void to_host ()
  {
    double *values = values_;
    int n = count_;
#pragma acc update self(values[0:n])
  }

private:
  int count_;
  double *values_;
};

class Particles
{
public:
  explicit Particles (int count) : count_ (count), position_ (count), velocity_ (count)
  {
    double *x = position_.data (), *v = velocity_.data ();
    int n = count_;
#pragma acc parallel loop present(x[0:n], v[0:n])
    for (int i = 0; i < n; i++)
      {
	x[i] = (double) i / n;
	v[i] = 1.0 - x[i];
      }
  }

  void step (double dt)
  {
    double *x = position_.data (), *v = velocity_.data ();
    int n = count_;
#pragma acc parallel loop present(x[0:n], v[0:n])
    for (int i = 0; i < n; i++)
      {
	v[i] -= x[i] * dt;
	x[i] += v[i] * dt;
      }
  }

  double energy ()
  {
    double *x = position_.data (), *v = velocity_.data ();
    int n = count_;
    double sum = 0.0;
#pragma acc parallel loop present(x[0:n], v[0:n]) reduction(+:sum)
    for (int i = 0; i < n; i++)
      sum += 0.5 * (x[i] * x[i] + v[i] * v[i]);
    return sum;
  }

  double first ()
  {
    position_.to_host ();
    return position_.data ()[0];
  }

private:
  int count_;
  Field position_, velocity_;
};

int
main (int argc, char **argv)
{
  int count = argc > 1 ? std::atoi (argv[1]) : 100000;
  Particles particles (count);
  double before = particles.energy ();
  for (int i = 0; i < 200; i++)
    particles.step (0.001);
  double after = particles.energy ();
  std::printf ("particles %d  energy %.6f -> %.6f  first %.6f\n", count, before, after, particles.first ());
  return std::fabs (after - before) > 0.01 * before;
}
