/* Uses every NVIDIA GPU of the machine: the same host array mapped on each with
   contents of its own, queues of all devices busy at once, and a host thread for
   each device. Prints one line a device and ends with 1 if a result is wrong. */
#include <openacc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N (1 << 20)
#define ROUNDS 50
#define MOST 16

static int shared[N];
static int failures;

static void *work(void *argument)
{
    int device = (int)(size_t)argument;
    acc_set_device_num(device, acc_device_nvidia);
    int *own = malloc(N * sizeof *own);
    for (int i = 0; i < N; i++)
        own[i] = i;
#pragma acc enter data copyin(own[0:N])
    for (int round = 0; round < ROUNDS; round++) {
#pragma acc parallel loop present(own[0:N]) async(round % 3)
        for (int i = 0; i < N; i++)
            if (i % 3 == round % 3)
                own[i] += device + 1;
    }
#pragma acc wait
#pragma acc exit data copyout(own[0:N])
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += own[i] != i + (device + 1) * (ROUNDS / 3 + (i % 3 < ROUNDS % 3));
    free(own);
    if (acc_get_device_num(acc_device_nvidia) != device)
        wrong++;
    return (void *)(size_t)wrong;
}

int main(void)
{
    int devices = acc_get_num_devices(acc_device_nvidia);
    if (devices > MOST)
        devices = MOST;
    printf("%d devices\n", devices);
    for (int d = 0; d < devices; d++) {
        acc_set_device_num(d, acc_device_nvidia);
        for (int i = 0; i < N; i++)
            shared[i] = d * 1000;
#pragma acc enter data copyin(shared)
    }
    for (int i = 0; i < N; i++)
        shared[i] = -1;
    for (int d = 0; d < devices; d++) { /* all at once */
        acc_set_device_num(d, acc_device_nvidia);
#pragma acc parallel loop present(shared) async(1)
        for (int i = 0; i < N; i++)
            shared[i] += i;
    }
    for (int d = 0; d < devices; d++) {
        acc_set_device_num(d, acc_device_nvidia);
        int wrong = 0;
#pragma acc update self(shared) async(1)
#pragma acc wait(1)
        for (int i = 0; i < N; i++)
            wrong += shared[i] != d * 1000 + i;
#pragma acc exit data delete(shared)
        wrong += acc_is_present(shared, sizeof shared) != 0;
        printf("device %d: %s, %zu MiB, %d wrong\n", d, acc_get_property_string(d, acc_device_nvidia, acc_property_name),
               acc_get_property(d, acc_device_nvidia, acc_property_memory) >> 20, wrong);
        failures += wrong;
    }
    pthread_t threads[MOST];
    for (int d = 0; d < devices; d++)
        if (pthread_create(&threads[d], NULL, work, (void *)(size_t)d)) {
            perror("pthread_create");
            return 1;
        }
    for (int d = 0; d < devices; d++) {
        void *wrong;
        pthread_join(threads[d], &wrong);
        printf("thread of device %d: %zu wrong\n", d, (size_t)wrong);
        failures += (int)(size_t)wrong;
    }
    return failures != 0;
}
