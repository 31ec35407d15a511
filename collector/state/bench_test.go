package state_test

import (
	"fmt"
	"testing"

	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// BenchmarkAt reads a whole trace, and then what is new in it: nothing.
func BenchmarkAt(b *testing.B) {
	for _, spans := range []int{20_000, 200_000} {
		trace := tracetest.Generated(b, spans)
		b.Run(fmt.Sprintf("spans=%d/first", spans), func(b *testing.B) {
			for b.Loop() {
				if _, err := state.New(trace).At(state.Newest); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("spans=%d/again", spans), func(b *testing.B) {
			r := state.New(trace)
			if _, err := r.At(state.Newest); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := r.At(state.Newest); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
