package compare

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
)

// programsOf are those that the kernels of a side are of, with their names.
func (c *Comparison) programsOf(side int) map[string]map[thing]bool {
	programs := map[string]map[thing]bool{}
	for _, r := range c.sides[side] {
		for at := range r.things {
			if at.dimension == byKernel {
				alike := thing{name: at.name, symbol: at.symbol, function: at.function}
				lookup.Make(programs, at.program, func() map[thing]bool { return map[thing]bool{} })[alike] = true
			}
		}
	}
	return programs
}

// matchPrograms finds, for each program of the other side, the one of the base that it has become
// of: the same, else one of the same name, else the one that has most kernels in common with it.
func (c *Comparison) matchPrograms() {
	base, other := c.programsOf(0), c.programsOf(1)
	c.programs = map[string]string{}
	taken := map[string]bool{}
	pair := func(alike func(of, as string) int) {
		for _, as := range slices.Sorted(maps.Keys(other)) {
			if _, known := c.programs[as]; known {
				continue
			}
			best, most := "", 0
			for _, of := range slices.Sorted(maps.Keys(base)) {
				if n := alike(of, as); !taken[of] && n > most {
					best, most = of, n
				}
			}
			if most > 0 {
				c.programs[as], taken[best] = best, true
			}
		}
	}
	same := func(x, y string) int {
		if x == y {
			return 1
		}
		return 0
	}
	pair(same)
	pair(func(of, as string) int { return same(path.Base(of), path.Base(as)) })
	pair(func(of, as string) (n int) {
		for at := range other[as] {
			if base[of][at] {
				n++
			}
		}
		return n
	})
}

// inBase is a thing of a side as the base would have it, but for its line.
func (c *Comparison) inBase(side int, at thing) thing {
	if program, known := c.programs[at.program]; known && side == 1 && at.dimension == byKernel {
		at.program = program
	}
	return at
}

// match finds, for each line of the base, the line that it has become. What has the
// same name in the same function of a file of the same name is matched in the order
// of lines, so that as few as possible have no partner, and of those the ones that
// count alike meet.
func (c *Comparison) match() {
	c.matchPrograms()
	type spot struct{ line, count int64 }
	places := [2]map[thing][]spot{{}, {}}
	for side, runs := range c.sides {
		seen := map[thing]bool{}
		for _, r := range runs {
			for at, s := range r.things {
				if at.line <= 0 || seen[at] {
					continue
				}
				seen[at] = true
				anywhere := c.inBase(side, at)
				anywhere.line = 0
				places[side][anywhere] = append(places[side][anywhere], spot{at.line, s.count})
			}
		}
	}
	c.moved = map[thing]int64{}
	for anywhere, base := range places[0] {
		other := places[1][anywhere]
		byLine := func(a, b spot) int { return cmp.Compare(a.line, b.line) }
		slices.SortFunc(base, byLine)
		slices.SortFunc(other, byLine)
		for _, pair := range align(len(base), len(other), func(i, j int) int {
			if base[i].count == other[j].count {
				return 0
			}
			return 1
		}) {
			at := anywhere
			at.line = other[pair[1]].line
			c.moved[at] = base[pair[0]].line
		}
	}
}

// lineOf is the line under which both sides are counted: that of the base.
// What is new gets a negative one, which no line of the base is.
func (c *Comparison) lineOf(side int, at thing) int64 {
	if side == 0 || at.line <= 0 {
		return at.line
	}
	if line, known := c.moved[at]; known {
		return line
	}
	return -at.line
}

// align pairs two rows of things in their order: first as many pairs as possible,
// then those that cost least.
func align(n, m int, cost func(i, j int) int) (pairs [][2]int) {
	alone := n + m + 1 // more than all pairs together can cost
	best := make([][]int, n+1)
	for i := range best {
		best[i] = make([]int, m+1)
	}
	for i := n; i >= 0; i-- {
		for j := m; j >= 0; j-- {
			switch {
			case i == n:
				best[i][j] = (m - j) * alone
			case j == m:
				best[i][j] = (n - i) * alone
			default:
				best[i][j] = min(best[i+1][j+1]+cost(i, j), best[i+1][j]+alone, best[i][j+1]+alone)
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch best[i][j] {
		case best[i+1][j+1] + cost(i, j):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[i+1][j] + alone:
			i++
		default:
			j++
		}
	}
	return pairs
}
