#!/usr/bin/env python3
"""Writes what the reference evaluators say of made inputs, for the tests of the module accuracy.

    python3 -m venv VENV && VENV/bin/pip install -r requirements.txt
    git clone https://github.com/mlcommons/inference INFERENCE   (commit b66003e1)
    VENV/bin/python reference.py --inference INFERENCE

It runs the real rouge_score, NLTK, tokenizers, transformers, pydantic, rapidfuzz and scikit-learn, and the functions of the
evaluation scripts of mlcommons/inference. All inputs are made by a seeded generator. With --punkt a copy of NLTK's English
parameters (punkt_tab/english) takes the place of made ones; such data must not be checked in.
"""

import argparse
import ast
import contextlib
import io
import json
import random
import shutil
import struct
import sys
import types
from pathlib import Path

WORDS = """the a an of to in on for with from by at as is was were are be been being has had have it its he she they we you this that these
those not no but and or if then than so because while after before during since until about against between into through over under again
police officer president minister government company market court judge school university hospital doctor patient child mother father
city country state river mountain island street house building bridge airport station train plane ship car driver passenger crash accident
attack bomb fire flood storm earthquake victim survivor rescue team player coach match goal season league champion record fans stadium
said told reported claimed announced denied confirmed agreed decided wanted hoped feared believed expected failed refused allowed
running jumped hoping hopped tanned falling hissing fizzed failing filing agreed plastered bled motoring sing conflated troubled sized
relational conditional rational valency hesitancy digitizer conformably radically differently vilely analogously vietnamization predication
operator feudalism decisiveness hopefulness callousness formality sensitivity sensibility triplicate formative formalize electricity electrical
hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption
homologou communism activate angularity homologous effective bowdlerize probate rate cease controlling rolling happy sky enjoy enjoyment spy
flies dies ties lies spied died tied dying lying skies news innings outing cannings howe proceed exceed succeed biology theology logical
geologist archaeology fully carefully beautifully usefully possibly probably notably feeding agreed needed proceeded exceeding yes day days
year years month months week weeks hour hours minute percent million billion thousand dollars pounds euros people person man woman men women
new old first last next early late high low big small long short good bad great little own other same different important public private""".split()
NAMES = "John Mary Smith London Paris Obama Bach Williams Johnson Chicago Madrid Tokyo Monday January CNN NASA İstanbul Ünal ǅepa Ⅷ".split()
ABBREVIATIONS = "U.S. Mr. Mrs. Dr. e.g. i.e. a.m. p.m. Inc. Corp. No. St. Jan. vs. etc. Ph.D. J. S. X. 3. 12. 3.5 1,000. -7 .5 co-op. ex-Gov.".split()
ENDS = [".", ".", ".", "?", "!", "...", "!!!", "?!", '."', ".)", ".]", ".'", '!")', ". . .", "--", ";", ":", ",", ""]
SPACES = [" "] * 30 + ["  ", "\n", "\n\n", "\t", "\r\n", "\xa0", "\u2003", "\x1c", "\x85", "\u2028", "", " \n "]
STRANGE = ["\u0301", "日本語", "。", "😀", "ſ", "\u212a", "٣٤", "½", "_", "``", "''", "*", "#5", "@home", "{x}", "[1]", "(a)", "\u200b", "\ufeff",
           "naïve", "Σίσυφος", "ﬁ", "\x00", "\u0130", "ß", "<n>", "…", "“quoted”", "don't", "it's", "co-operate", "9/11", "C++", "a1b2"]


class Texts:
    def __init__(self, rng):
        self.rng = rng

    def word(self):
        r = self.rng.random()
        if r < 0.74:
            word = self.rng.choice(WORDS)
            return word.capitalize() if self.rng.random() < 0.12 else word
        if r < 0.84:
            return self.rng.choice(NAMES)
        if r < 0.92:
            return self.rng.choice(ABBREVIATIONS)
        return self.rng.choice(STRANGE)

    def text(self, most):
        parts = []
        for _ in range(self.rng.randrange(most)):
            parts.append(self.word())
            if self.rng.random() < 0.15:
                parts.append(self.rng.choice(ENDS))
            parts.append(self.rng.choice(SPACES))
        return "".join(parts)

    def garbage(self, most):
        alphabet = "aA.?!\"')]}([{,;:- \n\t1xX*@#&`\u0301é\xa0"
        return "".join(self.rng.choice(alphabet) for _ in range(self.rng.randrange(most)))

    def any(self, most):
        return self.garbage(most) if self.rng.random() < 0.15 else self.text(most)

    def changed(self, text):
        """A text that shares much with another, as a summary does with its reference."""
        words = text.split(" ")
        kept = [w for w in words if self.rng.random() > 0.3]
        for _ in range(self.rng.randrange(4)):
            kept.insert(self.rng.randrange(len(kept) + 1), self.word())
        if self.rng.random() < 0.3:
            middle = self.rng.randrange(len(kept) + 1)
            kept = kept[middle:] + kept[:middle]
        return " ".join(kept)


def lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        for record in records:
            f.write(json.dumps(record, ensure_ascii=True) + "\n")


def stems(out, texts, cases):
    from nltk.stem.porter import PorterStemmer
    stemmer = PorterStemmer()
    endings = """s es ies sses ed eed ied ing ational tional enci anci izer bli abli alli entli eli ousli ization ation ator alism iveness fulness
        ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion ou ism
        ate iti ous ive ize e ll y ly alily ally""".split()
    rng = texts.rng
    words = set(w.lower() for w in WORDS)
    while len(words) < 8 * cases:
        stem = "".join(rng.choice("aeiouybcdfglmnprstvwxz1") for _ in range(rng.randrange(0, 6)))
        words.add(stem + rng.choice(endings) + (rng.choice(endings) if rng.random() < 0.3 else ""))
    with open(out / "stems.tsv", "w", newline="\n") as f:
        for word in sorted(w for w in words if w):
            f.write(f"{word}\t{stemmer.stem(word)}\n")


def rouge(out, texts, cases):
    from rouge_score import rouge_scorer
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = rouge_scorer.RougeScorer(names, use_stemmer=True)
    records = []
    for i in range(cases):
        target = texts.any(60)
        prediction = texts.changed(target) if i % 3 else texts.any(60)
        score = scorer.score(target, prediction)
        records.append({"target": target, "prediction": prediction, **{n: score[n].fmeasure for n in names}})
    lines(out / "rouge.jsonl", records)


def made_punkt(rng):
    from nltk.tokenize.punkt import PunktParameters
    params = PunktParameters()
    params.abbrev_types = {"u.s", "mr", "mrs", "dr", "e.g", "i.e", "a.m", "p.m", "inc", "corp", "no", "st", "jan", "vs", "etc", "ph.d", "gov"}
    params.collocations = {("##number##", "million"), ("j", "smith"), ("s", "bach"), ("st", "paul"), ("no", "##number##")}
    params.sent_starters = {"the", "he", "she", "it", "but", "in", "police", "they", "we"}
    for word in WORDS + [n.lower() for n in NAMES]:
        flags = 0
        for bit in range(1, 7):
            if rng.random() < 0.35:
                flags |= 1 << bit
        if flags:
            params.ortho_context[word] = flags
    return params


def sentences(out, texts, cases, punkt):
    from nltk.tokenize.punkt import PunktSentenceTokenizer, load_punkt_params, save_punkt_params
    folder = out / "punkt_tab" / "english"
    folder.mkdir(parents=True)
    if punkt:
        for file in Path(punkt).iterdir():
            shutil.copy(file, folder / file.name)
    else:
        save_punkt_params(made_punkt(texts.rng), str(folder))
        for file in folder.iterdir():
            file.write_text("\n".join(sorted(file.read_text().split("\n"))) + "\n")
    tokenizer = PunktSentenceTokenizer()
    tokenizer._params = load_punkt_params(str(folder))
    records = []
    for _ in range(2 * cases):
        text = texts.any(60).strip()
        records.append({"text": text, "sentences": tokenizer.tokenize(text)})
    lines(out / "sentences.jsonl", records)
    return tokenizer


def byte_level(texts):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=1500, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator([texts.any(80) for _ in range(2000)], trainer)
    for special in ["<|begin_of_text|>", "<|eot_id|>", "<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|return|>"]:
        tokenizer.add_special_tokens([AddedToken(special, special=True)])
    tokenizer.add_tokens([AddedToken("plain added", special=False), AddedToken("日本 added", special=False)])
    return tokenizer


def byte_fallback(texts):
    from tokenizers import AddedToken, Tokenizer, decoders, models
    vocab = {"<unk>": 0, "<s>": 1, "</s>": 2}
    for byte in range(256):
        vocab[f"<0x{byte:02X}>"] = len(vocab)
    for piece in ["▁", "▁▁", "▁▁▁", "a", "é", "日", "😀", "."] + ["▁" + w for w in WORDS] + WORDS:
        vocab.setdefault(piece, len(vocab))
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[], byte_fallback=True, unk_token="<unk>"))
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens([AddedToken(t, special=True) for t in ["<unk>", "<s>", "</s>"]])
    return tokenizer


def metaspace(texts, scheme):
    from tokenizers import AddedToken, Tokenizer, decoders, models
    vocab = [("<unk>", 0.0), ("</s>", 0.0)] + [(p, -1.0) for p in dict.fromkeys(["▁", "a", "é", "日"] + ["▁" + w for w in WORDS] + WORDS)]
    tokenizer = Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=False))
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    tokenizer.add_special_tokens([AddedToken("</s>", special=True)])
    return tokenizer


def no_decoder(texts):
    from tokenizers import Tokenizer, models
    return Tokenizer(models.WordLevel({w: i for i, w in enumerate(dict.fromkeys(WORDS))}, unk_token="the"))


