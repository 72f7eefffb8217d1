// Command cluster runs a Kubernetes for tests in namespaces of its own and ends with it.
//
// Its network namespace has a loopback interface and no route to anywhere: nothing that runs in it can send a packet
// out of the machine. Its process namespace ends with its first process, so nothing outlives the command, whichever
// way that ends. The API server is reached from outside through a listener on 127.0.0.1.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

const usage = `usage: cluster --programs DIR --state DIR [--images FILE] [--until-eof]
       cluster --node-problem

Runs etcd, kube-apiserver, kube-controller-manager and kube-scheduler until it is told to stop. DIR of --state is
made anew; it has the kubeconfig for clients on this machine, and the logs. The last line printed at the start is
"ready".

With --images also containerd, kubelet, kube-proxy, CoreDNS and a device plugin with eight nvidia.com/gpu that do not
exist: a node that runs the images of FILE, an archive that has loadgen.dev/pause:1 among them. --node-problem prints what
this machine lacks for a node, and ends with 1 if it lacks something.
`

func main() {
	if os.Getenv(insideVariable) != "" {
		os.Exit(runInside())
	}
	if name := os.Getenv(sweeperVariable); name != "" {
		os.Exit(sweep(name))
	}
	// Where programs of root lie, which are not on everybody's path.
	os.Setenv("PATH", os.Getenv("PATH")+":/usr/local/sbin:/usr/sbin:/sbin")
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	programs := flags.String("programs", "", "")
	state := flags.String("state", "", "")
	images := flags.String("images", "", "")
	untilEOF := flags.Bool("until-eof", false, "stop when the standard input ends, as it does when the parent dies")
	problem := flags.Bool("node-problem", false, "")
	err := flags.Parse(os.Args[1:])
	if err == nil && *problem {
		os.Exit(tellNodeProblem())
	}
	if err != nil || *programs == "" || *state == "" || flags.NArg() > 0 {
		flags.Usage()
		os.Exit(2)
	}
	if err := run(*programs, *state, *images, *untilEOF); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func tellNodeProblem() int {
	if problem := nodeProblem(); problem != nil {
		fmt.Println(problem)
		return 1
	}
	return 0
}

func run(programs, state, images string, untilEOF bool) (failure error) {
	programs, err := filepath.Abs(programs)
	if err != nil {
		return err
	}
	state, err = filepath.Abs(state)
	if err != nil {
		return err
	}
	if err := makeState(state); err != nil {
		return err
	}
	variables := []string{"LOADGEN_CLUSTER_PROGRAMS=" + programs, "LOADGEN_CLUSTER_STATE=" + state}
	if images != "" {
		if err := nodeProblem(); err != nil {
			return err
		}
		images, err = filepath.Abs(images)
		if err != nil {
			return err
		}
		groups, err := makeCgroups()
		if err != nil {
			return err
		}
		defer func() { failure = errors.Join(failure, groups.remove()) }()
		variables = append(variables, "LOADGEN_CLUSTER_IMAGES="+images, "LOADGEN_CLUSTER_CGROUPS="+groups.name)
	}
	listener, err := listenOutside()
	if err != nil {
		return err
	}
	defer listener.Close()
	if err := writeCredentials(state, listener.port); err != nil {
		return err
	}
	inside, err := startInside(variables, listener.file)
	if err != nil {
		return err
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			told <- syscall.SIGTERM
		}()
	}
	ended := make(chan error, 1)
	go func() { ended <- inside.Wait() }()
	select {
	case <-told:
		// The state is thrown away, so there is nothing to be saved by asking.
		_ = inside.Process.Kill()
		<-ended
		return nil
	case err := <-ended:
		return fmt.Errorf("the cluster ended by itself (%v); its logs are in %s", err, filepath.Join(state, "log"))
	}
}

// makeState empties a folder that an earlier cluster left, and refuses to touch any other that has something in it.
func makeState(state string) error {
	mark := filepath.Join(state, ".cluster")
	entries, err := os.ReadDir(state)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(mark); err != nil {
			return fmt.Errorf("--state %s: is not empty and no cluster made it", state)
		}
		if err := os.RemoveAll(state); err != nil {
			return err
		}
	}
	for _, folder := range []string{"log", "pki", "etcd"} {
		if err := os.MkdirAll(filepath.Join(state, folder), 0o700); err != nil {
			return err
		}
	}
	return os.WriteFile(mark, []byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600)
}
