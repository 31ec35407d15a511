! accel_lib.h - the Fortran include file of the PGI Accelerator model
! 1.3, section 3.1: its routines are among OpenACC's.
      include 'openacc_lib.h'
      integer, parameter :: accel_version = 201011
