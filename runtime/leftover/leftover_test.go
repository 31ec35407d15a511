package leftover

import (
	"testing"
	"time"
)

// A goroutine that ends late is waited for, one that does not is found.
func TestFind(t *testing.T) {
	end := make(chan struct{})
	go func() { <-end }()
	if err := find(0); err == nil {
		t.Error("a goroutine is left, and not found")
	}
	time.AfterFunc(3*time.Second, func() { close(end) })
	if err := find(time.Minute); err != nil {
		t.Error(err)
	}
}
