package export

import (
	"io"
	"runtime"
	"sync/atomic"
)

// Pipe passes blocks on to a writer in a goroutine of its own, so that making
// and storing them overlap. With a conversion (compression) blocks are converted
// by several goroutines and keep their order. A few blocks are in memory.
type Pipe struct {
	size     int
	converts bool
	queue    chan *block // in order
	work     chan *block // to be converted
	free     chan *block
	done     chan struct{}
	failed   atomic.Pointer[error]
}

type block struct {
	data, out []byte
	err       error
	ready     chan struct{} // converted
}

// Convert makes of a block what is to be written, appending to an empty slice
// whose memory may be used again. It is called by several goroutines.
type Convert func(to, block []byte) ([]byte, error)

// NewPipe begins to write blocks of about size bytes to w. NewConvert, if not
// nil, makes a conversion for each goroutine.
func NewPipe(w io.Writer, size int, newConvert func() Convert) *Pipe {
	workers := 0
	if newConvert != nil {
		workers = min(runtime.GOMAXPROCS(0), 8)
	}
	p := &Pipe{size: size, converts: newConvert != nil, queue: make(chan *block, workers+2), work: make(chan *block, workers+2), free: make(chan *block, workers+4), done: make(chan struct{})}
	for range workers {
		go func() {
			convert := newConvert()
			for b := range p.work {
				b.out, b.err = convert(b.out[:0], b.data)
				b.ready <- struct{}{}
			}
		}()
	}
	go func() {
		defer close(p.done)
		for b := range p.queue {
			out := b.data
			if newConvert != nil {
				<-b.ready
				out = b.out
			}
			if p.failed.Load() == nil {
				err := b.err
				if err == nil {
					_, err = w.Write(out)
				}
				if err != nil {
					p.failed.Store(&err)
				}
			}
			select {
			case p.free <- b:
			default:
			}
		}
	}()
	return p
}

// Full says whether a block is long enough to be given away.
func (p *Pipe) Full(data []byte) bool { return len(data) >= p.size }

// Give passes a block on and returns an empty one to go on with. The error is
// that of a block before.
func (p *Pipe) Give(data []byte) ([]byte, error) {
	var b *block
	select {
	case b = <-p.free:
	default:
		b = &block{ready: make(chan struct{}, 1)}
	}
	next := b.data[:0]
	b.data = data
	p.queue <- b
	if p.converts {
		p.work <- b
	}
	if next == nil {
		next = make([]byte, 0, p.size+p.size/8)
	}
	return next, p.err()
}

func (p *Pipe) err() error {
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Close passes the last block on and waits until all is written.
func (p *Pipe) Close(data []byte) error {
	if len(data) > 0 {
		_, _ = p.Give(data) // its error comes again below
	}
	close(p.work)
	close(p.queue)
	<-p.done
	return p.err()
}
