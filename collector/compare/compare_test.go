package compare

import (
	"math"
	"math/big"
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

// Hundreds of values a side: the limits of published tables (two-sided, 5 %), and beyond
// them what whole numbers of any size give.
func TestMannWhitneyOfManyValues(t *testing.T) {
	// apart gives rows of n and m values in which the second is greater in all but u pairs.
	apart := func(n, m, u int) (a, b []int64) {
		for i := range n {
			above := min(u, m) // of the second row's values, which lie below this one
			u -= above
			a = append(a, int64(above)*10_000+int64(i)+1)
		}
		for i := range m {
			b = append(b, int64(i+1)*10_000)
		}
		return a, b
	}
	for _, test := range []struct{ n, m, critical int }{{4, 4, 0}, {5, 8, 6}, {7, 20, 34}, {10, 10, 23}, {20, 20, 127}} {
		for _, side := range []bool{false, true} {
			a, b := apart(test.n, test.m, test.critical)
			c, d := apart(test.n, test.m, test.critical+1)
			if side {
				a, b, c, d = b, a, d, c
			}
			if least, more := mannWhitney(a, b), mannWhitney(c, d); least > 0.05 || more <= 0.05 {
				t.Errorf("%v: %g and %g; the table's limit is between", test, least, more)
			}
		}
	}
	for _, test := range []struct{ n, m, u int }{{30, 40, 430}, {60, 60, 1450}, {60, 70, 1500}, {150, 20, 1000}} {
		a, b := apart(test.n, test.m, test.u)
		want := byWholeNumbers(test.n, test.m, test.u)
		if got := mannWhitney(a, b); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %.12f, want %.12f", test, got, want)
		}
		ranks, _ := doubleRanks(a, b)
		if test.n == test.m {
			same := rankSums(ranks, test.n)
			for s, chance := range untied(test.n, test.m) {
				if math.Abs(chance-same[2*s]) > 1e-12 {
					t.Fatalf("%v: the sum %d has the chance %g, or %g", test, s, chance, same[2*s])
				}
			}
		}
	}
	// More than the sums can be counted of: the chance is that of a normal distribution,
	// which where they can is as near as this.
	var a, b []int64
	for i := range int64(90) {
		a, b = append(a, i*i%40), append(b, i*i%40+i%5)
	}
	ranks, observed := doubleRanks(a, b)
	exact, about := mannWhitney(a, b), normal(ranks, len(a), abs(observed*len(ranks)-len(a)*len(ranks)*(len(ranks)+1)))
	if !tied(ranks) || math.Abs(exact-about) > 1e-3 || exact < 0.01 || exact > 0.9 {
		t.Errorf("of equal values %g, about %g", exact, about)
	}
	many, more := make([]int64, 400), make([]int64, 400)
	for i := range many {
		many[i], more[i] = int64(i%200), int64(i%200+i%30)
	}
	if got := mannWhitney(many, more); math.IsNaN(got) || got <= 0 || got > 0.05 {
		t.Errorf("400 values a side that differ: %g", got)
	}
	for i := range many {
		many[i], more[i] = int64(2*i), int64(2*i+41)
	}
	ranks, observed = doubleRanks(many, more)
	exact, about = mannWhitney(many, more), normal(ranks, 400, abs(observed*800-400*800*801))
	if sum := total(untied(400, 400)); math.Abs(sum-1) > 1e-7 || math.Abs(exact-about) > 1e-4 || exact < 0.001 {
		t.Errorf("400 values a side: %g, about %g; of all %g", exact, about, sum)
	}
	if got := mannWhitney(many, many); got != 1 {
		t.Errorf("400 values a side that are the same: %g", got)
	}
}

func total(chances []float64) (sum float64) {
	for _, c := range chances {
		sum += c
	}
	return sum
}

func abs(n int) int { return max(n, -n) }

// byWholeNumbers is the chance by whole numbers: in how many orders of n and m values there are
// as few pairs, or fewer, in which the first is greater, as are u, on either side.
func byWholeNumbers(n, m, u int) float64 {
	ways := make([][]*big.Int, m+1) // of the orders of k values and those of the second row
	for j := range ways {
		ways[j] = []*big.Int{big.NewInt(1)}
	}
	for i := 1; i <= n; i++ {
		next := make([][]*big.Int, m+1)
		next[0] = []*big.Int{big.NewInt(1)}
		for j := 1; j <= m; j++ {
			// The greatest of all is of the second row, or of the first: above j others.
			next[j] = make([]*big.Int, min(i*j, u)+1)
			for s := range next[j] {
				sum := new(big.Int)
				if s < len(next[j-1]) {
					sum.Add(sum, next[j-1][s])
				}
				if s >= j && s-j < len(ways[j]) {
					sum.Add(sum, ways[j][s-j])
				}
				next[j][s] = sum
			}
		}
		ways = next
	}
	few := new(big.Int)
	for _, w := range ways[m] {
		few.Add(few, w)
	}
	all := new(big.Int).Binomial(int64(n+m), int64(n))
	chance, _ := new(big.Rat).SetFrac(few, all).Float64()
	return 2 * chance
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
		{"launches > 5", "5: write +5 for a change by so much, -5 for one downwards, =5 for the value itself"},
		{"transfers.bytes > 4MiB", "=4MiB for the value itself"},
		{"transfers.bytes > 5%", "5%: write +5% for a change by so much, -5% for one downwards"},
		{"launches > five", "want a change such as +5%, -2 or +4MiB, or an absolute value such as =10"},
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
