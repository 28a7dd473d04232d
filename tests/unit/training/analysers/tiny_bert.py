"""A BERT of a few numbers in the format of Hugging Face, with random weights and a tokeniser of eight pieces."""

from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import Lowercase
from transformers import BertConfig, BertModel

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "dog", "cat", "##s", "run", "sleep"]
POSITIONS = 12


def write_bert(folder: Path) -> Path:
    """Write the model to ``folder`` and return it."""
    torch.manual_seed(7)
    folder.mkdir(parents=True)
    config = BertConfig(
        vocab_size=len(PIECES),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=POSITIONS,
    )
    model = BertModel(config, add_pooling_layer=False)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    config.save_pretrained(folder)
    save_file({name: tensor.clone() for name, tensor in model.state_dict().items()}, folder / "model.safetensors")
    tokeniser = Tokenizer(WordPiece({piece: number for number, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    tokeniser.normalizer = Lowercase()
    tokeniser.save(str(folder / "tokenizer.json"))
    return folder
