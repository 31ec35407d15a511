c     planted: mapped-in-loop
      program heat
      integer n, i, k
      parameter (n = 100000)
      real*8 field(n)
      do 5 i = 1, n
    5 field(i) = i
      do 20 k = 1, 25
c$acc parallel loop
c$acc& copy(field)
      do 10 i = 1, n
        field(i) = field(i) * 0.5d0 + k
   10 continue
   20 continue
      print *, field(1), field(n)
      end
