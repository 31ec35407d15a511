package compare

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// mannWhitney is the chance, two-sided, that two rows of values of one distribution differ
// as much as these: Mann and Whitney, Annals of Mathematical Statistics 18 (1947). Values
// that are equal share the middle of their ranks. It is exact up to mostUntied and
// mostSteps; of more values the sum of ranks is taken to be distributed normally.
func mannWhitney(a, b []int64) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	ranks, observed := doubleRanks(a, b)
	// Twice the sum of ranks is whole; its distance from what is expected, times the
	// number of values, too.
	whole, most := len(ranks), 0
	for _, r := range ranks {
		most += r
	}
	away := func(sum int) int { return max(sum*whole-len(a)*most, len(a)*most-sum*whole) }
	least := 0
	for _, r := range ranks[:len(a)] {
		least += r
	}
	var chances []float64
	step := 1
	switch pairs := len(a) * len(b); {
	case pairs <= mostUntied && !tied(ranks):
		chances, step = untied(len(a), len(b)), 2
	case pairs*pairs/2 <= mostSteps:
		chances = rankSums(ranks, len(a))
	default:
		return normal(ranks, len(a), away(observed))
	}
	var extreme float64
	for s, chance := range chances {
		if away(least+s*step) >= away(observed) {
			extreme += chance
		}
	}
	return min(extreme, 1)
}

const (
	// mostUntied is up to how many pairs of values that all differ floats tell the chances
	// to eight digits: 400 values a side.
	mostUntied = 160_000
	// mostSteps is how many additions a comparison may take where some values are equal,
	// about a second's: 150 values a side.
	mostSteps = 300_000_000
)

// doubleRanks are twice the ranks of all values, in order, and the sum of the first row's.
func doubleRanks(a, b []int64) (ranks []int, first int) {
	type value struct {
		n     int64
		first bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, n := range a {
		all = append(all, value{n, true})
	}
	for _, n := range b {
		all = append(all, value{n, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.n, y.n) })
	ranks = make([]int, len(all))
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].n == all[i].n {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
			if all[k].first {
				first += ranks[k]
			}
		}
		i = j
	}
	return ranks, first
}

func tied(ranks []int) bool { return len(slices.Compact(slices.Clone(ranks))) < len(ranks) }

// rankSums gives the chance of each sum that count of the ranks can have, from the least one
// on. The ranks are gone through in order, and each is chosen by the chance that it has,
// given how many are chosen already: chances need no numbers beyond a float's.
func rankSums(ranks []int, count int) []float64 {
	// chance[k][e]: k are chosen, and their sum is e more than that of the first k.
	chance := make([][]float64, count+1)
	chance[0] = []float64{1}
	for i, rank := range ranks {
		left := float64(len(ranks) - i)
		for k := min(i+1, count); k >= 0; k-- {
			here := chance[k]
			stays := 1 - float64(count-k)/left
			for e := range here {
				here[e] *= stays
			}
			if k == 0 || len(chance[k-1]) == 0 {
				continue
			}
			chosen, more := float64(count-k+1)/left, rank-ranks[k-1]
			if short := len(chance[k-1]) + more - len(here); short > 0 {
				here = append(here, make([]float64, short)...)
				chance[k] = here
			}
			to := here[more : more+len(chance[k-1])]
			for e, c := range chance[k-1] {
				to[e] += c * chosen
			}
		}
	}
	return chance[count]
}

var (
	untiedLock  sync.Mutex
	untiedKnown = map[[2]int][]float64{} // the rows of a comparison mostly have as many values
)

// untied gives the chance of each sum of ranks of a row of values that all differ, above
// the least one: the coefficients of the Gaussian binomial coefficient of n+m and n, by its
// factors (1-q^(m+i)) / (1-q^i).
func untied(n, m int) []float64 {
	untiedLock.Lock()
	defer untiedLock.Unlock()
	if known := untiedKnown[[2]int{n, m}]; known != nil {
		return known
	}
	chances := make([]float64, n*m+1)
	chances[0] = 1
	half := n * m / 2
	for i := 1; i <= n; i++ {
		for s := half; s >= m+i; s-- {
			chances[s] -= chances[s-m-i]
		}
		for s := i; s <= half; s++ {
			chances[s] += chances[s-i]
		}
		// Of all choices; so they stay within a float.
		for s := range half + 1 {
			chances[s] *= float64(i) / float64(m+i)
		}
	}
	for s := range half + 1 {
		chances[n*m-s] = chances[s] // as many are as far above as below
	}
	untiedKnown[[2]int{n, m}] = chances
	return chances
}

// normal is the chance that a sum of count of the ranks is as far from what is expected,
// times the number of ranks, if sums are distributed normally, and half a step away from
// each other.
func normal(ranks []int, count, away int) float64 {
	n := float64(len(ranks))
	var sum, squares float64
	for _, r := range ranks {
		sum += float64(r)
		squares += float64(r) * float64(r)
	}
	variance := float64(count) * (n - float64(count)) / (n - 1) * (squares/n - sum/n*sum/n)
	if variance <= 0 {
		return 1 // all are equal
	}
	return math.Erfc(max(float64(away)/n-0.5, 0) / math.Sqrt(2*variance))
}
