package advice

import "testing"

// One row that took far longer than the others does not decide a gain; rows of two kinds, and
// few rows, count as they are.
func TestRobust(t *testing.T) {
	for _, test := range []struct {
		name string
		took []int64
		want int64
	}{
		{"one outlier", []int64{10, 12, 11, 10, 9, 10, 11, 29300}, 10 + 12 + 11 + 10 + 9 + 10 + 11 + 4*11},
		{"the first use", []int64{5000, 10, 10, 10, 10, 10, 10, 10, 10}, 8*10 + 4*10},
		{"two kinds", []int64{1, 100, 1, 100, 1, 100, 1, 100}, 404},
		{"few", []int64{10, 10, 29300}, 29320},
		{"alike", []int64{7, 7, 7, 7, 7, 7, 7, 7}, 56},
	} {
		for _, device := range []bool{false, true} {
			var rows []occurrence
			for i, took := range test.took {
				o := occurrence{start: int64(i) * 100_000}
				o.end = o.start
				if device {
					o.deviceStart, o.deviceEnd = o.start, o.start+took
				} else {
					o.end += took
				}
				rows = append(rows, o)
			}
			sum := int64(0)
			for _, o := range robust(rows) {
				sum += o.end - o.start + o.deviceEnd - o.deviceStart
			}
			if sum != test.want {
				t.Errorf("%s, device %v: %d, want %d", test.name, device, sum, test.want)
			}
		}
	}
}
