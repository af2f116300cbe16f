"""The `tokenizers` library: tokenizer.py encode|encode_batch THREADS TOKENIZER TEXTS"""

import os
import sys
from pathlib import Path

from serving import serve

METHOD, THREADS, TOKENIZER, TEXTS = sys.argv[1:]
os.environ["RAYON_NUM_THREADS"] = THREADS
os.environ["TOKENIZERS_PARALLELISM"] = "true" if int(THREADS) > 1 else "false"

import tokenizers


def main():
    tokenizer = tokenizers.Tokenizer.from_file(TOKENIZER)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = Path(TEXTS).read_text().splitlines()

    def run_pass():
        if METHOD == "encode":
            for text in texts:
                tokenizer.encode(text)
        else:
            tokenizer.encode_batch(texts)
        return len(texts)

    tokens = sum(len(encoding.ids) for encoding in tokenizer.encode_batch(texts))
    serve(run_pass, f"tokenizers {tokenizers.__version__}, {len(texts)} texts, {tokens} tokens")


main()
