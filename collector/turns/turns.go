// Package turns says what the figures of a measurement's turns say: their median, and how
// sure it is.
package turns

import "slices"

// Median is the middle of values: of an even number the mean of the two, of none 0.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Interval holds the true median with a probability of at least 95 %, whatever the
// values' distribution: the sorted values so far from both ends that both tails of
// a binomial distribution with p = 1/2 have at most 2.5 %. With fewer than six
// values it is all of them, and the probability less; there is one at least.
func Interval(values []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	n, left := len(sorted), 0
	term := 1.0 // of the binomial distribution at `left`
	for range n {
		term /= 2
	}
	for tail := term; tail <= 0.025; tail += term {
		left++
		term *= float64(n-left+1) / float64(left)
	}
	left = max(left-1, 0)
	return sorted[left], sorted[n-1-left]
}