def bytes_at_random(rng):
    """Characters with a byte changed, surrogates, overlong forms and what is beyond Unicode."""
    result = bytearray()
    for _ in range(rng.randrange(8)):
        part = bytearray(rng.choice(["é", "日", "😀", "a", "\U0010ffff"]).encode())
        if rng.random() < 0.5:
            part = bytearray(rng.choice([b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xc0\x80", b"\xe0\x9f\x80", b"\xf0\x8f\x80\x80", b"\xf4\x90\x80\x80",
                                         b"\xf5\x80\x80\x80", b"\xff", b"\x80", b"\xe1\x80", b"\xf1\x80\x80", b"\xc2"]))
        if rng.random() < 0.3:
            part[rng.randrange(len(part))] = rng.randrange(256)
        result += part
    return bytes(result)


def byte_alphabet():
    """The character that each byte has in a byte-level vocabulary."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xa1, 0xad), *range(0xae, 0x100)]
    moved = [b for b in range(256) if b not in printable]
    return {**{b: chr(b) for b in printable}, **{b: chr(256 + i) for i, b in enumerate(moved)}}


def tokenizers_(out, texts, cases):
    from transformers import PreTrainedTokenizerFast
    rng = texts.rng
    alphabet = byte_alphabet()
    made = {
        "byte-level": (byte_level(texts), None),
        "byte-level-cleaned": (byte_level(texts), True),
        "byte-level-not-cleaned": (byte_level(texts), False),
        "byte-fallback": (byte_fallback(texts), None),
        "metaspace-always": (metaspace(texts, "always"), None),
        "metaspace-never": (metaspace(texts, "never"), None),
        "no-decoder": (no_decoder(texts), None),
    }
    for name, (tokenizer, cleaned) in made.items():
        folder = out / "tokenizers" / name
        folder.mkdir(parents=True)
        tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
        config = {"tokenizer_class": "PreTrainedTokenizerFast"}
        if cleaned is not None:
            config["clean_up_tokenization_spaces"] = cleaned
            (folder / "tokenizer_config.json").write_text(json.dumps(config) + "\n")
        fast = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"),
                                       **({} if cleaned is None else {"clean_up_tokenization_spaces": cleaned}))
        size = tokenizer.get_vocab_size()
        records = []
        for i in range(cases // 2):
            if i % 3 == 0 and not name.startswith(("metaspace", "no-")):
                ids = tokenizer.encode(texts.any(30)).ids
                ids = ids[: rng.randrange(len(ids) + 1)]
            else:
                ids = [rng.randrange(size + (3 if rng.random() < 0.1 else 0)) for _ in range(rng.randrange(25))]
            if name == "byte-level" and i % 5 == 0:
                ids = [rng.randrange(256) for _ in range(12)]
            if name == "byte-level" and i % 5 == 1:
                ids = [tokenizer.token_to_id(alphabet[b]) for b in bytes_at_random(rng)]
            if name == "byte-fallback" and i % 2 == 0:
                ids = [rng.randrange(3 + 128, 3 + 256) if rng.random() < 0.7 else rng.randrange(size) for _ in range(12)]
            for skip in (False, True):
                records.append({"ids": ids, "skip": skip, "text": fast.decode(ids, skip_special_tokens=skip)})
        lines(folder / "decoded.jsonl", records)


def log(path, answers):
    """An accuracy log as LoadGen writes it, from pairs of a sample's index and its data."""
    entries = ['{ "seq_id" : %d, "qsl_idx" : %d, "data" : "%s", "token_data" : "", "token_count" : %d }'
               % (seq, index, data.hex().upper(), len(data) // 4) for seq, (index, data) in enumerate(answers)]
    path.write_text("[\n" + ",\n".join(entries) + "\n]\n")


def int32(ids):
    return struct.pack(f"<{len(ids)}i", *ids)


def summaries(out, texts, cases, punkt, inference):
    from transformers import PreTrainedTokenizerFast
    folder = out / "llama3.1-8b"
    folder.mkdir()
    shutil.copytree(out / "tokenizers" / "byte-level-cleaned", folder / "model")
    (folder / "model" / "decoded.jsonl").unlink()
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "model" / "tokenizer.json"), clean_up_tokenization_spaces=True)
    rows, answers = [], []
    for index in range(cases // 4):
        target = texts.any(50)
        rows.append({"input": "x", "tok_input": [1, 2, 3], "output": target})
        ids = tokenizer(texts.changed(target), add_special_tokens=False)["input_ids"][:128]
        answers.append((index, int32(ids)))
    texts.rng.shuffle(answers)
    answers = answers[: len(answers) - 3]
    answers.append((answers[0][0], int32([5, 6, 7])))
    (folder / "dataset.json").write_text(json.dumps(rows) + "\n")
    log(folder / "mlperf_log_accuracy.json", answers)

    expected = run_llama(inference, folder, folder / "model", punkt)
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def run_llama(inference, folder, model, punkt):
    """The script's main on a folder's log. What it is given instead of the real thing: punkt's parameters, and the four lines of
    the package evaluate that hand texts to rouge_score."""
    from rouge_score import rouge_scorer

    class Rouge:
        def compute(self, predictions, references, use_stemmer, use_aggregator):
            names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
            scorer = rouge_scorer.RougeScorer(rouge_types=names, use_stemmer=use_stemmer)
            scores = [scorer.score(target, prediction) for target, prediction in zip(references, predictions)]
            return {name: [score[name].fmeasure for score in scores] for name in names}

    for name, attributes in {
        "torch": {}, "torch.nn": {}, "torch.nn.functional": {"pad": None}, "torch.utils": {}, "torch.utils.data": {"DataLoader": None},
        "datasets": {"load_dataset": None, "load_from_disk": None}, "evaluate": {"load": lambda metric: Rouge()},
    }.items():
        module = types.ModuleType(name)
        module.__dict__.update(attributes)
        sys.modules[name] = module
    source = inference / "language" / "llama3.1-8b"
    sys.modules.pop("dataset", None)
    sys.path.insert(0, str(source))
    script = types.ModuleType("llama_evaluation")
    exec(compile((source / "evaluation.py").read_text(), "evaluation.py", "exec"), script.__dict__)
    script.nltk = types.SimpleNamespace(download=lambda name: None, sent_tokenize=punkt.tokenize)
    sys.argv = ["evaluation.py", "--mlperf-accuracy-file", str(folder / "mlperf_log_accuracy.json"), "--dataset-file",
                str(folder / "dataset.json"), "--dtype", "int32", "--model-name", str(model)]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        script.main()
    result = eval(printed.getvalue().split("Results\n\n")[1], {"np": __import__("numpy")})
    return {"samples": result["gen_num"],
            "scores": {**{name.upper(): float(result[name]) for name in ("rouge1", "rouge2", "rougeL", "rougeLsum")},
                       "GEN_LEN": int(result["gen_len"])}}


class Reasoned:
    """What a model may write of a question."""

    def __init__(self, texts):
        self.texts = texts

    def statement(self):
        rng = self.texts.rng
        letter = rng.choice("ABCDEFGHIJabcdkXYZ\u0131\u0130")
        number = str(rng.choice([rng.randrange(1200), "007", "٣٤", "12.", "12.5", "999", "1000", "9" * 30, "5a"]))
        space = rng.choice(["", " ", "  ", "\n", "\xa0", "\\n", "\x1c"])
        return rng.choice([
            letter, f"**{letter}**", f"({letter})", f"Answer:{space}{letter}", f"ANSWER{space}={space}({space}{letter}{space})", f"answer. {letter}.",
            f"FINAL{space}ANSWER:{space}{letter}", f"Final answer {letter}", f"['{letter}']", f'["{letter}"]', f"anſwer: {letter}", f"Answer:{letter}é",
            f"\\boxed{{{space}{number}{space}}}", f"Answer:{space}{number}", f"answer: {number}.", f"\\boxed{{x{{{number}}}}}", f"\\boxed{{{number}",
            f"```python\nprint({number})\n```", f"```\npy \n{letter}\n```", f"```{number}", f"```python```", f"```c\n{letter}``` ```", "Answer:",
            f"1. {letter}", f"é{letter}", f"_{letter}_", f"{letter}.", f"{letter} is right", f"The answer is {letter}", f"\\boxed{{{letter}}}", "''", "['"])

    def answer(self):
        rng = self.texts.rng
        def body():
            parts = [self.statement() if rng.random() < 0.5 else self.texts.any(8) for _ in range(rng.randrange(5))]
            return rng.choice([" ", "\n", ""]).join(parts)
        r = rng.random()
        if r < 0.1:
            return rng.choice(["", " ", "\n", "<|channel|>final<|message|>", "<|return|>"])
        if r < 0.35:
            return body()
        garbled = rng.choice(["", "", "", " 明", "537", "<", " json"])
        end = rng.choice(["<|return|>", "<|return|>", "", "<|end|>", "<|return|> more"])
        return (f"<|channel|>analysis<|message|>{body()}<|end|><|start|>assistant"
                f"<|channel|>final{garbled}<|message|>{rng.choice(['', ' ', chr(10)])}{body()}{end}")


def gpt_oss(out, texts, cases, inference):
    folder = out / "gpt-oss-120b"
    folder.mkdir()
    shutil.copytree(out / "tokenizers" / "byte-level", folder / "model")
    (folder / "model" / "decoded.jsonl").unlink()
    (folder / "model" / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}\n')
    sys.path.insert(0, str(inference / "language" / "gpt-oss-120b"))
    import eval_accuracy
    import eval_mlperf_accuracy
    reasoned = Reasoned(texts)
    rng = texts.rng
    records = []
    for _ in range(4 * cases):
        answer = reasoned.answer()
        records.append({
            "answer": answer,
            "gpqa": eval_accuracy.parse_multiple_choice(answer, "D"),
            "mmlu_pro": eval_accuracy.parse_multiple_choice(answer, "J"),
            "aime": eval_accuracy.parse_aime_answer(answer),
            "math500": eval_accuracy.parse_boxed_math(answer),
            "livecodebench": eval_accuracy.parse_code(answer),
        })
    lines(folder / "parsed.jsonl", records)

    from transformers import PreTrainedTokenizerFast
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "model" / "tokenizer.json"))
    rows, answers = [], []
    names = ["aime25", "GPQA_diamond", "mmlu_pro", "livecodebench_v6", "mmlu"]
    for index in range(cases):
        name = names[index % len(names)]
        truth = {"aime25": str(rng.randrange(30)), "livecodebench_v6": f"q{index}"}.get(name, rng.choice("ABCDabcd"))
        if rng.random() < 0.05:
            truth = None
        answer = reasoned.answer()
        if truth and rng.random() < 0.4:
            answer = {"aime25": f"so \\boxed{{{truth}}}", "livecodebench_v6": "```python\nx = 1\n```"}.get(name, f"Answer: {truth}")
        rows.append({"dataset": name, "ground_truth": truth})
        answers.append((index, int32(tokenizer(answer, add_special_tokens=False)["input_ids"])))
    rng.shuffle(answers)
    (folder / "dataset.json").write_text(json.dumps(rows) + "\n")
    log(folder / "mlperf_log_accuracy.json", answers)
    executed = {row: rng.random() < 0.5 for row in range(cases) if rows[row]["dataset"].startswith("live")}
    (folder / "executed.json").write_text(json.dumps(executed) + "\n")
    # The one thing that is replaced is the execution of programs.
    by_question = {rows[row]["ground_truth"]: passed for row, passed in executed.items() if rows[row]["ground_truth"]}
    expected = {name: run_gpt_oss(eval_mlperf_accuracy, folder, rows, verdict) for name, verdict in {
        "known": lambda question: by_question[question], "none": lambda question: False, "all": lambda question: True}.items()}
    expected["tokens_per_sample"] = sum(len(d) // 4 for _, d in answers) / len(answers)
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def run_gpt_oss(script, folder, rows, verdict):
    """The script's main on the log; programs pass by verdict."""
    import pandas as pd

    class Future:
        def __init__(self, result):
            self.value = result

        def result(self, timeout=None):
            return self.value

    class Executor:
        def __init__(self, max_workers=None):
            pass

        def submit(self, worker, item):
            code, question = item
            return Future((question, bool(code and question and verdict(question)), ""))

        def shutdown(self, wait=True):
            pass

    script.ProcessPoolExecutor = Executor
    script.as_completed = lambda futures, timeout=None: list(futures)
    script.load_lcb_benchmark = lambda: {}
    reference = folder / "reference.pkl"
    pd.DataFrame(rows).to_pickle(reference)
    result = folder / "result.json"
    sys.argv = ["eval", "--mlperf-log", str(folder / "mlperf_log_accuracy.json"), "--reference-data", str(reference),
                "--tokenizer", str(folder / "model"), "--output-file", str(result)]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        script.main()
    summary = json.loads(result.read_text())["summary"]
    reference.unlink()
    result.unlink()
    return {"exact_match": float(printed.getvalue().split("'exact_match': ")[1].split()[0]),
            "per_dataset": {n: {k: s[k] for k in ("correct", "total", "repeats")} for n, s in summary["per_dataset"].items()}}


def qwen_module(inference):
    """multimodal/qwen3-vl's evaluation.py with its real schema, but without the packages that only its command line needs."""
    source = inference / "multimodal" / "qwen3-vl" / "src" / "mlperf_inf_mm_q3vl"
    tree = ast.parse((source / "schema.py").read_text())
    wanted = {"BaseModelWithAttributeDescriptionsFromDocstrings", "ProductMetadata"}
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name in wanted]
    schema = types.ModuleType("q3vl.schema")
    sys.modules["q3vl.schema"] = schema
    exec("from pydantic import BaseModel, ConfigDict", schema.__dict__)
    exec(compile(ast.Module(classes, []), "schema.py", "exec"), schema.__dict__)
    for name, attributes in {"datasets": ["load_dataset"], "loguru": ["logger"], "tabulate": ["tabulate"]}.items():
        module = types.ModuleType(name)
        for attribute in attributes:
            setattr(module, attribute, None)
        sys.modules[name] = module
    package = types.ModuleType("q3vl")
    package.__path__ = [str(source)]
    sys.modules["q3vl"] = package
    evaluation = types.ModuleType("q3vl.evaluation")
    evaluation.__package__ = "q3vl"
    exec(compile((source / "evaluation.py").read_text(), "evaluation.py", "exec"), evaluation.__dict__)
    return evaluation


