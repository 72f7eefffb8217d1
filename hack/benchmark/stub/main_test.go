package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func post(t *testing.T, url, body string) string {
	t.Helper()
	response, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	return string(answer)
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

type completion struct {
	Choices []struct {
		Index        int
		Text         string
		TokenIDs     []int  `json:"token_ids"`
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		CompletionTokens int `json:"completion_tokens"`
	}
}

func parse(t *testing.T, body string) completion {
	t.Helper()
	var c completion
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err, body)
	}
	return c
}

func TestABatchHasAChoiceForEachPrompt(t *testing.T) {
	server := httptest.NewServer(newStub("m", 3, latency{}, " w").handler())
	defer server.Close()

	for _, body := range []string{`{"prompt":[[1,2],[3,4]],"return_token_ids":true}`, `{"prompt": ["a", "b"], "return_token_ids": true}`} {
		c := parse(t, post(t, server.URL, body))

		if len(c.Choices) != 2 || c.Choices[1].Index != 1 || len(c.Choices[1].TokenIDs) != 3 || c.Usage.CompletionTokens != 6 {
			t.Errorf("%s: %+v", body, c)
		}
	}
}

func TestOnePromptOfTokenIDsIsNoBatch(t *testing.T) {
	server := httptest.NewServer(newStub("m", 3, latency{}, " w").handler())
	defer server.Close()

	c := parse(t, post(t, server.URL, `{"prompt":[1,2,3]}`))

	if len(c.Choices) != 1 || c.Choices[0].TokenIDs != nil || c.Usage.CompletionTokens != 3 {
		t.Errorf("%+v", c)
	}
}

func TestAStreamIsTheSameHoweverItIsWritten(t *testing.T) {
	body := `{"prompt":[1],"stream":true,"stream_options":{"include_usage":true},"return_token_ids":true}`
	paced, flushed := newStub("m", 4, latency{ttft: time.Millisecond, tpot: time.Millisecond}, " w"), newStub("m", 4, latency{}, " w")
	flushed.flush = true
	var answers []string
	for _, s := range []*stub{newStub("m", 4, latency{}, " w"), paced, flushed} {
		server := httptest.NewServer(s.handler())
		answers = append(answers, post(t, server.URL, body))
		server.Close()
	}

	if answers[0] != answers[1] || answers[0] != answers[2] {
		t.Errorf("%s\nis not\n%s\nor\n%s", answers[0], answers[1], answers[2])
	}
	events := strings.Split(strings.TrimSuffix(answers[0], "\n\n"), "\n\n")
	if len(events) != 4+2 || events[5] != "data: [DONE]" {
		t.Fatal(answers[0])
	}
	if c := parse(t, strings.TrimPrefix(events[3], "data: ")); c.Choices[0].FinishReason != "length" || len(c.Choices[0].TokenIDs) != 1 {
		t.Errorf("last token: %+v", c)
	}
	if c := parse(t, strings.TrimPrefix(events[4], "data: ")); len(c.Choices) != 0 || c.Usage.CompletionTokens != 4 {
		t.Errorf("usage: %+v", c)
	}
}

func TestTokensAreNotSentEarly(t *testing.T) {
	server := httptest.NewServer(newStub("m", 3, latency{ttft: 30 * time.Millisecond, tpot: 10 * time.Millisecond}, " w").handler())
	defer server.Close()
	begun := time.Now()

	post(t, server.URL, `{"prompt":[1],"stream":true}`)

	if took := time.Since(begun); took < 50*time.Millisecond {
		t.Errorf("three tokens after %v", took)
	}
}

func TestCountsWhatItWasAskedAndWhatItSent(t *testing.T) {
	server := httptest.NewServer(newStub("m", 5, latency{}, " w").handler())
	defer server.Close()
	post(t, server.URL, `{"prompt":[1],"stream":true}`)
	post(t, server.URL, `{"prompt":[[1],[2],[3]]}`)

	var stats map[string]int
	if err := json.Unmarshal([]byte(get(t, server.URL+"/stub/stats")), &stats); err != nil {
		t.Fatal(err)
	}
	metrics := get(t, server.URL+"/metrics")

	for name, want := range map[string]int{"requests": 2, "completed": 2, "prompts": 4, "streams": 1, "events": 5, "cut": 0, "in_flight": 0, "max_in_flight": 1} {
		if got, ok := stats[name]; !ok || got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if stats["nanos"] <= 0 || stats["cpu_nanos"] <= 0 {
		t.Errorf("%v", stats)
	}
	if !strings.Contains(metrics, `vllm:generation_tokens_total{model_name="m"} 20`) {
		t.Errorf("%s", metrics)
	}
}

func TestAFlushedStreamIsAWriteForEachToken(t *testing.T) {
	s := newStub("m", 5, latency{}, " w")
	s.flush = true
	var w countingWriter

	s.stream(&w, &s.withIDs, true, time.Now(), new(send))

	// The last one leaves when the handler returns.
	if w.flushes != 4 {
		t.Errorf("%d flushes for 5 tokens", w.flushes)
	}
}

type countingWriter struct{ flushes int }

func (w *countingWriter) Header() http.Header         { return http.Header{} }
func (w *countingWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w *countingWriter) WriteHeader(int)             {}
func (w *countingWriter) Flush()                      { w.flushes++ }

func TestKeepsWhenAStreamWasSent(t *testing.T) {
	s := newStub("m", 3, latency{ttft: 20 * time.Millisecond, tpot: 5 * time.Millisecond}, " w")
	s.sends = new(sends)
	server := httptest.NewServer(s.handler())
	defer server.Close()
	before := s.clock.Now()
	post(t, server.URL, `{"model":"m-1","prompt": [1234, 5],"stream":true}`)
	after := s.clock.Now()

	lines := strings.Split(strings.TrimSpace(get(t, server.URL+"/stub/sends")), "\n")
	if len(lines) != 2 || lines[0] != "prompt,arrived_ns,first_ns,ended_ns" {
		t.Fatal(lines)
	}
	var prompt, arrived, first, ended int64
	if _, err := fmt.Sscanf(lines[1], "%d,%d,%d,%d", &prompt, &arrived, &first, &ended); err != nil {
		t.Fatal(err)
	}
	if prompt != 1234 || before > arrived || first-arrived < 20e6 || ended-arrived < 30e6 || ended > after {
		t.Errorf("%v, between %d and %d", lines[1], before, after)
	}
}

func TestKnowsAPromptByItsFirstNumber(t *testing.T) {
	for body, want := range map[string]int64{
		`{"max_tokens":9,"prompt":[17,3]}`: 17, `{"prompt": "w1000 w2"}`: 1000, `{"prompt":"none"}`: -1, `{}`: -1,
	} {
		if got := firstNumber([]byte(body)); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}
