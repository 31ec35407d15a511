package compare

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

// The exact chance is what trying all divisions of the values gives.
func TestMannWhitney(t *testing.T) {
	for _, test := range []struct {
		a, b []int64
		want float64 // 0: only against all divisions
	}{
		{[]int64{1, 2, 3, 4}, []int64{5, 6, 7, 8}, 2. / 70},
		{[]int64{5, 6, 7, 8}, []int64{1, 2, 3, 4}, 2. / 70},
		{[]int64{1, 1, 1, 1}, []int64{1, 1, 1, 1}, 1},
		{[]int64{1, 3, 5, 7}, []int64{2, 4, 6, 8}, 0},
		{[]int64{1, 2, 2, 3, 9}, []int64{2, 3, 3, 4}, 0},
		{[]int64{10, 11, 12, 13, 14}, []int64{13, 15, 16, 17, 18, 19}, 0},
	} {
		got := mannWhitney(test.a, test.b)
		if want := byAllDivisions(test.a, test.b); math.Abs(got-want) > 1e-12 || test.want > 0 && math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v %v: %g, want %g", test.a, test.b, got, want)
		}
	}
}

func byAllDivisions(a, b []int64) float64 {
	all := slices.Concat(a, b)
	// u counts the pairs in which the first side's value is greater, twice.
	u := func(first uint) int {
		sum := 0
		for i, x := range all {
			for j, y := range all {
				if first>>i&1 == 1 && first>>j&1 == 0 {
					if x > y {
						sum += 2
					} else if x == y {
						sum++
					}
				}
			}
		}
		return sum
	}
	middle := len(a) * len(b)
	away := func(u int) int { return max(u-middle, middle-u) }
	observed := away(u(1<<len(a) - 1))
	divisions, extreme := 0, 0
	for first := range uint(1) << len(all) {
		if bits.OnesCount(first) == len(a) {
			divisions++
			if away(u(first)) >= observed {
				extreme++
			}
		}
	}
	return float64(extreme) / float64(divisions)
}

func TestAlign(t *testing.T) {
	for _, test := range []struct {
		a, b []int64 // counts
		want [][2]int
	}{
		{[]int64{1, 2}, []int64{1, 2}, [][2]int{{0, 0}, {1, 1}}},
		{[]int64{5, 7}, []int64{6, 7}, [][2]int{{0, 0}, {1, 1}}},                  // as many as possible
		{[]int64{5, 7}, []int64{9, 5, 7}, [][2]int{{0, 1}, {1, 2}}},               // one was put before
		{[]int64{1, 2, 3, 4}, []int64{1, 2, 4}, [][2]int{{0, 0}, {1, 1}, {3, 2}}}, // one was taken out
		{[]int64{1}, nil, nil},
		{nil, []int64{1}, nil},
	} {
		got := align(len(test.a), len(test.b), func(i, j int) int {
			if test.a[i] == test.b[j] {
				return 0
			}
			return 1
		})
		if !slices.Equal(got, test.want) {
			t.Errorf("%v %v: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestConditionHolds(t *testing.T) {
	for _, test := range []struct {
		text        string
		base, other int64
		want        bool
	}{
		{"launches > +0", 5, 5, false},
		{"launches > +0", 5, 6, true},
		{"launches >= +1", 5, 6, true},
		{"launches < -1", 5, 4, false},
		{"launches < -1", 5, 3, true},
		{"launches <= -1", 5, 4, true},
		{"launches == =10", 5, 10, true},
		{"launches != =10", 10, 10, false},
		{"transfers.bytes > +5%", 100, 105, false},
		{"transfers.bytes > +5%", 100, 106, true},
		{"transfers.bytes > +4MiB", 0, 4 << 20, false},
		{"transfers.bytes > +4MiB", 0, 4<<20 + 1, true},
		{"transfers.bytes > +500%", 0, 1, true}, // infinite
		{"transfers.bytes > +0%", 0, 0, false},
		{"transfers.bytes < -50%", 0, 1, false},
		{"kernel_time > +1.5ms", 0, 1_500_001, true},
		{" transfers.count [ variable = a, b ] >  =3 ", 0, 4, true},
	} {
		c, err := ParseCondition(test.text)
		if err != nil {
			t.Error(err)
			continue
		}
		c.Base, c.Other = test.base, test.other
		if got := c.holds(); got != test.want {
			t.Errorf("%s of %d and %d: %v", test.text, test.base, test.other, got)
		}
	}
}

func TestConditionRefused(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "want METRIC OP VALUE"},
		{"launches = +5", "want METRIC OP VALUE"},
		{"launches > 5", "want a change such as +5%, -2 or +4MiB, or an absolute value such as =10"},
		{"launches > +", "want a change"},
		{"launches > +5MiB", "launches is a number without a unit"},
		{"launches > =5%", "an absolute value has no percent"},
		{"nothing > +5", "no metric is called nothing; there are launches, transfers.count"},
		{"transfers.bytes > +5parsec", "want bytes, such as +4MiB"},
		{"kernel_time > +5", "want a time, such as +20ms"},
		{"launches[variable=a] > +5", "launches can be limited by kernel, queue, rank, source, not by variable"},
		{"wall_time[rank=1] > +5%", "wall_time can be limited by nothing"},
		{"launches[kernel=] > +5", "kernel= is empty"},
		{"launches[queue=x] > +5", "want a number, sync, default or noval"},
		{"launches[rank=-1] > +5", "want a number from 0 on"},
	} {
		if _, err := ParseCondition(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// Whatever is given, a condition is read or refused, and what is read can be decided.
func FuzzCondition(f *testing.F) {
	f.Add("transfers.bytes[variable=a] > +5%")
	f.Add("kernel_time[queue=sync] <= =1.5ms")
	f.Add("launches == =99999999999999999999999")
	f.Fuzz(func(_ *testing.T, text string) {
		if c, err := ParseCondition(text); err == nil {
			c.holds()
			_ = c.String()
		}
	})
}
