"""fair-esm's ESM-2 as its users run it: esm2.py MODEL THREADS SEQUENCES EMBEDDINGS

Batches come from fair-esm's FastaBatchedDataset: sorted by length, padded, within a token budget.
The budget is the fastest of several, which are first tried on the same sequences.
"""

import sys
from pathlib import Path

from serving import serve, set_threads, timed

MODEL, THREADS, SEQUENCES, EMBEDDINGS = sys.argv[1:]
set_threads(int(THREADS))

import esm
import torch
from esm.model.esm2 import ESM2

import weights

SMALLEST_BUDGET = 128
TUNING_TOKENS = 1024  # per thread; also the largest budget

FAIR_NAMES = (
    ("attention.self.query", "self_attn.q_proj"),
    ("attention.self.key", "self_attn.k_proj"),
    ("attention.self.value", "self_attn.v_proj"),
    ("attention.self.rotary_embeddings", "self_attn.rot_emb"),
    ("attention.output.dense", "self_attn.out_proj"),
    ("attention.LayerNorm", "self_attn_layer_norm"),
    ("intermediate.dense", "fc1"),
    ("output.dense", "fc2"),
    ("LayerNorm", "final_layer_norm"),
)


def fair_name(name):
    """fair-esm's name for the tensor `name` of transformers' EsmModel."""
    if name == "embeddings.word_embeddings.weight":
        return "embed_tokens.weight"
    name = name.replace("encoder.emb_layer_norm_after", "emb_layer_norm_after")
    if not name.startswith("encoder.layer."):
        return name
    _, _, layer, rest = name.split(".", 3)
    for theirs, fair in FAIR_NAMES:
        if rest.startswith(theirs + "."):
            return f"layers.{layer}.{fair}{rest[len(theirs):]}"
    raise KeyError(name)


class Peer:
    def __init__(self, directory, sequences):
        settings = weights.config(directory)
        self.alphabet = esm.data.Alphabet.from_architecture("ESM-1b")
        self.layers = settings["num_hidden_layers"]
        self.model = ESM2(
            self.layers, settings["hidden_size"], settings["num_attention_heads"], self.alphabet
        ).eval()
        tensors = {fair_name(name): value for name, value in weights.read(directory).items()}
        missing, unexpected = self.model.load_state_dict(tensors, strict=False)
        assert not unexpected, unexpected
        assert all(name.startswith(("lm_head.", "contact_head.")) or "inv_freq" in name
                   for name in missing), missing
        self.sequences = sequences

    def batches(self, sequences, tokens_per_batch):
        data = esm.data.FastaBatchedDataset([""] * len(sequences), sequences)
        convert = self.alphabet.get_batch_converter()
        places = data.get_batch_indices(tokens_per_batch, extra_toks_per_seq=2)
        return [(place, convert([data[i] for i in place])[2]) for place in places]

    def run(self, batches):
        """The mean representation of each sequence, by the sequence's place."""
        means = {}
        with torch.no_grad():
            for places, tokens in batches:
                out = self.model(tokens, repr_layers=[self.layers])["representations"][self.layers]
                for row, place in enumerate(places):
                    means[place] = out[row, 1 : 1 + len(self.sequences[place])].mean(0)
        return means

    def best_budget(self, threads):
        some, tokens = [], 0
        for sequence in self.sequences:
            if tokens < TUNING_TOKENS * threads:
                some.append(sequence)
                tokens += len(sequence) + 2
        self.run(self.batches(some, SMALLEST_BUDGET))
        seconds = {}
        budget = SMALLEST_BUDGET
        while budget <= TUNING_TOKENS * threads:
            batches = self.batches(some, budget)
            seconds[budget] = min(timed(lambda: self.run(batches), threads) for _ in range(2))
            budget *= 2
        return min(seconds, key=seconds.get)


def main():
    torch.set_num_threads(int(THREADS))
    peer = Peer(Path(MODEL), Path(SEQUENCES).read_text().split())
    budget = peer.best_budget(int(THREADS))
    batches = peer.batches(peer.sequences, budget)
    means = peer.run(batches)
    torch.stack([means[i] for i in range(len(means))]).numpy().tofile(EMBEDDINGS)
    tokens = sum(len(sequence) + 2 for sequence in peer.sequences)
    padded = sum(tokens.numel() for _, tokens in batches)

    def run_pass():
        peer.run(batches)
        return tokens

    serve(run_pass, f"fair-esm 2.0.0, torch {torch.__version__},"
                    f" threads: {torch.get_num_threads()}, {budget} tokens a batch, {padded / tokens - 1:.0%} padding")


main()
