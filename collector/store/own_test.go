package store

import (
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/model"
)

// A call's communicator and tag stand in one number, a tag of any kind is -1. Who names
// nobody has neither peer nor tag.
func TestNumbersOfCalls(t *testing.T) {
	none, any := int64(-2), int64(-1)
	for _, test := range []struct {
		kind int32
		host int64
		both int64
		want []Number
	}{
		{model.MPIStart, 3, 7<<32 | 5, []Number{{"peer", 3}, {"communicator", 5}, {"tag", 7}}},
		{model.MPIStart, any, any<<32 | 1, []Number{{"peer", -1}, {"communicator", 1}, {"tag", -1}}},
		{model.MPIStart, none, 0, []Number{{"communicator", 0}}},
		{model.FrameStart, 12, 0, []Number{{"number", 12}}},
		{model.RangeStart, 0, 0, nil},
	} {
		r := Record{Site: &Site{Description: &Description{KindCode: test.kind}}, Host: uint64(test.host), Address: uint64(test.both)}
		if got := r.Numbers(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("kind %d, %d, %#x: %v, want %v", test.kind, test.host, test.both, got, test.want)
		}
	}
}
