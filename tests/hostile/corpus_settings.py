"""Text settings: tokenizer.json, config.json, a shard index, the configuration."""

import json
import os
from pathlib import Path

from case import Case

DATA = Path(os.environ["VIRNUCPRO_SOURCE"]) / "tests" / "data" / "weights"
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")


def tokenizer_parts():
    """A small tokenizer.json like the published one, as an object for json.dumps."""
    vocabulary = {word: place for place, word in enumerate((*SPECIAL, *"ACGT", "AC", "GT", "ACGT"))}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [
            {"id": vocabulary[word], "content": word, "single_word": False, "lstrip": False,
             "rstrip": False, "normalized": False, "special": True} for word in SPECIAL],
        "normalizer": None, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [],
            "special_tokens": {word: {"id": word, "ids": [vocabulary[word]], "tokens": [word]}
                               for word in SPECIAL[1:]}},
        "decoder": None,
        "model": {"type": "BPE", "dropout": None, "unk_token": "[UNK]",
                  "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "vocab": vocabulary,
                  "merges": ["A C", "G T", "AC GT"]},
    }


def tokenizer():
    return json.dumps(tokenizer_parts())


def weights_of_dnabert_s(tokenizer_json=None, config_json=None):
    folder = DATA / "dnabert_s" / "safetensors"
    return {
        "model/tokenizer.json": tokenizer().encode() if tokenizer_json is None else tokenizer_json,
        "model/config.json": ((folder / "config.json").read_bytes() if config_json is None
                              else config_json),
        "model/model.safetensors": (folder / "model.safetensors").read_bytes(),
    }


def tokenizer_cases():
    def case(name, data, error, *says):
        return Case(f"tokenizer/{name}", "dnabert_s", weights_of_dnabert_s(tokenizer_json=data),
                    "model", error, says)

    def spoilt(spoil):
        parts = tokenizer_parts()
        spoil(parts)
        return json.dumps(parts).encode()

    def model(**members):
        return spoilt(lambda parts: parts["model"].update(members))

    def vocab(**members):
        return spoilt(lambda parts: parts["model"]["vocab"].update(members))

    refused = "tokenizer"
    yield case("good_as_it_is", tokenizer().encode(), None)
    yield case("empty", b"", "json", "tokenizer.json")
    yield case("cut", tokenizer().encode()[:-1], "json")
    yield case("nul_bytes", bytes(1000), "json", "byte")
    yield case("invalid_utf8", tokenizer().encode().replace(b'"AC"', b'"A\xff"'), "json")
    yield case("lone_surrogate", tokenizer().encode().replace(b'"AC"', b'"\\ud800"'), "json")
    yield case("utf16", tokenizer().encode("utf-16"), "tokenizer")
    yield case("deep", b'{"truncation":' + b"[" * 1_000_000, "json", "deeper")
    yield case("deep_objects", b'{"a":' * 100_000, "json|tokenizer")
    yield case("key_of_10_mb", lambda: b'{"' + b"k" * 10_000_000 + b'":1}', "json|tokenizer")
    yield case("key_of_7_mb", lambda: b'{"' + b"k" * 7_000_000 + b'":1}', refused)
    yield case("text_of_7_mb", lambda: model(unk_token="u" * 7_000_000), refused)
    yield case("number_of_a_million_digits", tokenizer().encode().replace(
        b'"[UNK]": 0', b'"[UNK]": ' + b"9" * 1_000_000), "json|tokenizer")
    yield case("number_1e400", tokenizer().encode().replace(b'"[UNK]": 0', b'"[UNK]": 1e400'),
               "json", "range")
    yield case("member_twice", tokenizer().encode().replace(b'"decoder"', b'"version"'), "json",
               '"version"')
    yield case("member_unknown", spoilt(lambda parts: parts.update(surprise=1)), refused,
               "surprise")
    yield case("an_array", b"[1, 2, 3]", refused)
    yield case("a_text", b'"tokenizer"', refused)
    yield case("null", b"null", refused)
    yield case("no_vocabulary", spoilt(lambda parts: parts["model"].pop("vocab")), refused)
    yield case("no_merges", spoilt(lambda parts: parts["model"].pop("merges")), refused, "merges")
    yield case("merges_empty", model(merges=[]), refused, "merges")
    yield case("vocabulary_an_array", model(vocab=["A", "C"]), refused, "vocab")
    yield case("id_negative", vocab(AC=-1), refused, "model.vocab.AC")
    yield case("id_2_63", vocab(AC=1 << 63), refused, "model.vocab.AC")
    yield case("id_65535", vocab(AC=65535), refused, "model.vocab.AC")
    yield case("id_sparse", vocab(AC=60000), "tokenizer|weights-format|weights-tensor")
    yield case("id_a_text", vocab(AC="7"), refused, "model.vocab.AC")
    yield case("id_a_fraction", vocab(AC=7.5), refused, "model.vocab.AC")
    yield case("id_twice", vocab(AC=3), refused, "token 3")
    yield case("ids_of_a_hundred_thousand", lambda: vocab(**{f"x{i}": i for i in range(100_000)}),
               refused)
    yield case("members_of_a_million", lambda: b"{" + b",".join(
        b'"%x":0' % i for i in range(900_000)) + b"}", "json|tokenizer")
    yield case("no_unknown", spoilt(lambda parts: parts["model"]["vocab"].pop("[UNK]")), refused,
               "[UNK]")
    yield case("merge_of_an_absent_token", model(merges=["A T", "A N"]), refused, "merges[0]")
    yield case("merge_makes_an_absent_token", model(merges=["A A"]), refused, "merges[0]", "AA")
    yield case("merge_before_its_parts", model(merges=["AC GT", "A C", "G T"]), refused, "model.merges[0]")
    yield case("merge_twice", model(merges=["A C", "A C"]), refused, "model.merges[1]")
    yield case("merges_in_a_circle", spoilt(lambda parts: parts["model"].update(
        vocab={**parts["model"]["vocab"], "CA": 10, "ACA": 11},
        merges=["ACA CA", "CA A", "A CA"])), refused)
    yield case("merge_of_one", model(merges=["A"]), refused, "merges[0]")
    yield case("merge_of_three", model(merges=[["A", "C", "G"]]), refused, "merges[0]")
    yield case("merge_a_number", model(merges=[7]), refused, "merges[0]")
    yield case("merge_of_nothing", model(merges=[" "]), refused, "merges[0]")
    yield case("merges_of_a_million", lambda: model(merges=["A C"] * 1_000_000), refused)
    yield case("empty_token", vocab(**{"": 10}), None)
    yield case("token_of_a_megabyte", lambda: vocab(**{"A" * 1_000_000: 10}), None)
    yield case("added_tokens_of_a_million", lambda: spoilt(lambda parts: parts.update(
        added_tokens=[{"id": 1, "content": "[CLS]"}] * 100_000)), refused, "256")
    yield case("added_token_of_white_space", spoilt(
        lambda parts: parts["added_tokens"][0].update(content="\n")), refused, "added_tokens[0]")
    yield case("added_token_of_another_id", spoilt(
        lambda parts: parts["added_tokens"][0].update(id=5)), refused, "added_tokens[0]")
    yield case("template_of_a_million", lambda: spoilt(lambda parts: parts["post_processor"].update(
        single=[{"Sequence": {"id": "A", "type_id": 0}}] * 150_000)), refused + "|json")
    yield case("template_ids_of_a_million", lambda: spoilt(
        lambda parts: parts["post_processor"]["special_tokens"]["[CLS]"].update(
            ids=[1] * 2_000_000)), refused, "ids[1]")
    yield case("of_another_kind", model(type="WordPiece"), refused, "WordPiece")
    yield case("normaliser", spoilt(lambda parts: parts.update(normalizer={"type": "NFC"})),
               refused, "normalizer")
    yield case("value_with_terminal_codes", model(type="\x1b[2J\x1b]0;owned\x07"), refused)