def qwen(out, texts, cases, inference):
    from rapidfuzz import fuzz
    folder = out / "qwen3-vl-235b-a22b"
    folder.mkdir()
    evaluation = qwen_module(inference)
    rng = texts.rng
    levels = ["Clothing", "Shirts", "Polo Shirts", "Toys & Games", "Home > Garden", " Pets", "Electronics ", "日用品", ""]
    def category():
        return rng.choice([" > ", " > ", " > ", ">", " >  "]).join(rng.choice(levels) for _ in range(rng.randrange(1, 5)))
    brands = ["adidas", "Giorgio Armani", "İkea", "ΣΊΣΥΦΟΣ", "", " nike ", "a-very-long-brand-name", "ab", "日本"]
    def near(text):
        characters = list(text)
        for _ in range(rng.randrange(3)):
            if characters and rng.random() < 0.5:
                characters.pop(rng.randrange(len(characters)))
            else:
                characters.insert(rng.randrange(len(characters) + 1), rng.choice("aeX "))
        return "".join(characters)
    def answer(row):
        value = {
            "category": row["ground_truth_category"] if rng.random() < 0.5 else category(),
            "brand": near(row["ground_truth_brand"]),
            "is_secondhand": rng.choice([True, False, 1, 0, 1.0, 0.0, 2, "true", "No", "y", "maybe", None, -0.0, "ON"])
            if rng.random() < 0.3 else rng.random() < 0.5,
        }
        r = rng.random()
        if r < 0.04:
            value["more"] = 1
        elif r < 0.08:
            value.pop(rng.choice(list(value)))
        elif r < 0.1:
            value["category"] = rng.choice([7, None, ["a"]])
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
        r = rng.random()
        if r < 0.04:
            text = text[: rng.randrange(len(text))]
        elif r < 0.08:
            text = rng.choice([text + " x", "```json\n" + text + "\n```", "\ufeff" + text, " \n" + text + "\t", text + text, text.replace('"', "'"), "[]",
                               "null", "7", '{"category": "\\ud800", "brand": "a", "is_secondhand": true}', text.replace("{", '{"category": "x", ', 1),
                               '{"category": "a\tb", "brand": "a", "is_secondhand": true}', text.replace("true", "TRUE"), text[:-1] + ",}",
                               '{"category": "a", "brand": "b", "is_secondhand": 01}', '{"category": "a", "brand": "b", "is_secondhand": 1e0}',
                               '{"category": "a", "brand": "b", "is_secondhand": 100000000000000000000}', "/* c */" + text])
        return text
    rows, answers, records, pairs = [], [], [], {"category": [], "brand": [], "secondhand": []}
    all_parsed = True
    for index in range(2 * cases):
        row = {"ground_truth_category": category(), "ground_truth_brand": rng.choice(brands), "ground_truth_is_secondhand": rng.random() < 0.4}
        rows.append(row)
        text = answer(row)
        answers.append((index, text.encode("utf-8")))
        try:
            parsed = evaluation.ProductMetadata.model_validate_json(text)
        except evaluation.ValidationError:
            parsed = None
        records.append({"answer": text, "parsed": parsed and parsed.model_dump()})
        if parsed is None:
            length = len(row["ground_truth_category"].split(" > "))
            parsed = evaluation.ProductMetadata(category=" > ".join([evaluation._PRED_CATEGORY_PAD] * length), brand=evaluation._PRED_BRAND_PAD,
                                                is_secondhand=not row["ground_truth_is_secondhand"])
        pairs["category"].append((parsed.category, row["ground_truth_category"]))
        pairs["brand"].append((parsed.brand, row["ground_truth_brand"]))
        pairs["secondhand"].append((parsed.is_secondhand, row["ground_truth_is_secondhand"]))
    lines(folder / "parsed.jsonl", records)
    (folder / "dataset.json").write_text(json.dumps(rows) + "\n")
    log(folder / "mlperf_log_accuracy.json", answers)
    expected = {
        "unparsable": sum(r["parsed"] is None for r in records),
        "scores": {"category_hierarchical_f1": evaluation.calculate_hierarchical_f1(pairs["category"]),
                   "brand_f1": evaluation.calculate_brand_f1_score(pairs["brand"]),
                   "is_secondhand_f1": float(evaluation.calculate_secondhand_f1(pairs["secondhand"]))},
    }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    ratios = []
    for _ in range(cases):
        a = texts.any(4)[:40]
        b = near(a) if rng.random() < 0.7 else texts.any(4)[:40]
        ratios.append({"a": a, "b": b, "ratio": fuzz.ratio(a, b)})
    lines(folder / "ratios.jsonl", ratios)


