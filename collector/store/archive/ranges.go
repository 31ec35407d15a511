package archive

import "fmt"

// AllRanks are the ranks of rows that belong to no process alone.
const AllRanks = "all"

// MostRanges bounds into how many ranges ranks are cut, and so how many files of a table are
// written at a time: each has a row group in memory.
const MostRanges = 8

// narrowest is how many ranks a range has where it is not known how many there will be.
const narrowest = 16

// Width is how many ranks a range has, of so many ranks in all and in at most so many ranges
// (0: MostRanges). known is false where more ranks may come than have by now.
func Width(ranks, most int, known bool) int {
	if most <= 0 {
		most = MostRanges
	}
	width := (ranks + most - 1) / most
	if !known {
		width = max(width, narrowest)
	}
	return max(width, 1)
}

// RangeOf is the range of a width that a rank belongs to; of a negative one NoRanks.
func RangeOf(rank, width int) string {
	if rank < 0 {
		return NoRanks
	}
	first := rank / width * width
	return fmt.Sprintf("%d-%d", first, first+width-1)
}