def config_json_cases():
    def case(name, data, error, *says):
        return Case(f"config_json/{name}", "dnabert_s", weights_of_dnabert_s(config_json=data),
                    "model", error, says)

    good = json.loads((DATA / "dnabert_s" / "safetensors" / "config.json").read_text())

    def having(**members):
        return json.dumps({**good, **members}).encode()

    wrong = "weights-format"
    yield case("good_as_it_is", json.dumps(good).encode(), None)
    yield case("empty", b"", "json", "config.json")
    yield case("cut", json.dumps(good).encode()[:-1], "json")
    yield case("deep", b'{"a":' * 1_000_000, "json", "deeper")
    yield case("member_twice", b'{"hidden_size": 12, "hidden_size": 12}', "json", "hidden_size")
    yield case("nan", json.dumps({**good, "layer_norm_eps": float("nan")}).encode(), "json")
    yield case("number_1e400", json.dumps(good).encode().replace(b"1e-12", b"1e400"), "json")
    yield case("key_of_10_mb", lambda: b'{"' + b"k" * 10_000_000 + b'":1}', "json")
    yield case("members_of_a_million", lambda: b"{" + b",".join(
        b'"%x":0' % i for i in range(900_000)) + b"}", "json")
    for name, members in (
        ("heads_zero", dict(num_attention_heads=0)),
        ("heads_negative", dict(num_attention_heads=-3)),
        ("heads_2_62", dict(num_attention_heads=1 << 62)),
        ("heads_not_dividing", dict(num_attention_heads=5)),
        ("heads_a_text", dict(num_attention_heads="3")),
        ("heads_a_fraction", dict(num_attention_heads=3.5)),
        ("layers_zero", dict(num_hidden_layers=0)),
        ("layers_negative", dict(num_hidden_layers=-1)),
        ("layers_2_62", dict(num_hidden_layers=1 << 62)),
        ("width_2_32_more", dict(hidden_size=12 + (1 << 32))),
        ("width_another", dict(hidden_size=13)),
        ("vocabulary_another", dict(vocab_size=1 << 40)),
        ("feed_forward_another", dict(intermediate_size=15)),
        ("eps_zero", dict(layer_norm_eps=0)),
        ("eps_negative", dict(layer_norm_eps=-1e-12)),
        ("eps_large", dict(layer_norm_eps=1e300)),
        ("eps_a_text", dict(layer_norm_eps="small")),
        ("kind_another", dict(model_type="llama")),
        ("kind_of_1_mb", dict(model_type="x" * 1_000_000)),
        ("kind_a_list", dict(hidden_act=[1])),
        ("kind_a_number", dict(hidden_act=1)),
    ):
        yield case(name, having(**members), None if name == "kind_a_list" else wrong)
    yield case("layers_4096", having(num_hidden_layers=4096), "weights-tensor", "layer.2")
    for name, text in (("an_array", b"[]"), ("settings_in_an_array", json.dumps([good]).encode()),
                       ("a_text", b'"bert"'), ("a_number", b"3"), ("null", b"null")):
        yield case(name, text, "weights-format", "config.json", "not a JSON object")
    yield case("remote_code", having(auto_map={"AutoModel": "evil.Model"}), None)


