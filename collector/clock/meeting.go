package clock

import "math"

// Meeting is what machines have together that none leaves before all have come, as is a
// barrier of MPI: for one of them when its last rank came, and when its first one left, on
// its own clock, ns. What comes to it late bounds the clocks of all that waited: they
// left after that. So each machine's coming is to the others what a message is, and a
// meeting is a round trip between all of them at once.
type Meeting struct{ Came, Left int64 }

const (
	// rounds is how often what is known of the other machines' clocks is taken to bound
	// each one's: at first that is the reference's alone.
	rounds = 3
	// readings is how many meetings of machines are looked at.
	readings = 1 << 20
)

// Meet sets the clocks of machines against that of the first by what all of them had together:
// meetings[machine][number], as many of each machine and in their order. The first
// one's track is nil, and so are all where there is no meeting.
func Meet(meetings [][]Meeting) []*Track {
	tracks := make([]*Track, len(meetings))
	if len(meetings) < 2 || len(meetings[0]) == 0 {
		return tracks
	}
	count := len(meetings[0])
	step := max(1, count*len(meetings)/readings)
	for range rounds {
		found := make([]*Track, len(meetings))
		for machine := range found[1:] {
			found[1+machine] = &Track{all: true}
		}
		for k := 0; k < count; k += step {
			// On the reference's clock: all had come by then, and none had left before.
			by, since := int64(math.MaxInt64), int64(math.MinInt64)
			for machine, track := range tracks {
				at := meetings[machine][k]
				if machine > 0 && track == nil {
					continue
				}
				left, came := Reading{}, Reading{}
				if track != nil {
					left, _ = track.At(at.Left)
					came, _ = track.At(at.Came)
				}
				by = min(by, at.Left+left.Offset+left.Error)
				since = max(since, at.Came+came.Offset-came.Error)
			}
			for machine := 1; machine < len(meetings); machine++ {
				at := meetings[machine][k]
				found[machine].Meet(at, by, since)
			}
		}
		tracks = found
	}
	for machine, track := range tracks {
		if track != nil && track.count == 0 {
			tracks[machine] = nil
		}
	}
	return tracks
}

// Met is what a meeting says on the reference's clock, by the lines of those that had it, nil
// for the reference itself: all had come by a time, and none had left before another. False: it
// can't have been one.
func Met(machines map[*Line]*Meeting) (by, since int64, ok bool) {
	by, since = math.MaxInt64, math.MinInt64
	for line, at := range machines {
		var left, came Reading
		if line != nil {
			left, came = line.Look(at.Left), line.Look(at.Came)
		}
		by = min(by, at.Left+left.Offset+left.Error)
		since = max(since, at.Came+came.Offset-came.Error)
	}
	return by, since, by >= since
}

// Meet takes what a meeting says of the machine's clock, by what Met says of it. False: nothing.
func (t *Track) Meet(at Meeting, by, since int64) bool {
	return at.Left >= at.Came && by >= since && t.add(Sample{Sent: at.Came, Received: by, Answered: since, Heard: at.Left})
}
