package clock

import (
	"math"
	"testing"
)

// By simulation, as TestSimulation has it: each of two collectors sets its nodes' clocks by
// the nodes' questions, and asks the other, a round trip a second. Times of the second one's
// nodes on the first one's clock are found by what the first noted of the second, what the
// second noted of the first, and both. What two ways that are not alike take from the 10 µs
// adds up as the bounds do, and these hold.
func TestSimulationOfCollectors(t *testing.T) {
	const machines, seconds = 12, 600
	var results [3]result
	for seed := range uint64(machines) {
		node, second := simulate(2*seed, seconds+1), simulate(2*seed+1, seconds+1)
		var line, ofSecond, ofFirst Line
		for at := range seconds {
			// The first one's machine is the reference of second.
			bySecond := second.sample(float64(at) + 0.6)
			bySecond.Back = true
			for of, sample := range map[*Line]Sample{&line: node.sample(float64(at)), &ofSecond: asked(second, float64(at)+0.3), &ofFirst: bySecond} {
				if !of.Track.Add(sample) {
					t.Fatalf("machine %d: the sample of second %d is refused", seed, at)
				}
			}
		}
		byFirst := noted(&ofSecond, began, seconds)
		bySecond := noted(&ofFirst, began+int64(second.offset(0)), seconds).Turned()
		// The node's offset is against the second one's clock; both began at once.
		toSecond := Through{noted(&line, began, seconds), Path{{0, Reading{Offset: -int64(node.offset(0))}}}}
		for i, between := range []Source{byFirst, bySecond, Together{byFirst, bySecond}} {
			for time := 1.0; time < seconds-1; time += 0.13 {
				got, known := Through{toSecond, between}.At(int64(began + time*1e9))
				if !known {
					t.Fatal("nothing is known")
				}
				apart := node.offset(time) - math.Trunc(node.offset(0))
				results[i].add(got, apart+second.offset(time+apart*1e-9))
			}
		}
	}
	for i, by := range []string{"by the first", "by the second", "by both"} {
		r := &results[i]
		good, within, held := float64(r.good)/float64(r.all), float64(r.within)/float64(r.all), float64(r.held)/float64(r.all)
		t.Logf("%s: %d times, %.3f %% within 10 µs, %.3f %% within 20, %.3f %% within their bound, which is %d ns at most", by, r.all, 100*good, 100*within, 100*held, r.widest)
		if good < 0.95 || within < 0.99 || held < 0.999 {
			t.Errorf("%s: %.3f %% of times are within 10 µs, want 95; %.3f %% within 20, want 99; %.3f %% within their bound, want 99.9", by, 100*good, 100*within, 100*held)
		}
		if r.widest > 200e3 {
			t.Errorf("%s: a bound of %d ns", by, r.widest)
		}
	}
	if results[2].widest >= min(results[0].widest, results[1].widest) {
		t.Errorf("bounds of %d ns by both, no narrower than by one", results[2].widest)
	}
}

// asked is a round trip that the reference begins.
func asked(m *machine, time float64) Sample {
	delay := func(way float64) float64 { return way + m.random.ExpFloat64()*20e3 }
	there := time * 1e9 // on the machine's clock, when it answers
	sent, heard := there-3e3-delay(m.back), there+delay(m.forth)
	return Sample{int64(began + sent + m.offset(sent/1e9)), int64(began + there - 3e3), int64(began + there), int64(began + heard + m.offset(heard/1e9)), true}
}

// noted are a line's knots as a trace has them.
func noted(l *Line, began, seconds int64) Path {
	for second := range seconds {
		l.At(began + second*1e9)
	}
	return l.Knots()
}

func TestSources(t *testing.T) {
	path := Path{{10e9, Reading{100, 10}}, {11e9, Reading{1100, 30}}}
	alone := Path{{0, Reading{-7, 0}}}
	for _, c := range []struct {
		name          string
		source        Source
		time          int64
		offset        int64
		narrow, broad int64 // what the bound is between
	}{
		{"between knots", path, 10.5e9, 600, 30, 50},
		{"a second before them", path, 9e9, 100, 500e3, 501e3},
		{"a second after them", path, 12e9, 1100, 500e3, 501e3},
		{"one that holds throughout", alone, 1e18, -7, 0, 0},
		{"turned", path.Turned(), 10.5e9 + 600, -600, 30, 50},
		{"by way of another", Through{alone, path}, 10.5e9 + 7, 593, 30, 50},
		{"bounds add up", Through{path, Path{{0, Reading{5, 20}}}}, 10.5e9, 605, 50, 70},
		{"what both leave", Together{Path{{0, Reading{0, 10}}}, Path{{0, Reading{15, 10}}}}, 0, 7, 3, 3},
		{"one within the other", Together{Path{{0, Reading{0, 100}}}, Path{{0, Reading{15, 10}}}}, 0, 15, 10, 10},
		{"contradicting each other", Together{Path{{0, Reading{0, 10}}}, Path{{0, Reading{50, 10}}}}, 0, 25, 35, 35},
		{"one that knows nothing", Together{Path{}, alone}, 0, -7, 0, 0},
	} {
		got, known := c.source.At(c.time)
		if !known || got.Offset != c.offset || got.Error < c.narrow || got.Error > c.broad {
			t.Errorf("%s: %+v, %v, want %d and a bound of %d to %d", c.name, got, known, c.offset, c.narrow, c.broad)
		}
	}
	for name, none := range map[string]Source{"no knots": Path{}, "nothing": Together{}, "half of a way": Through{path, Path{}}, "the other half": Through{Path{}, path}} {
		if got, known := none.At(0); known {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
