"""The original's method, as a program for `virnucpro benchmark --vanilla-command`:
vanilla_program.py ESM2 DNABERT CLASSIFIER

Loads the files of `virnucpro utils export-weights` anew for each input file, as the original does.
Reads the FASTA file $INPUT and cuts its sequences into chunks of $CHUNK_SIZE. Writes tables and
embeddings to the folder $OUTPUT. Uses a GPU if there is one, in fp32 without TF32.
"""

import os
import sys
from pathlib import Path

import torch
import transformers

import dnabert_model
import frames
import original
import weights

sys.path.append(str(Path(__file__).parents[2] / "tests" / "oracle"))
import chunks_reference  # noqa: E402
import classifier_reference  # noqa: E402
import embedding_files  # noqa: E402
import tables_reference  # noqa: E402

ESM2, DNABERT, CLASSIFIER = map(Path, sys.argv[1:])
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def entries_and_frames(records, chunk_size):
    entries, found = [], []
    for number, record in enumerate(records):
        for chunk, (begin, end) in enumerate(chunks_reference.chunks(record.letters, chunk_size)):
            for frame in frames.frames(record.letters[begin:end]):
                name = f"{record.name}_chunk_{chunk + 1}{frame.name}"
                entries.append(tables_reference.FrameEntry(number, chunk, name))
                found.append(frame)
    return entries, found


def embeddings(found):
    """The embeddings of DNABERT-S and of ESM-2, each [frames, width]."""
    dnabert = dnabert_model.Model(DNABERT, DEVICE)
    tokens = frames.tokens([frame.nucleotides for frame in found], DNABERT / "tokenizer.json")
    dna = original.dnabert_means(dnabert, dnabert.batches(tokens, 1))
    esm2 = transformers.EsmModel.from_pretrained(ESM2, add_pooling_layer=False).eval().to(DEVICE)
    batches = original.padded_batches([frame.protein for frame in found], DEVICE)
    return torch.stack(dna), torch.stack(original.esm2_means(esm2, batches))


def main():
    records = frames.read_fasta(os.environ["INPUT"])
    entries, found = entries_and_frames(records, int(os.environ["CHUNK_SIZE"]))
    values = {name: tensor.numpy() for name, tensor in weights.read_file(CLASSIFIER).items()}
    classifier = classifier_reference.from_tensors(values)
    output = Path(os.environ["OUTPUT"])
    with torch.inference_mode():
        both = embeddings(found)
        embedding_files.write(output, [entry.id for entry in entries], *both)
        scores = classifier_reference.scores(classifier, torch.cat(both, 1)).numpy()
    (output / "prediction_results.txt").write_text(tables_reference.frame_table(entries, scores))
    (output / "prediction_results_highestscore.csv").write_text(
        tables_reference.consensus_table(tables_reference.chunk_scores(entries, scores)))


main()