def margins(out, texts, cases, inference, punkt):
    """Where a reading of the references goes wrong: each kind was found to differ once."""
    out.mkdir()
    means(out, texts, cases)
    lower_case(out, texts, cases)
    letters_beyond_two_bytes(out, texts, cases, inference)
    json_at_its_edges(out, texts, cases, inference)
    named_tokens(out, texts, cases)
    halves(out, texts, cases, inference, punkt)


def means(out, texts, cases):
    """numpy adds in pairs, and rounds a product."""
    import numpy as np
    rng = texts.rng
    records = []
    for i in range(cases // 4):
        denominator = rng.choice([3, 5, 7, 41, 640, 16000])
        numerators = [rng.randrange(denominator + 1) for _ in range(rng.choice([1, 7, 8, 9, 127, 128, 129, 136, 257, rng.randrange(1, 400)]))]
        mean = np.mean([n / denominator for n in numerators])
        records.append({"numerators": numerators, "denominator": denominator, "mean": float(mean), "rounded": float(round(mean * 100, 4))})
    lines(out / "means.jsonl", records)


def lower_case(out, texts, cases):
    """A capital sigma among letters, marks, signs inside words and others."""
    rng = texts.rng
    around = list("aAΑΒσΣς1_-'’:.·,; ") + ["\u0301", "\u0345", "\u00ad", "\u02b0", "\u00a8", "\u0387", "\u2027", "\ufe13", "\uff0e", "\u01c5", "𝐀", "𝟏",
                                             "日", "ª", "Ⅷ", "ⓐ", "İ", "ẞ", "\u200d", "\u0f84"]
    texts_ = ["ΑΣ-Β", "Α1Σ", "ΑΣ1Α", "ΑΣ:Β", "ΑΣ·Β", "ΑΣ’Β", "A_Σ", "A·Σ", "Σ", "ΣΣ", "", "ΣΊΣΥΦΟΣ"]
    texts_ += ["".join(rng.choice(around) if rng.random() < 0.6 else "Σ" for _ in range(rng.randrange(1, 8))) for _ in range(2 * cases)]
    lines(out / "lower.jsonl", [{"text": text, "lower": text.lower()} for text in texts_])


def letters_beyond_two_bytes(out, texts, cases, inference):
    sys.path.insert(0, str(inference / "language" / "gpt-oss-120b"))
    import eval_accuracy
    rng = texts.rng
    records = []
    for _ in range(cases):
        before = rng.choice(["𝟏", "𠀀", "𝐱", "😀", "\U0001e900", "\U00010107", "\U0001f1e6", "a", "_", " ", ""])
        after = rng.choice(["", " ", "𝐱", "😀", ".", "𝟏"])
        letter = rng.choice("ABCDEFGHIJabc")
        answer = f"{rng.choice(['so x = ', 'text ', ''])}{before}" + rng.choice(
            [f"Answer: {letter}", f"answer: ({letter})", f"FINAL ANSWER {letter}", letter, f"{letter}{before}{letter}"]) + after
        records.append({"answer": answer, "gpqa": eval_accuracy.parse_multiple_choice(answer, "D"),
                        "mmlu_pro": eval_accuracy.parse_multiple_choice(answer, "J"), "aime": eval_accuracy.parse_aime_answer(answer)})
    lines(out / "choices.jsonl", records)


def json_at_its_edges(out, texts, cases, inference):
    """A value that a later one replaces has to be JSON all the same; what counts as that is pydantic's."""
    evaluation = qwen_module(inference)
    rng = texts.rng
    odd = ["NaN", "Infinity", "-Infinity", "+Infinity", "INF", "-INF", "-NaN", "nan", "[NaN]", '{"a": NaN}', "1e400", "1e-400", "-0", "01", "1.", ".5", "+1", "1e",
           "1e99999999999", "-", '"\\ud800"', '"\\udc00"', '"\\ud83d\\ude00"', '"\\ud83d\\ud83d"', '"\\ud83dx"', '{"\\ud800": 1}', '["\\udc00"]', '"\\u0000"', '"\x7f"',
           '"\t"', "'a'", "TRUE", "null", "[1,]", '{"a" 1}', "{1: 2}", "\ufeff1", "/**/1", '"\\x41"', '"\\/"', "[[], {}]", "true", "tru"]
    long = ["9" * 999, "9" * 1000, "9" * 4300, "9" * 4301, "-" + "9" * 4300, "-" + "9" * 4301, "1." + "0" * 999, "1." + "0" * 5000, "0." + "9" * 1500]
    deep = [o * n + v + c * n for n in (150, 198, 199, 200, 201, 300) for o, v, c in (("[", "", "]"), ("[", "1", "]"), ('{"a":', "1", "}"), ('{"a":', "{}", "}"))]
    records = []
    for value in odd + long + deep + [rng.choice(odd) for _ in range(cases // 4)]:
        name = rng.choice(["is_secondhand", "category", "brand"])
        for text in ('{"%s": %s, "category": "a > b", "brand": "c", "is_secondhand": true}' % (name, value),
                     '{"category": "a", "brand": "b", "is_secondhand": %s}' % value):
            try:
                parsed = evaluation.ProductMetadata.model_validate_json(text).model_dump()
            except evaluation.ValidationError:
                parsed = None
            records.append({"answer": text, "parsed": parsed})
    lines(out / "products.jsonl", records)


def named_tokens(out, texts, cases):
    """A token is special if any file says so, and one that the tokenizer does not have is added."""
    from tokenizers import Tokenizer, models
    from transformers import AutoTokenizer
    names = ["<bos>", "<eos>", "<pad>", "<x>", "<y>", "plain"]
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["a", "b", "c", "d", *names])}, unk_token="a"))
    def flags(content, special=True, **more):
        return {"content": content, "special": special, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False, **more}
    def added(content, special):
        return {"id": tokenizer.token_to_id(content), **flags(content, special)}
    def named(content):
        return {"__type": "AddedToken", **{k: v for k, v in flags(content).items() if k != "special"}}
    made = {
        "none": ([added("<eos>", False)], {}, None),
        "own": ([added("<eos>", True), added("<x>", False)], {}, None),
        "text": ([added("<eos>", False), added("<x>", False)], {"eos_token": "<eos>", "bos_token": None}, None),
        "object": ([added("<eos>", False)], {"eos_token": named("<eos>"), "pad_token": "<pad>"}, None),
        "additional": ([added("<x>", False)], {"additional_special_tokens": ["<x>", named("<y>")], "image_token": "<pad>"}, None),
        "unknown": ([added("<eos>", False)], {"eos_token": "<new>", "pad_token": "<other>", "bos_token": "<third>"}, None),
        "decoder": ([added("<x>", True), added("<y>", False)],
                    {"eos_token": "<eos>", "added_tokens_decoder": {"7": flags("<x>", False), "8": flags("<y>"), "20": flags("<far>", False), "3": flags("<near>")}},
                    {"pad_token": "<pad>"}),
        "map": ([added("<eos>", False), added("<x>", False)], {"eos_token": "<x>", "additional_special_tokens": ["<y>"]},
                {"eos_token": "<eos>", "pad_token": flags("<pad>"), "additional_special_tokens": ["<bos>"]}),
    }
    for name, (tokens, config, special_tokens) in made.items():
        folder = out / "tokenizers" / name
        folder.mkdir(parents=True)
        saved = json.loads(tokenizer.to_str())
        saved["added_tokens"] = tokens
        (folder / "tokenizer.json").write_text(json.dumps(saved) + "\n")
        config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, **config}
        (folder / "tokenizer_config.json").write_text(json.dumps(config) + "\n")
        if special_tokens:
            special_tokens = {k: {n: f for n, f in v.items() if n != "special"} if isinstance(v, dict) else v for k, v in special_tokens.items()}
            (folder / "special_tokens_map.json").write_text(json.dumps(special_tokens) + "\n")
        fast = AutoTokenizer.from_pretrained(str(folder), use_fast=False)
        records = []
        for i in range(24):
            ids = [i] if i < 16 else [texts.rng.randrange(16) for _ in range(texts.rng.randrange(20))]
            for skip in (False, True):
                records.append({"ids": ids, "skip": skip, "text": fast.decode(ids, skip_special_tokens=skip)})
        lines(folder / "decoded.jsonl", records)


