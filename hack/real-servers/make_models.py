"""Makes the tiny models that the real servers serve: a Llama and a Qwen3-VL, with random weights and own tokenizers.

Everything is made here from fixed seeds and from texts of the installed packages, nothing is downloaded. The text that
such a model writes is noise; what surrounds it (HTTP, scheduling, batching, images, KV cache, token counts) is real.

usage: make_models.py DIR        makes DIR/tiny-llama and DIR/tiny-qwen3-vl
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2VLImageProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

SEED = 6017
VOCABULARY = 4096
CONTEXT = 8192

# Trained into the tokenizer first, so that their ids are 0, 1 and 2 whatever the texts.
PADDING, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"

# The names by which vLLM and transformers find where an image or a video goes. Both want the video's, used or not.
VISION_START, VISION_END, IMAGE, VIDEO = "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"

TEXT_TEMPLATE = (
    "{% for message in messages %}"
    "<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}"
    "{% else %}{% for part in message.content if part.type == 'text' %}{{ part.text }}{% endfor %}{% endif %}"
    "<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

# A part of another kind than text is an image. The server puts as many image tokens as the image has in place of one.
VISION_TEMPLATE = (
    "{% for message in messages %}"
    "<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}"
    "{% else %}{% for part in message.content %}{% if part.type == 'text' %}{{ part.text }}"
    "{% else %}<|vision_start|><|image_pad|><|vision_end|>{% endif %}{% endfor %}{% endif %}"
    "<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def texts() -> list[str]:
    """The licence texts of the installed packages, in a fixed order: the same for every installation of one list."""
    packages = Path(sysconfig.get_path("purelib"))
    files = sorted(packages.glob("*.dist-info/**/LICENSE*"))
    return [file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file()]


def train_tokenizer(chat_template: str, *further_tokens: str) -> PreTrainedTokenizerFast:
    """A byte-level BPE of VOCABULARY tokens that encodes any text and decodes any id."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PADDING, TURN_START, TURN_END, *further_tokens],
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
    tokenizer.chat_template = chat_template
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


def make_qwen3_vl(tokenizer: PreTrainedTokenizerFast) -> Qwen3VLForConditionalGeneration:
    """A language model like the Llama above and a vision tower of three layers, of which two feed the first layers."""
    torch.manual_seed(SEED)
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": VOCABULARY,
            "hidden_size": 128,
            "intermediate_size": 256,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 32,
            "max_position_embeddings": CONTEXT,
            # Time, height and width share the 16 rotations of a head.
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 500000.0,
                "mrope_section": [6, 5, 5],
                "mrope_interleaved": True,
            },
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
            "initializer_range": 0.3,
        },
        vision_config={
            "depth": 3,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_heads": 2,
            "out_hidden_size": 128,
            "num_position_embeddings": 256,
            "deepstack_visual_indexes": [0, 1],
            "initializer_range": 0.3,
        },
        image_token_id=tokenizer.convert_tokens_to_ids(IMAGE),
        video_token_id=tokenizer.convert_tokens_to_ids(VIDEO),
        vision_start_token_id=tokenizer.convert_tokens_to_ids(VISION_START),
        vision_end_token_id=tokenizer.convert_tokens_to_ids(VISION_END),
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
    )
    return Qwen3VLForConditionalGeneration(config).to(torch.bfloat16)


def make_processor(tokenizer: PreTrainedTokenizerFast) -> Qwen3VLProcessor:
    """Turns an image into at most 256 tokens, each a square of 32 by 32 pixels."""
    pixels = {"shortest_edge": 32 * 32, "longest_edge": 512 * 512}
    scale = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
    patches = {"patch_size": 16, "temporal_patch_size": 2, "merge_size": 2}
    return Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=pixels, **scale, **patches),
        video_processor=Qwen3VLVideoProcessor(size=pixels, **scale, **patches),
        tokenizer=tokenizer,
        chat_template=tokenizer.chat_template,
    )


def save(folder: Path, model: PreTrainedModel, words: PreTrainedTokenizerFast | Qwen3VLProcessor) -> None:
    """Replaces a folder once everything is in it."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    model.save_pretrained(part)
    words.save_pretrained(part)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    print(folder)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: make_models.py DIR")
    models_folder = Path(sys.argv[1])
    tokenizer = train_tokenizer(TEXT_TEMPLATE)
    save(models_folder / "tiny-llama", make_llama(tokenizer), tokenizer)
    tokenizer = train_tokenizer(VISION_TEMPLATE, VISION_START, VISION_END, IMAGE, VIDEO)
    save(models_folder / "tiny-qwen3-vl", make_qwen3_vl(tokenizer), make_processor(tokenizer))


if __name__ == "__main__":
    main()