def yaml_cases():
    def case(name, data, error="config", *says):
        return Case(f"yaml/{name}", "config", {"x.yaml": data}, error=error, says=says)

    laughs = b"a: &a [x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join([b"*" + bytes([97 + i])] * 10))
        for i in range(9))
    yield case("billion_laughs", laughs, "config", "line 2", "aliases")
    yield case("alias_unknown", b"run: *nothing\n")
    yield case("alias_within_itself", b"run: &a [*a]\n")
    yield case("merge_key", b"run: &a {threads: 1}\nprediction:\n  <<: *a\n", "config", "aliases")
    yield case("python_object", b"run: !!python/object/apply:os.system ['touch canary']\n", "config",
               "line 1")
    yield case("python_name", b"run:\n  threads: !!python/name:os.system 1\n", None)
    yield case("python_new", b"!!python/object/new:os.system [touch canary]\n")
    yield case("deep_flow", b"run: " + b"[" * 100_000, "config", "line 1")
    yield case("deep_maps", b"run: " + b"{a: " * 50_000)
    yield case("deep_blocks", b"".join(b" " * i + b"a:\n" for i in range(1000)))
    yield case("deep_dashes", b"run:\n" + b"- " * 100_000)
    yield case("deep_questions", b"? " * 100_000)
    yield case("nul_byte", b"run:\n  threads: 1\0\n")
    yield case("nul_bytes", bytes(1000))
    yield case("invalid_utf8", b"run:\n  \xff\xfe: 1\n", None)
    yield case("utf16_odd", b"\xff\xfer\0u\0n\0:")
    yield case("key_of_a_megabyte", b"k" * 1_000_000 + b": 1\n")
    yield case("key_of_1000", b"k" * 1000 + b": 1\n", None)
    yield case("two_megabytes", b"# comment\n" * 200_000)
    yield case("a_hundred_thousand_keys", b"".join(b"k%d: 1\n" % i for i in range(100_000)), None)
    yield case("key_twice", b"run:\n  threads: 1\n  threads: 2\n", "config", "run.threads", "twice")
    yield case("two_documents", b"run: {threads: 1}\n---\nrun: {threads: 2}\n", "config",
               "second document")
    yield case("tab_indented", b"run:\n\tthreads: 1\n")
    yield case("quote_without_end", b'run: "threads\n')
    yield case("flow_without_end", b"run: {threads: 1\n")
    yield case("anchor_without_name", b"run: &\n")
    yield case("directive_unknown", b"%YAML 99.99\n---\nrun: {threads: 1}\n")
    yield case("threads_negative", b"run: {threads: -1}\n", "config", "run.threads", "line 1")
    yield case("threads_2_64", b"run: {threads: 18446744073709551616}\n", "config", "run.threads")
    yield case("threads_1e400", b"run: {threads: 1e400}\n", "config", "run.threads")
    yield case("threads_a_list", b"run: {threads: [1]}\n", "config", "run.threads")
    yield case("threads_a_map", b"run: {threads: {a: 1}}\n", "config", "run.threads")
    yield case("threshold_nan", b"run: {threshold: .nan}\n", "config", "run.threshold")
    yield case("section_a_number", b"run: 1\n", "config", "run")
    yield case("a_list", b"- run\n- threads\n")
    yield case("a_scalar", b"threads\n")
    yield case("value_with_terminal_codes", b'run: {threads: "\\e[2J\\a"}\n', "config",
               "run.threads")
    yield case("models_dir_that_is_no_folder", b"run: {models_dir: ../../../etc/passwd}\n", "config",
               "run.models_dir")


def cases():
    for part in (tokenizer_cases, config_json_cases, yaml_cases):
        yield from part()