def halves(out, texts, cases, inference, punkt):
    """Means that end in a five at the fifth digit: where Python's float and numpy's are rounded apart."""
    import numpy as np
    folder = out / "halves"
    folder.mkdir()
    from tokenizers import Tokenizer, models
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2}, unk_token="c"))
    (folder / "model").mkdir()
    tokenizer.save(str(folder / "model" / "tokenizer.json"), pretty=False)
    (folder / "model" / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}\n')
    # Of 128 samples a few have 0 to 5 of 250 words in common, and the others none or all of one: the mean is a number of 16,000ths.
    rng = texts.rng
    apart = []
    while len(apart) < max(2, cases // 100):
        common = [rng.randrange(6) for _ in range(4)] + [rng.choice([0, 125]) for _ in range(124)]
        mean = np.mean([n / 125 for n in common]) * 100
        if round(mean, 4) != round(float(mean), 4):
            apart.append(common)
    for number, common in enumerate(apart):
        group = folder / str(number)
        group.mkdir()
        rows, answers = [], []
        for index, words in enumerate(common):
            long = index < 4
            rows.append({"input": "x", "tok_input": [1], "output": " ".join("a" * 245) if long else "a"})
            answers.append((index, int32([0] * words + [1] * (5 - words) if long else [0 if words else 1])))
        (group / "dataset.json").write_text(json.dumps(rows) + "\n")
        log(group / "mlperf_log_accuracy.json", answers)
        (group / "expected.json").write_text(json.dumps(run_llama(inference, group, folder / "model", punkt)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inference", type=Path, required=True, help="a checkout of mlcommons/inference")
    parser.add_argument("--punkt", type=Path, help="a folder with NLTK's English parameters, instead of made ones")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "resources" / "reference")
    parser.add_argument("--cases", type=int, default=200, help="how many of each kind, more or less")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.out.exists():
        shutil.rmtree(options.out)
    options.out.mkdir(parents=True)
    texts = Texts(random.Random(options.seed))
    stems(options.out, texts, options.cases)
    rouge(options.out, texts, options.cases)
    punkt = sentences(options.out, texts, options.cases, options.punkt)
    tokenizers_(options.out, texts, options.cases)
    summaries(options.out, texts, options.cases, punkt, options.inference)
    gpt_oss(options.out, texts, options.cases, options.inference)
    qwen(options.out, texts, options.cases, options.inference)
    # Of a generator of their own, so that what they need moves none of the others.
    margins(options.out / "margins", Texts(random.Random(~options.seed)), options.cases, options.inference, punkt)


if __name__ == "__main__":
    main()
