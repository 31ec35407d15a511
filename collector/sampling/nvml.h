/* The part of NVIDIA's management library (NVML) that is asked for a GPU's figures. It
   is opened at run time: accscope is built and runs without it.  */
#ifndef ACCSCOPE_NVML_H
#define ACCSCOPE_NVML_H

enum
{
  NVML_NAME_BYTES = 96,
  /* Figures of a GPU, in the order of struct accscope_nvml_figures.  */
  NVML_FIGURES = 7
};

struct accscope_nvml;

/* Opens a library by its name and begins with it. NULL: problem says why.  */
struct accscope_nvml *accscope_nvml_open (const char *name, char *problem, unsigned bytes);

/* How many GPUs there are; 0 where that can't be told.  */
unsigned accscope_nvml_count (struct accscope_nvml *nvml);

/* The name of GPU number index; 0 where it can't be had, else 1.  */
int accscope_nvml_name (struct accscope_nvml *nvml, unsigned index, char name[NVML_NAME_BYTES]);

struct accscope_nvml_figures
{
  /* utilization, memory_utilization (%), memory_used (B), power (mW), temperature (Cel),
     sm_clock, memory_clock (MHz); -1: not known.  */
  long long values[NVML_FIGURES];
};

void accscope_nvml_read (struct accscope_nvml *nvml, unsigned index, struct accscope_nvml_figures *figures);

void accscope_nvml_close (struct accscope_nvml *nvml);

#endif
