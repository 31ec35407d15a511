package turns

import "testing"

// TestInterval holds the interval of a median against a table of the binomial
// distribution: of n sorted values, the first and last that bound it.
func TestInterval(t *testing.T) {
	for _, test := range []struct{ n, low, high int }{
		{1, 1, 1}, {2, 1, 2}, {5, 1, 5}, {6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {12, 3, 10}, {20, 6, 15}, {40, 14, 27},
	} {
		values := make([]float64, test.n)
		for i := range values {
			values[i] = float64(test.n - i)
		}
		if low, high := Interval(values); low != float64(test.low) || high != float64(test.high) {
			t.Errorf("of %d values: %g to %g, want %d to %d", test.n, low, high, test.low, test.high)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 9, 2, 4}, 3}} {
		if got := Median(test.values); got != test.want {
			t.Errorf("of %v: %g, want %g", test.values, got, test.want)
		}
	}
}
