package lookup

import "testing"

func TestMake(t *testing.T) {
	numbers, made := map[string]int{"zero": 0}, 0
	one := func() int { made++; return made }
	for _, c := range []struct {
		key  string
		want int
	}{{"zero", 0}, {"new", 1}, {"new", 1}, {"other", 2}} {
		if got := Make(numbers, c.key, one); got != c.want || numbers[c.key] != c.want {
			t.Errorf("%s: %d, and the map has %d; want %d", c.key, got, numbers[c.key], c.want)
		}
	}
	sums := map[int]*struct{ n int }{}
	New(sums, 3).n += 2
	New(sums, 3).n++
	if sums[3].n != 3 || len(sums) != 1 {
		t.Errorf("the map has %d values, under 3: %v", len(sums), sums[3])
	}
}
