package web

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// pictured are the views that are compared with kept pictures, by the file's name.
var pictured = []struct{ name, hash string }{
	{"summary", "view=summary"},
	{"timeline", "view=timeline"},
	{"selected", "view=timeline&from=1000000&to=1400000&selected=r40"},
	{"kernel-colours", "view=timeline&from=1000000&to=1400000&colour=kernel"},
	{"memory", "view=memory"},
	{"queues", "view=queues"},
	{"kernels", "view=kernels"},
	{"transfers", "view=transfers"},
	{"flame", "view=flame"},
	{"sources", "view=sources"},
	{"sql", "view=sql"},
	{"compare", "view=compare"},
}

// How far a picture may be from the kept one: so many of a thousand pixels may differ
// by more than so much of 255 in a colour.
const (
	differentPixels = 5
	differentColour = 16
)

// The page looks as in web/testdata/pictures, which make pictures renews. Another
// version of the browser draws text and controls in its own way: with that only the
// layout is looked at.
func TestPictures(t *testing.T) {
	source, err := filepath.Abs("../examples/jacobi")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{Traces: []string{tracetest.File(t, 5000, 1), tracetest.File(t, 3000, 2)}, Sources: []string{source}})
	b := browse(t, s.URL())
	version := browserVersion(t)
	kept, err := os.ReadFile("testdata/pictures/browser.txt")
	if *update {
		err = os.WriteFile("testdata/pictures/browser.txt", []byte(version+"\n"), 0o644)
		kept = []byte(version)
	}
	if err != nil {
		t.Fatal(err)
	}
	same := strings.TrimSpace(string(kept)) == version
	if !same {
		t.Logf("the pictures are from %s; this is %s: only the layout is tested", strings.TrimSpace(string(kept)), version)
	}
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		for _, theme := range []string{"light", "dark"} {
			for _, p := range pictured {
				if theme == "dark" && p.name != "summary" && p.name != "selected" && p.name != "sources" {
					continue
				}
				name := fmt.Sprintf("%s-%d-%s", p.name, size[0], theme)
				t.Run(name, func(t *testing.T) {
					b := b.in(t)
					b.do(chromedp.EmulateViewport(size[0], size[1]))
					b.text(`(localStorage.clear(), localStorage.setItem("theme", ` + quote(theme) + `), "")`)
					b.goTo(p.hash)
					b.wait("the fonts", `document.fonts.status === "loaded" && document.fonts.check("12px Inter")`)
					b.settled()
					// On a busy machine the browser at times leaves a choice the padding that it
					// had before it got its style, four pixels more, until it is laid out anew.
					b.text(`(document.querySelectorAll("select").forEach((s) => { s.style.display = "none"; s.offsetWidth; s.style.display = ""; }), "")`)
					// What views there are is the schema's matter.
					b.text(`(document.querySelector(".schema")?.style.setProperty("visibility", "hidden"), "")`)
					if problem := b.text(layoutProblems); problem != "" {
						t.Errorf("%s: %s", name, problem)
					}
					b.compare(name, same)
				})
			}
		}
	}
}

// settling is how long a page may take until it looks as it does in the end: what is drawn
// last (a chart in its font, a width that follows another one) is nothing that it tells.
const settling = 10 * time.Second

// compare holds what is drawn against the kept picture, or keeps it.
func (b *browser) compare(name string, same bool) {
	b.Helper()
	path := filepath.Join("testdata", "pictures", name+".png")
	if *update {
		if err := os.WriteFile(path, smallest(b, b.drawn()), 0o644); err != nil {
			b.Fatal(err)
		}
		return
	}
	if !same {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	want := decode(b, data)
	for began := time.Now(); ; {
		got := b.drawn()
		different, all, where := differing(b, decode(b, got), want)
		if different*1000 <= all*differentPixels {
			return
		}
		if time.Since(began) < settling {
			continue
		}
		if err := os.WriteFile(filepath.Join(b.pictures, name+".png"), got, 0o644); err != nil {
			b.Error(err)
		}
		b.Errorf("%d of %d pixels differ from %s, within %v; go test ./web -run TestPictures -artifacts -outputdir DIR keeps what was drawn, make pictures renews what is kept", different, all, path, where)
		return
	}
}

// drawn is a picture of what the browser shows, as PNG.
func (b *browser) drawn() []byte {
	b.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// differing counts the pixels that differ in a colour by more than differentColour, and says
// where they are.
func differing(t testing.TB, x, y image.Image) (different, all int, where image.Rectangle) {
	t.Helper()
	if x.Bounds() != y.Bounds() {
		t.Fatalf("a picture of %v, the kept one is of %v", x.Bounds(), y.Bounds())
	}
	far := func(a, b uint32) bool { return max(a, b)-min(a, b) > differentColour<<8 }
	for py := x.Bounds().Min.Y; py < x.Bounds().Max.Y; py++ {
		for px := x.Bounds().Min.X; px < x.Bounds().Max.X; px++ {
			r, g, b, _ := x.At(px, py).RGBA()
			r2, g2, b2, _ := y.At(px, py).RGBA()
			all++
			if far(r, r2) || far(g, g2) || far(b, b2) {
				different++
				where = where.Union(image.Rect(px, py, px+1, py+1))
			}
		}
	}
	return different, all, where
}

func decode(t testing.TB, data []byte) image.Image {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// smallest is a picture in few bytes.
func smallest(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, decode(t, data)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func browserVersion(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("chromium", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
