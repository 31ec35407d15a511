package gather

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/gather/gathertest"
	"github.com/accscope/accscope/collector/gather/link"
)

// What a process of this test binary is to be: a NATS server, with its folder, its own
// address among its peers, and theirs.
const serverVariable = "ACCSCOPE_TEST_SERVER"

// serve runs a server until it is killed.
func serve(arguments string) int {
	fields := strings.Split(arguments, " ")
	o := &Options{Folder: fields[0], Job: "servers", Listen: "127.0.0.1:0", PeerListen: "127.0.0.1:0", PeerName: fields[1], Peers: strings.Split(fields[2], ",")}
	s, err := startServer(o, "server-"+filepath.Base(o.Folder), func(string) {})
	if err == nil {
		text := s.server.Addr().String() + " " + s.peerAddress()
		if err = os.WriteFile(filepath.Join(o.Folder, "new"), []byte(text), 0o600); err == nil {
			err = os.Rename(filepath.Join(o.Folder, "new"), filepath.Join(o.Folder, "addresses"))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	select {}
}

// node is a server, as a process, behind a network of the test's.
type node struct {
	t       *testing.T
	folder  string
	clients *gathertest.Proxy
	peers   *gathertest.Proxy
	all     string
	command *exec.Cmd
}

func (n *node) start() {
	n.t.Helper()
	addresses := filepath.Join(n.folder, "addresses")
	if err := os.RemoveAll(addresses); err != nil {
		n.t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		n.t.Fatal(err)
	}
	n.command = exec.Command(program)
	n.command.Env = append(os.Environ(), serverVariable+"="+n.folder+" "+n.peers.Address()+" "+n.all)
	n.command.Stderr = os.Stderr
	if err := n.command.Start(); err != nil {
		n.t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(addresses); err == nil {
			client, peer, _ := strings.Cut(string(text), " ")
			n.clients.To(client)
			n.peers.To(peer)
			return
		}
		if time.Now().After(end) {
			n.t.Fatal("a server does not start")
		}
	}
}

func (n *node) kill() {
	n.command.Process.Kill() //nolint:errcheck // it is waited for
	n.command.Wait()         //nolint:errcheck // it was killed
}

// servers are three servers of one cluster.
func servers(t *testing.T) (nodes []*node, to string) {
	t.Helper()
	var peers, clients []string
	for range 3 {
		n := &node{t: t, folder: t.TempDir(), clients: gathertest.New(t), peers: gathertest.New(t)}
		nodes = append(nodes, n)
		peers, clients = append(peers, n.peers.Address()), append(clients, "nats://"+n.clients.Address())
	}
	for _, n := range nodes {
		n.all = strings.Join(peers, ",")
		n.start()
		t.Cleanup(n.kill)
	}
	return nodes, strings.Join(clients, ",")
}

// A collector goes through a cluster of three servers that are processes of their own.
// Each of them is killed once and comes back, and the network of one is cut: what all
// agents had is in the result once.
func TestServers(t *testing.T) {
	folder, want := recorded(t)
	nodes, to := servers(t)
	g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Cluster: to, Copies: 3, Store: 16 << 20, Ranks: 6})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	var summary Summary
	go func() {
		var err error
		summary, err = g.Run(context.Background())
		ended <- err
	}()
	send := func() {
		t.Helper()
		var working sync.WaitGroup
		for range 2 {
			working.Go(func() {
				if err := sendWith(t, folder, to, link.Files{}, patience); err != nil {
					t.Error(err)
				}
			})
		}
		working.Wait()
	}
	send()
	nodes[0].kill()
	send()
	nodes[0].start()
	nodes[1].clients.Cut()
	nodes[1].peers.Cut()
	nodes[2].kill()
	nodes[1].clients.Mend()
	nodes[1].peers.Mend()
	nodes[2].start()
	send()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("the collector does not end")
	}
	if summary.Events != 6*want || summary.Agents != 6 || summary.Ended != 6 {
		t.Errorf("%+v, want %d events of 6 agents", summary, 6*want)
	}
}
