package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// The page's pictures, in pixels.
const width, height = 1280, 760

// shot is a picture of a view of the page.
type shot struct{ picture, fragment, trace string }

// drawPage draws the page's views, each from a server of its trace.
func drawPage(ctx context.Context, accscope, work string) error {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return fmt.Errorf("%w: the page is drawn by it; apt-get install chromium", err)
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(chromium), chromedp.UserDataDir(filepath.Join(work, "browser")),
		chromedp.NoFirstRun, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("disable-lcd-text", true), chromedp.Flag("force-color-profile", "srgb")}
	ctx, cancel := chromedp.NewExecAllocator(ctx, options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	// The browser lives as long as the context that starts it.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		return err
	}
	servers := map[string]*server{}
	for _, p := range page {
		s := servers[p.trace]
		if s == nil {
			if s, err = serve(ctx, accscope, work, p.trace); err != nil {
				return err
			}
			servers[p.trace] = s
			defer s.end()
		}
		if err := s.draw(ctx, p); err != nil {
			return fmt.Errorf("the page's %s: %w", p.picture, err)
		}
	}
	return nil
}

// server is an accscope serve.
type server struct {
	address *url.URL
	process *exec.Cmd
}

// serve starts a server of a trace; of the tutorial's also of the mended one.
func serve(ctx context.Context, accscope, work, trace string) (*server, error) {
	args := []string{"serve", trace + ".db"}
	if trace == "wave" {
		args = append(args, "wave-mended.db")
	}
	command := exec.CommandContext(ctx, accscope, args...)
	command.Dir = work
	said, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s := &server{process: command}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if address, err := url.Parse(strings.TrimSpace(lines.Text())); err == nil && address.Scheme == "http" {
			s.address = address
			return s, nil
		}
	}
	s.end()
	return nil, fmt.Errorf("%s said no address", command)
}

func (s *server) end() {
	// It has nothing to lose, and how it ended says nothing.
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// quiet says whether the page has drawn all that it asked for.
const quiet = `new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() =>
  done(document.querySelector("main .view") !== null && !document.querySelector("main .loading") && document.fonts.status === "loaded"))), 1000))`

func (s *server) draw(ctx context.Context, p shot) error {
	address := *s.address
	address.Fragment = p.fragment
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	// Elsewhere first: another fragment alone would load nothing.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(address.String())); err != nil {
		return err
	}
	for drawn := false; !drawn; {
		var err error
		if drawn, err = chromedp.Run(ctx, chromedp.Evaluate[bool](quiet, chromedp.EvalAwaitPromise)); err != nil {
			return errors.Join(errors.New("it was never done"), err)
		}
	}
	screenshot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	small, err := palettised(screenshot)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "page-"+p.picture+".png"), small, 0o644)
}

// palettised is a picture with the 256 colours that most of its pixels have, each
// other one as the nearest of these: a third of the size, and hardly to be told apart.
func palettised(data []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	bounds := full.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++
		}
	}
	reduced := image.NewPaletted(bounds, commonest(counts, 256))
	draw.Draw(reduced, bounds, full, bounds.Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, reduced); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// counts in the order of the colours, so that the same picture gives the same file.
func commonest(counts map[color.RGBA]int, most int) color.Palette {
	number := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], number(a)-number(b))
	})
	var palette color.Palette
	for _, c := range all[:min(len(all), most)] {
		palette = append(palette, c)
	}
	return palette
}
