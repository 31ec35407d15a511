// Package cursor reads what debug information consists of, one behind the other: numbers of
// a fixed size, numbers of variable length (LEB128, DWARF 5 §7.6), and blocks of bytes.
package cursor

// Cursor stands before the bytes that are still to be read. Behind their end it gives zeroes.
type Cursor struct {
	Rest []byte
	Bad  bool // something was cut off
}

// Unsigned reads an unsigned LEB128 number.
func (c *Cursor) Unsigned() uint64 {
	v, _, _ := c.variable()
	return v
}

// Signed reads a signed LEB128 number.
func (c *Cursor) Signed() int64 {
	v, bits, negative := c.variable()
	if negative && bits < 64 {
		v |= ^uint64(0) << bits
	}
	return int64(v)
}

// variable reads a LEB128 number: its bits, how many there are, and whether the highest is set.
func (c *Cursor) variable() (v uint64, bits int, negative bool) {
	for i, b := range c.Rest {
		if i < 10 {
			v |= uint64(b&0x7f) << (7 * i)
		}
		if b&0x80 == 0 {
			c.Rest = c.Rest[i+1:]
			return v, 7 * (i + 1), b&0x40 != 0
		}
	}
	c.Rest, c.Bad = nil, true
	return v, 64, false
}

// Fixed reads a number of so many bytes, at most 8, the lowest first.
func (c *Cursor) Fixed(bytes int) (v uint64) {
	for i, b := range c.Block(uint64(bytes)) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// SignedFixed is the same for a number with a sign.
func (c *Cursor) SignedFixed(bytes int) int64 {
	unused := 64 - 8*bytes
	return int64(c.Fixed(bytes)<<unused) >> unused
}

// Block reads so many bytes, nil where there are fewer.
func (c *Cursor) Block(bytes uint64) []byte {
	if bytes > uint64(len(c.Rest)) {
		c.Rest, c.Bad = nil, true
		return nil
	}
	b := c.Rest[:bytes]
	c.Rest = c.Rest[bytes:]
	return b
}
