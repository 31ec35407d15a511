package write

// threadTotals are the sums of one thread, by site. A thread meets few of the
// trace's sites, and those close together that it met first: so they are kept in
// pages, and threads that come and go cost what they did, not what all did.
type threadTotals struct {
	pages map[int64]*totalPage // by site / totalPageSites
	last  int64                // the page used last, 1 more than its number
	page  *totalPage
}

const totalPageSites = 32

type totalPage [totalPageSites]total

func (t *threadTotals) of(site int64) *total {
	number := site / totalPageSites
	if t.last != number+1 {
		page := t.pages[number]
		if page == nil {
			page = new(totalPage)
			if t.pages == nil {
				t.pages = make(map[int64]*totalPage)
			}
			t.pages[number] = page
		}
		t.last, t.page = number+1, page
	}
	return &t.page[site%totalPageSites]
}

// each calls f for every sum that has changed since the last time.
func (t *threadTotals) each(f func(site int64, sum *total) error) error {
	for number, page := range t.pages {
		for i := range page {
			if !page[i].dirty {
				continue
			}
			page[i].dirty = false
			if err := f(number*totalPageSites+int64(i), &page[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
