// Command stub is an LLM server that costs next to nothing, for measuring clients.
//
// It answers POST /v1/completions as vLLM does: whole, in batches, and as a stream of
// server-sent events, with token_ids and usage where the request asks for them. The bodies are
// made once, at start-up; a request costs one read, one write for each event, and no parsing
// unless it is a batch. Without -ttft, -tpot and -flush a stream is a single write.
//
// It also answers GET /health, /v1/models, /metrics, and /stub/stats, which says what it was
// asked and what that took. With -sends it keeps the times at which it sent the first token and
// the end of each stream, and GET /stub/sends gives them. It listens on the loopback interface only, and prints "listening ADDRESS" when ready.
package main

import (
	"benchmark/monotonic"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// object is a JSON object.
type object = map[string]any

// latency is when the tokens of an answer are sent.
type latency struct {
	ttft time.Duration // from the request to the first token
	tpot time.Duration // from one token to the next
}

// answer is one answer in all its forms.
type answer struct {
	whole  []byte
	events [][]byte // one for each token
	joined []byte   // the same in one piece
}

// stub is the handler of /v1/completions. Safe for concurrent use.
type stub struct {
	model   string
	tokens  int // of each answer
	latency latency
	flush   bool // a write for each token even without latency
	clock   monotonic.Clock
	sends   *sends // nil unless they are kept

	withIDs, withoutIDs answer
	usage, done         []byte   // the last events of a stream
	batches             sync.Map // number of prompts -> body
	choice              object   // of a whole answer, with token ids
	buffers             sync.Pool

	requests, completed, prompts, streams, cut, generated, events, inFlight, maxInFlight atomic.Int64
}

func newStub(model string, tokens int, latency latency, word string) *stub {
	s := &stub{model: model, tokens: tokens, latency: latency, clock: monotonic.New()}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	ids := make([]int, tokens)
	words := make([]string, tokens)
	for i := range ids {
		ids[i] = 1000 + i*7919%100000
		words[i] = word + strconv.Itoa(ids[i])
	}
	text := strings.Join(words, "")
	s.choice = object{"index": 0, "text": text, "finish_reason": "length", "token_ids": ids}
	s.withIDs.whole = s.whole([]any{s.choice})
	s.withoutIDs.whole = s.whole([]any{object{"index": 0, "text": text, "finish_reason": "length"}})
	for i, word := range words {
		var finish any
		if i == tokens-1 {
			finish = "length"
		}
		choice := object{"index": 0, "text": word, "finish_reason": finish}
		s.withoutIDs.events = append(s.withoutIDs.events, event(s.completion([]any{choice})))
		choice["token_ids"] = ids[i : i+1]
		s.withIDs.events = append(s.withIDs.events, event(s.completion([]any{choice})))
	}
	for _, a := range []*answer{&s.withIDs, &s.withoutIDs} {
		a.joined = bytes.Join(a.events, nil)
	}
	last := s.completion([]any{})
	last["usage"] = s.usageOf(1)
	s.usage = event(last)
	s.done = []byte("data: [DONE]\n\n")
	return s
}

func (s *stub) completion(choices []any) object {
	return object{"id": "cmpl-stub", "object": "text_completion", "created": 1, "model": s.model, "choices": choices}
}

func (s *stub) usageOf(prompts int) object {
	out := prompts * s.tokens
	return object{"prompt_tokens": prompts, "completion_tokens": out, "total_tokens": prompts + out}
}

func (s *stub) whole(choices []any) []byte {
	c := s.completion(choices)
	c["usage"] = s.usageOf(len(choices))
	return encode(c)
}

// batch is the body that answers a number of prompts.
func (s *stub) batch(prompts int) []byte {
	if made, ok := s.batches.Load(prompts); ok {
		return made.([]byte)
	}
	choices := make([]any, prompts)
	for i := range choices {
		choice := object{"index": i}
		for k, v := range s.choice {
			if k != "index" {
				choice[k] = v
			}
		}
		choices[i] = choice
	}
	made, _ := s.batches.LoadOrStore(prompts, s.whole(choices))
	return made.([]byte)
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	s.requests.Add(1)
	now := s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	for most := s.maxInFlight.Load(); now > most && !s.maxInFlight.CompareAndSwap(most, now); {
		most = s.maxInFlight.Load()
	}
	buffer := s.buffers.Get().(*bytes.Buffer)
	defer s.buffers.Put(buffer)
	buffer.Reset()
	if _, err := buffer.ReadFrom(r.Body); err != nil {
		return // the client has gone
	}
	body := buffer.Bytes()
	a := &s.withoutIDs
	if asks(body, "return_token_ids") {
		a = &s.withIDs
	}
	if asks(body, "stream") {
		s.streams.Add(1)
		s.prompts.Add(1)
		sent := send{prompt: firstNumber(body), arrived: s.clock.At(arrived)}
		if !s.stream(w, a, asks(body, "include_usage"), arrived, &sent) {
			s.cut.Add(1)
			return
		}
		s.completed.Add(1)
		if s.sends != nil {
			s.sends.add(sent)
		}
		return
	}
	prompts, answer := prompts(body), a.whole
	if prompts > 1 {
		answer = s.batch(prompts)
	}
	s.prompts.Add(int64(prompts))
	s.latency.wait(arrived, s.tokens-1)
	s.generated.Add(int64(prompts * s.tokens))
	s.completed.Add(1)
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(answer))}
	w.Write(answer)
}

