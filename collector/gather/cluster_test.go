package gather

import (
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
// In the long suite each of them is killed once and comes back, and the network of one is
// cut, with agents between. What all agents had is in the result once.
func TestServers(t *testing.T) {
	agents, long := int64(2), os.Getenv("ACCSCOPE_LONG") != ""
	if long {
		agents = 6
	}
	folder, want := recorded(t)
	nodes, to := servers(t)
	g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Cluster: to, Copies: 3, Store: 16 << 20, Ranks: int(agents)})
	if err != nil {
		t.Fatal(err)
	}
	summary, ended := started(g)
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
	if long {
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
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("the collector does not end")
	}
	if summary.Events != agents*want || int64(summary.Agents) != agents || int64(summary.Ended) != agents {
		t.Errorf("%+v, want %d events of %d agents", summary, agents*want, agents)
	}
}

// A thousand agents at once send a capture each into three servers, one of which is killed
// and comes back meanwhile.
func TestThousandAgents(t *testing.T) {
	if os.Getenv("ACCSCOPE_LONG") == "" {
		t.Skip("minutes: part of make long")
	}
	const agents = 1000
	folder, want := recorded(t)
	nodes, to := servers(t)
	g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Cluster: to, Copies: 3, Store: 1 << 30, Ranks: agents})
	if err != nil {
		t.Fatal(err)
	}
	summary, ended := started(g)
	began := time.Now()
	var working sync.WaitGroup
	for range agents {
		working.Go(func() {
			if err := sendWith(t, folder, to, link.Files{}, 4*patience); err != nil {
				t.Error(err)
			}
		})
	}
	for g.ledger.summary().Ended < agents/10 && time.Since(began) < patience {
		time.Sleep(100 * time.Millisecond)
	}
	nodes[0].kill()
	nodes[0].start()
	working.Wait()
	sent := time.Since(began)
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(4 * patience):
		t.Fatal("the collector does not end")
	}
	if summary.Events != agents*want || summary.Agents != agents || summary.Ended != agents {
		t.Errorf("%+v, want %d events of %d agents", summary, agents*want, agents)
	}
	t.Logf("%d events of %d agents: %v to send, %v in all; %d batches, %d of them again", summary.Events, agents, sent, time.Since(began), summary.Batches, summary.Repeated)
	for i, n := range nodes {
		most := peakMemory(t, n.command.Process.Pid)
		t.Logf("server %d: %d MiB at most", i, most>>20)
		if most > 1<<30 {
			t.Errorf("server %d took %d MiB, more than 1 GiB", i, most>>20)
		}
	}
}

// peakMemory is the most that a process had resident, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
