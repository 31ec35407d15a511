/* Launches kernels until the file argv[1] exists; a byte goes into the file
   argv[2] after each. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    double a[256] = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: %s STOP PROGRESS\n", argv[0]);
        return 2;
    }
    int progress = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    while (access(argv[1], F_OK) != 0) {
#pragma acc parallel loop copy(a)
        for (int i = 0; i < 256; i++)
            a[i] += i;
        if (write(progress, ".", 1) != 1)
            return 1;
        usleep(5000);
    }
    return 0;
}