// stream answers with a stream, notes when its first token and its end were sent, and reports whether
// the client took all of it.
func (s *stub) stream(w http.ResponseWriter, a *answer, usage bool, arrived time.Time, sent *send) bool {
	w.Header()["Content-Type"] = []string{"text/event-stream; charset=utf-8"}
	if s.latency == (latency{}) && !s.flush {
		joined := append(make([]byte, 0, len(a.joined)+len(s.usage)+len(s.done)), a.joined...)
		if usage {
			joined = append(joined, s.usage...)
		}
		s.generated.Add(int64(s.tokens))
		s.events.Add(int64(s.tokens))
		sent.first = s.clock.Now()
		sent.ended = sent.first
		_, err := w.Write(append(joined, s.done...))
		return err == nil
	}
	flusher := w.(http.Flusher)
	for i, e := range a.events {
		s.latency.wait(arrived, i)
		s.generated.Add(1)
		s.events.Add(1)
		if i == 0 {
			sent.first = s.clock.Now()
		}
		last := i == len(a.events)-1
		if last {
			sent.ended = s.clock.Now()
		}
		if _, err := w.Write(e); err != nil {
			return false
		}
		if !last {
			flusher.Flush()
		}
	}
	// The last token and what follows it leave when the handler returns, in one write: some clients stamp the one as the
	// end, some the other.
	if usage {
		w.Write(s.usage)
	}
	_, err := w.Write(s.done)
	return err == nil
}

// wait sleeps until token i of a request is due, so that late timers do not add up.
func (l latency) wait(arrived time.Time, i int) {
	if due := l.ttft + time.Duration(i)*l.tpot; due > 0 {
		time.Sleep(time.Until(arrived.Add(due)))
	}
}

// asks reports whether a request body sets a flag, found by its bytes and not by parsing.
func asks(body []byte, flag string) bool {
	return bytes.Contains(body, []byte(`"`+flag+`":true`)) || bytes.Contains(body, []byte(`"`+flag+`": true`))
}

// prompts is the number of prompts of a request. It parses only bodies that look like a batch.
func prompts(body []byte) int {
	for _, start := range []string{`"prompt":["`, `"prompt": ["`, `"prompt":[[`, `"prompt": [[`} {
		if bytes.Contains(body, []byte(start)) {
			var request struct{ Prompt []json.RawMessage }
			if json.Unmarshal(body, &request) == nil {
				return len(request.Prompt)
			}
		}
	}
	return 1
}

func (s *stub) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(encode(object{"object": "list", "data": []any{object{"id": s.model, "object": "model"}}}))
}

func (s *stub) metrics(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, "# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total{model_name=%q} %d\n", s.model, s.generated.Load())
}

// stats are counts since the start. nanos is the time at which they were taken, of CLOCK_MONOTONIC, and cpu_nanos
// the CPU time of this process.
func (s *stub) stats(w http.ResponseWriter, _ *http.Request) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(encode(object{
		"nanos": s.clock.Now(), "cpu_nanos": used.Utime.Nano() + used.Stime.Nano(),
		"requests": s.requests.Load(), "completed": s.completed.Load(), "prompts": s.prompts.Load(),
		"streams": s.streams.Load(), "cut": s.cut.Load(), "events": s.events.Load(),
		"in_flight": s.inFlight.Load(), "max_in_flight": s.maxInFlight.Load(),
	}))
}

func (s *stub) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/completions", s)
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /stub/stats", s.stats)
	if s.sends != nil {
		mux.HandleFunc("GET /stub/sends", s.sends.write)
	}
	return mux
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are made here
	}
	return b
}

func event(v any) []byte { return append(append([]byte("data: "), encode(v)...), "\n\n"...) }

func main() {
	log.SetFlags(0)
	log.SetPrefix("stub: ")
	port := flag.Int("port", 0, "`port` to listen on; 0 takes a free one")
	model := flag.String("model", "stub", "`name` of the model")
	tokens := flag.Int("tokens", 16, "output tokens of an answer, 1 or more")
	ttft := flag.Duration("ttft", 0, "time to the first token")
	tpot := flag.Duration("tpot", 0, "time from each token to the next")
	word := flag.String("word", " w", "`text` of each token, before its number")
	flush := flag.Bool("flush", false, "write each token by itself, even without -ttft and -tpot")
	keepSends := flag.Bool("sends", false, "keep when each stream was sent, for GET /stub/sends")
	flag.Parse()
	if *tokens < 1 || *ttft < 0 || *tpot < 0 || flag.NArg() > 0 {
		flag.Usage()
		log.Fatal("-tokens must be 1 or more, -ttft and -tpot not negative, and nothing else given")
	}
	runtime.GOMAXPROCS(1) // it is given one core, so that the other is the client's
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening", listener.Addr())
	s := newStub(*model, *tokens, latency{*ttft, *tpot}, *word)
	s.flush = *flush
	if *keepSends {
		s.sends = new(sends)
	}
	server := &http.Server{Handler: s.handler(), ErrorLog: log.New(io.Discard, "", 0)}
	log.Fatal(server.Serve(listener))
}
