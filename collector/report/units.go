package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/accscope/accscope/collector/model"
)

// Show renders a value for people: 12.3 ms, 4 MiB, 37.5%. Unknown values show
// as a dash. web/ui/src/format.ts does the same; testdata/units.json has cases that
// both are held to.
func Show(value any, unit Unit) string {
	switch v := value.(type) {
	case nil:
		return "-"
	case string:
		if unit == Variables {
			return model.Few(v)
		}
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case int64:
		if unit == Address {
			return "0x" + strconv.FormatUint(uint64(v), 16)
		}
		if unit == Count {
			return strconv.FormatInt(v, 10)
		}
		return showNumber(float64(v), unit)
	case float64:
		return showNumber(v, unit)
	}
	return fmt.Sprint(value)
}

func showNumber(value float64, unit Unit) string {
	switch unit {
	case Nanoseconds:
		return ShowDuration(value)
	case Bytes:
		return ShowBytes(value)
	case BytesPerSecond:
		return scaled(value, 1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")
	case Fraction:
		return fixed(value*100, 1) + "%"
	case Address:
		return Show(int64(value), Address)
	case Count:
		return digits(value)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}

// ShowDuration renders nanoseconds with three significant digits, from a minute on
// with its seconds.
func ShowDuration(nanoseconds float64) string {
	const minute, hour = 60, 3600 // seconds
	if math.Abs(nanoseconds) < 59.95e9 {
		return scaled(nanoseconds, 1000, "ns", "us", "ms", "s")
	}
	sign := ""
	if nanoseconds < 0 {
		sign = "-"
	}
	seconds := rounded(math.Abs(nanoseconds)/1e9, 1)
	if seconds < hour {
		return fmt.Sprintf("%s%d min %02d s", sign, int64(seconds)/minute, int64(seconds)%minute)
	}
	minutes := int64(rounded(seconds/minute, 1))
	return fmt.Sprintf("%s%d h %02d min", sign, minutes/60, minutes%60)
}

// SizeUnits are the units in which people may give sizes, in bytes.
var SizeUnits = map[string]int64{"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// ShowBytes renders a size in binary units.
func ShowBytes(bytes float64) string {
	return scaled(bytes, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB")
}

// scaled renders a value in the largest of its units that is less than it; each is step
// of the one before.
func scaled(value, step float64, units ...string) string {
	i := 0
	for rounded(math.Abs(value), 1) >= step && i < len(units)-1 {
		value /= step
		i++
	}
	return digits(value) + " " + units[i]
}

// digits renders a number with three significant digits, or more before the point; a
// whole one without a point.
func digits(value float64) string {
	magnitude := math.Abs(value)
	switch {
	case magnitude == math.Floor(magnitude):
		return fixed(value, 0)
	case rounded(magnitude, 100) < 10:
		return fixed(value, 2)
	case rounded(magnitude, 10) < 100:
		return fixed(value, 1)
	}
	return fixed(value, 0)
}

// fixed renders a number with so many decimals, its halves away from zero.
func fixed(value float64, decimals int) string {
	magnitude := rounded(math.Abs(value), math.Pow10(decimals))
	if value < 0 && magnitude > 0 {
		magnitude = -magnitude
	}
	return strconv.FormatFloat(magnitude, 'f', decimals, 64)
}

// rounded is the nearest multiple of one part of so many of a number that is not negative.
func rounded(magnitude, parts float64) float64 { return math.Floor(magnitude*parts+0.5) / parts }
