"""Makes the tiny model that the real servers serve: a Llama with random weights and a tokenizer of its own.

Everything is made here from fixed seeds and from texts of the installed packages, nothing is downloaded. The text that
such a model writes is noise; what surrounds it (HTTP, scheduling, batching, KV cache, token counts) is real.

usage: make_models.py DIR        makes DIR/tiny-llama
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

SEED = 6017
VOCABULARY = 4096
CONTEXT = 8192

# Trained into the tokenizer first, so that their ids are 0, 1 and 2 whatever the texts.
PADDING, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}"
    "{% else %}{% for part in message.content if part.type == 'text' %}{{ part.text }}{% endfor %}{% endif %}"
    "<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def texts() -> list[str]:
    """The licence texts of the installed packages, in a fixed order: the same for every installation of one list."""
    packages = Path(sysconfig.get_path("purelib"))
    files = sorted(packages.glob("*.dist-info/**/LICENSE*"))
    return [file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file()]


def train_tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level BPE of VOCABULARY tokens that encodes any text and decodes any id."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PADDING, TURN_START, TURN_END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    bpe.train_from_iterator(texts(), trainer)
    if bpe.get_vocab_size() != VOCABULARY:
        sys.exit(f"the texts gave {bpe.get_vocab_size()} tokens and {VOCABULARY} are needed")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token=TURN_END,
        pad_token=PADDING,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def make_llama(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """1.3 million weights in two layers, some milliseconds a token on one core."""
    torch.manual_seed(SEED)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=CONTEXT,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        # Separate output weights and a wide start: else the model repeats its last token for ever.
        tie_word_embeddings=False,
        initializer_range=0.3,
    )
    return LlamaForCausalLM(config).to(torch.bfloat16)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: make_models.py DIR")
    folder = Path(sys.argv[1]) / "tiny-llama"
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    tokenizer = train_tokenizer()
    make_llama(tokenizer).save_pretrained(part)
    tokenizer.save_pretrained(part)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    print(folder)


if __name__ == "__main__":
    main()
