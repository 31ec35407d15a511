/* What a kernel prints: the same as GPU code as by the C library.  */
#include <stdio.h>

int
main (void)
{
#pragma acc parallel num_gangs (1)
  {
    const char *text = "text";
    long long big = -1234567890123ll;
    int n = -42;

    printf ("%d|%i|%u|%x|%X|%o\n", n, n, n, n, n, n);
    printf ("%5d|%-5d|%05d|%+d|% d|%#x|%#o\n", 7, 7, 7, 7, 7, 7, 7);
    printf ("%.3d|%8.3d|%-8.3d|%08.3d|%.0d\n", 7, 7, 7, 7, 0);
    printf ("%lld|%llu|%llx|%ld|%lu\n", big, big, big, (long) big, (unsigned long) big);
    printf ("%zu|%zd|%jd|%td\n", sizeof big, (size_t) 5, (long) 6, (long) -7);
    printf ("%hd|%hu|%hhd|%hhu|%hhx\n", 70000, 70000, 300, 300, 300);
    printf ("%f|%e|%g|%a\n", 1.5, 1.5, 1.5, 1.5);
    printf ("%F|%E|%G|%A\n", -0.1, -0.1, -0.1, -0.1);
    printf ("%10.3f|%-10.3e|%+.2g|%#.0f|%010.2f\n", 3.14159, 3.14159, 3.14159, 3.0, -3.14159);
    printf ("%g|%g|%g|%f\n", 1e300, -1e-300, 0.0, 1e20);
    printf ("%f|%F|%5g\n", __builtin_inf (), -__builtin_inf (), __builtin_inf ());
    printf ("%.40f\n", 0.1);
    printf ("%c|%5c|%-5c|\n", 'a', 'b', 'c');
    printf ("%s|%10s|%-10s|%.2s|%10.2s|%s\n", text, text, text, text, text, "");
    printf ("%p\n", (void *) 0x1234);
    printf ("%*d|%-*d|%*d|%.*f|%*.*f\n", 6, n, 6, n, -6, n, 2, 1.2345, 9, 3, 1.2345);
    printf ("%.*f|%.*s\n", -1, 1.5, 3, text);
    printf ("%%|100%%|%d%%\n", 5);
    printf ("%s %d %lld %c %g %s\n", text, 1, 2ll, 'x', 0.5, text);
    printf ("%200d|%.100f|%-100s|\n", 1, 0.5, text);
    printf ("no values\n");
  }
  return 0;
}
