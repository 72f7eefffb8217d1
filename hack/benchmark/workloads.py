"""What is asked of a client, and of the stub that it talks to."""

from dataclasses import dataclass, replace

MODEL = "gpt-oss-120b"  # a name that the Python harness knows; the stub answers to it

PROMPTS = 256
PROMPT_TOKENS = 256


@dataclass(frozen=True)
class Workload:
    """One LoadGen test.

    The stub sends the first token of an answer after ttft_ms and each further one after tpot_ms; with both 0
    it sends a whole answer in one write. rate is for Server (samples a second, for `seconds`), samples for
    Offline.
    """

    name: str
    scenario: str
    tokens: int
    ttft_ms: float = 0
    tpot_ms: float = 0
    streaming: bool = True
    batch: int = 1
    in_flight: int | None = None
    rate: float = 100
    seconds: float = 0
    samples: int = 2

    def at(self, rate, seconds):
        return replace(self, rate=rate, seconds=seconds)

    def of(self, samples):
        return replace(self, samples=samples)

    @property
    def answer_seconds(self):
        """How long the stub takes for an answer."""
        return (self.ttft_ms + self.tpot_ms * (self.tokens - 1)) / 1000


PACED = Workload("Server, a write for each token", "Server", tokens=64, ttft_ms=50, tpot_ms=10)
JOINED = Workload("Server, the stream in one write", "Server", tokens=64)
PLAIN = Workload("Offline, 64 in flight", "Offline", tokens=16, streaming=False, in_flight=64)
STREAMED = Workload("Offline, 64 in flight, streaming", "Offline", tokens=16, in_flight=64)
BATCHED = Workload("Offline, batches of 64", "Offline", tokens=16, streaming=False, batch=64, in_flight=1)


def dataset():
    """The rows of the dataset: the same prompts as token ids and as text of about the same length."""
    rows = []
    for i in range(PROMPTS):
        ids = [1000 + (i * 7919 + j * 104729) % 100000 for j in range(PROMPT_TOKENS)]
        rows.append({"text_input": " ".join(f"w{t}" for t in ids), "input_tokens": ids, "ref_output": ""})
    return rows
