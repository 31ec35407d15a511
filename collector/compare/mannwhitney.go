package compare

import (
	"cmp"
	"slices"
)

// mannWhitney is the chance, two-sided and exact, that two rows of values of one
// distribution differ as much as these: Mann and Whitney, Annals of Mathematical
// Statistics 18 (1947). Values that are equal share the middle of their ranks.
func mannWhitney(a, b []int64) float64 {
	type value struct {
		n     int64
		first bool
		rank  int // twice the rank, so that the middle of two is whole
	}
	all := make([]value, 0, len(a)+len(b))
	for _, n := range a {
		all = append(all, value{n: n, first: true})
	}
	for _, n := range b {
		all = append(all, value{n: n})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.n, y.n) })
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].n == all[i].n {
			j++
		}
		for k := i; k < j; k++ {
			all[k].rank = i + 1 + j
		}
		i = j
	}
	observed, most := 0, 0
	for _, v := range all {
		most += v.rank
		if v.first {
			observed += v.rank
		}
	}
	// ways[k][s] is how many choices of k values have s as the sum of their ranks.
	ways := make([][]float64, len(a)+1)
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for _, v := range all {
		for k := len(a); k >= 1; k-- {
			for s := most; s >= v.rank; s-- {
				ways[k][s] += ways[k-1][s-v.rank]
			}
		}
	}
	// The expected sum is len(a)·most/(len(a)+len(b)); both sides times len(all).
	away := func(sum int) int { return max(sum*len(all)-len(a)*most, len(a)*most-sum*len(all)) }
	var sum, extreme float64
	for s, n := range ways[len(a)] {
		sum += n
		if away(s) >= away(observed) {
			extreme += n
		}
	}
	return extreme / sum
}
