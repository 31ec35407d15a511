package archive

import (
	"errors"
	"fmt"
	"sync"

	"github.com/accscope/accscope/collector/store/schema"
)

// Sum is what the rows with one value of a column have together in another one.
type Sum struct {
	Rows  int64 // that are not NULL there
	Total int64
}

// Sums goes through all rows of a table and sums the column of by the values of the column
// by, so many files at a time. It reads these two columns and nothing else.
func (a *Archive) Sums(table, by, of string, workers int) (map[int64]Sum, error) {
	r := a.tables[table]
	if r == nil {
		return nil, fmt.Errorf("%w: an archive has no rows of a table %s", schema.ErrTables, table)
	}
	key, err := r.column(by)
	if err != nil {
		return nil, err
	}
	value, err := r.column(of)
	if err != nil {
		return nil, err
	}
	var files []*part
	for _, lane := range r.lanes {
		for _, p := range lane {
			// Others read the archive's own: each is opened again.
			files = append(files, &part{Part: p.Part, table: p.table, path: p.path})
		}
	}
	var mutex sync.Mutex
	next, sums, errs := 0, map[int64]Sum{}, []error(nil)
	take := func() *part {
		mutex.Lock()
		defer mutex.Unlock()
		if next == len(files) || len(errs) > 0 {
			return nil
		}
		next++
		return files[next-1]
	}
	var working sync.WaitGroup
	for range max(workers, 1) {
		working.Go(func() {
			s := summing{}
			var err error
			for p := take(); p != nil && err == nil; p = take() {
				err = s.file(p, key, value)
			}
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				errs = append(errs, err)
			}
			s.into(sums)
		})
	}
	working.Wait()
	return sums, errors.Join(errs...)
}

// summing are the sums of a worker: of small numbers, as dictionaries give, in a slice.
type summing struct {
	small [1 << 16]Sum
	large map[int64]*Sum
}

func (s *summing) file(p *part, key, value int) (err error) {
	if err := p.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for number := range p.groups {
		keys, err := p.column(number, key)
		if err != nil {
			return err
		}
		values, err := p.column(number, value)
		if err != nil {
			return err
		}
		for i, v := range values.values {
			if values.nulls != nil && values.nulls[i] {
				continue
			}
			sum := s.of(keys.values[i])
			sum.Rows++
			sum.Total += v
		}
	}
	return nil
}

func (s *summing) of(key int64) *Sum {
	if uint64(key) < uint64(len(s.small)) {
		return &s.small[key]
	}
	sum := s.large[key]
	if sum == nil {
		if s.large == nil {
			s.large = map[int64]*Sum{}
		}
		sum = new(Sum)
		s.large[key] = sum
	}
	return sum
}

func (s *summing) into(all map[int64]Sum) {
	add := func(key int64, sum *Sum) {
		if sum.Rows > 0 {
			before := all[key]
			all[key] = Sum{before.Rows + sum.Rows, before.Total + sum.Total}
		}
	}
	for key := range s.small {
		add(int64(key), &s.small[key])
	}
	for key, sum := range s.large {
		add(key, sum)
	}
}
