package main

import (
	"benchmark/monotonic"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const oneToken = `data: {"choices":[{"text":"a"}]}

`

const events = oneToken + `data: {"choices":[{"text":"b"}]}

data: {"choices":[],"usage":{}}

data: [DONE]

`

// serve answers every request by the handler, and gives a client of it that expects answers of two tokens.
func serve(t *testing.T, handler http.HandlerFunc) *client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	return &client{address: address, tokens: 2, messages: [][]byte{message(address, "/v1/completions", []byte(`{"prompt":[7]}`))}}
}

func stream(w http.ResponseWriter, pieces ...string) {
	for _, piece := range pieces {
		io.WriteString(w, piece)
		w.(http.Flusher).Flush()
	}
}

func TestReadsAStreamHoweverItIsCut(t *testing.T) {
	for at := 0; at <= len(events); at++ {
		var s splitter
		s.feed([]byte(events[:at]))
		s.feed([]byte(events[at:]))

		if s.tokens != 2 || !s.done {
			t.Errorf("cut at %d: %d tokens, done: %v", at, s.tokens, s.done)
		}
	}
}

func TestStampsTheFirstTokenWhenItArrives(t *testing.T) {
	const delay = 30 * time.Millisecond
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/completions" || string(body) != `{"prompt":[7]}` {
			t.Errorf("%s %s", r.URL.Path, body)
		}
		time.Sleep(delay)
		stream(w, oneToken)
		time.Sleep(delay)
		stream(w, strings.TrimPrefix(events, oneToken))
	})
	requests := make([]request, 1)

	c.closed(requests, 1)

	r := requests[0]
	if r.failure != nil || r.events != 2 {
		t.Fatalf("%+v", r)
	}
	if r.first.Sub(r.sent) < delay || r.ended.Sub(r.first) < delay {
		t.Errorf("first token after %v, end %v later", r.first.Sub(r.sent), r.ended.Sub(r.first))
	}
}

func TestSaysWhatWasWrongWithAnAnswer(t *testing.T) {
	for name, answer := range map[string]struct {
		handler http.HandlerFunc
		words   string
	}{
		"status": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, "503"},
		"short":  {func(w http.ResponseWriter, _ *http.Request) { stream(w, oneToken, "data: [DONE]\n\n") }, "1 events instead of 2"},
		"no end": {func(w http.ResponseWriter, _ *http.Request) { stream(w, oneToken) }, "without data: [DONE]"},
		"whole":  {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }, "no stream"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			stream(w, oneToken)
			panic(http.ErrAbortHandler)
		}, "EOF"},
	} {
		c := serve(t, answer.handler)
		requests := make([]request, 1)

		c.closed(requests, 1)

		if err := requests[0].failure; err == nil || !strings.Contains(err.Error(), answer.words) {
			t.Errorf("%s: %v", name, err)
		}
		if s := summarize(requests, time.Second); s.Failed != 1 || s.Rate != 0 || s.failure == nil {
			t.Errorf("%s: %+v", name, s)
		}
		if len(c.idle) != 0 {
			t.Errorf("%s: its connection is kept", name)
		}
	}
}

func TestNoMoreThanTheBoundIsInFlightAndConnectionsAreKept(t *testing.T) {
	var now, most atomic.Int64
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Millisecond)
		stream(w, events)
	})
	requests := make([]request, 60)

	c.closed(requests, 4)

	if s := summarize(requests, time.Second); s.Failed != 0 || s.Events != 120 {
		t.Errorf("%+v: %v", s, s.failure)
	}
	if most.Load() > 4 || len(c.idle) > 4 {
		t.Errorf("%d in flight, %d connections", most.Load(), len(c.idle))
	}
}

func TestAnOpenLoopDoesNotWaitForAnswers(t *testing.T) {
	release := make(chan struct{})
	var arrived atomic.Int64
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if arrived.Add(1) == 5 {
			close(release)
		}
		<-release
		stream(w, events)
	})
	requests := make([]request, 5)
	for i := range requests {
		requests[i].due = time.Now()
	}

	c.open(requests) // would wait for ever if it sent one after the other

	if s := summarize(requests, time.Second); s.Failed != 0 {
		t.Errorf("%+v: %v", s, s.failure)
	}
}

func TestArrivalsAreAPoissonProcess(t *testing.T) {
	begin := time.Now()

	requests := schedule(begin, 500, 40, 256, rand.New(rand.NewSource(1)))

	n := float64(len(requests))
	if math.Abs(n-20000) > 600 {
		t.Errorf("%v arrivals instead of 20000", n)
	}
	long, last := 0, begin
	for _, r := range requests {
		if r.due.Before(last) || r.row < 0 || r.row >= 256 {
			t.Fatalf("%+v after %v", r, last)
		}
		if r.due.Sub(last) > 2*time.Millisecond {
			long++
		}
		last = r.due
	}
	// The mean gap is 2 ms; the share of gaps above the mean is 1/e.
	if share := float64(long) / n; math.Abs(share-1/math.E) > 0.02 {
		t.Errorf("%v of the gaps are above the mean", share)
	}
}

func TestPercentilesAreNearestRanks(t *testing.T) {
	var values []float64
	for i := 200; i > 0; i-- {
		values = append(values, float64(i))
	}

	if got := spreadOf(values); got != (spread{100.5, 100, 180, 198, 200}) {
		t.Errorf("%+v", got)
	}
	if got := spreadOf([]float64{3}); got != (spread{3, 3, 3, 3, 3}) {
		t.Errorf("%+v", got)
	}
}

func TestLatenciesLeaveOutWhatFailed(t *testing.T) {
	at := time.Now()
	after := func(ms int) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }
	good := request{due: at, sent: after(5), first: after(25), ended: after(30), events: 2}
	bad := request{due: at, sent: after(5), failure: errors.New("no")}

	s := summarize([]request{good, bad}, 2*time.Second)

	if s.Failed != 1 || s.FromDue.Mean != 25 || s.FromSent.Mean != 20 || s.Rate != 0.5 {
		t.Errorf("%+v", s)
	}
}

func TestWritesTheTimesOfTheMachinesClock(t *testing.T) {
	clock := monotonic.New()
	file := filepath.Join(t.TempDir(), "times.csv")
	now := time.Now()

	err := writeTimes(file, []request{{row: 1, due: now, sent: now}}, []row{{[]int{5}}, {[]int{9, 2}}}, clock)

	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	want := fmt.Sprintf("prompt,due_ns,sent_ns,first_ns,ended_ns\n9,%[1]d,%[1]d,0,0\n", clock.At(now))
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestAsksForTokenIDsAndUsage(t *testing.T) {
	b, err := body("m", 64, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	var asked struct {
		Prompt   []int
		Stream   bool
		TokenIDs bool `json:"return_token_ids"`
		Options  struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := json.Unmarshal(b, &asked); err != nil || len(asked.Prompt) != 2 || !asked.Stream || !asked.TokenIDs || !asked.Options.Usage {
		t.Errorf("%s: %v", b, err)
	}
}

func TestRefusesADatasetThatItCannotUse(t *testing.T) {
	for _, text := range []string{"[]", "{", `[{"text_input":"a"}]`} {
		file := filepath.Join(t.TempDir(), "d.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		if _, err := read(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
