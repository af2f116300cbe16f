"""Model files: safetensors, shard indexes, ZIPs of torch.save and their pickles."""

import io
import json
import os
import pickle
import struct
import zipfile
import zlib
from pathlib import Path

from case import Case

DATA = Path(os.environ["VIRNUCPRO_SOURCE"]) / "tests" / "data" / "weights"
FORMAT, CUT, DAMAGED = "weights-format", "weights-truncated", "weights-corrupt"
TENSOR, NAN, FORBIDDEN = "weights-tensor", "weights-not-finite", "pickle-forbidden"
LARGE = "pickle-too-large"
HUGE = 1 << 63

# The classifier's tensors, for the two small models of tests/data/weights.
SHAPES = {
    "hidden_layer.weight": (6, 20), "hidden_layer.bias": (6,), "bn1.weight": (6,),
    "bn1.bias": (6,), "bn1.running_mean": (6,), "bn1.running_var": (6,),
    "output_layer.weight": (2, 6), "output_layer.bias": (2,),
}


def count_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def numbers(count, value=0.5):
    return struct.pack("<f", value) * count


# --- safetensors ---------------------------------------------------------------------------------
def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def classifier_header():
    header, end = {}, 0
    for name, shape in SHAPES.items():
        begin, end = end, end + 4 * count_of(shape)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [begin, end]}
    return header, end


def spoilt_classifier(spoil, value=0.5, tail=0):
    """A classifier with a header that `spoil` has changed."""
    header, end = classifier_header()
    spoil(header)
    return safetensors(header, numbers(end // 4 + tail, value))


def with_member(name, **members):
    return spoilt_classifier(lambda header: header[name].update(members))


def with_value(name, value):
    """A classifier with one number changed, the last of a tensor."""
    header, end = classifier_header()
    data = bytearray(numbers(end // 4))
    place = header[name]["data_offsets"][1] - 4
    data[place:place + 4] = struct.pack("<f", value)
    return safetensors(header, bytes(data))


def one(dtype="F32", shape=(1,), offsets=(0, 4), data=bytes(4)):
    return safetensors({"a": {"dtype": dtype, "shape": list(shape),
                              "data_offsets": list(offsets)}}, data)


def safetensors_cases():
    def case(name, data, error, *says):
        return Case(f"safetensors/{name}", "classifier", {"x.safetensors": data}, error=error,
                    says=says)

    bias, weight = "hidden_layer.bias", "hidden_layer.weight"
    yield case("empty", b"", CUT)
    yield case("length_only", struct.pack("<Q", 2), CUT)
    yield case("length_2_60", safetensors(b"{}", length=1 << 60), FORMAT, str(1 << 60))
    yield case("length_all_ones", safetensors(b"{}", length=(1 << 64) - 1), FORMAT)
    yield case("length_behind_the_end", safetensors(b"{}", length=1000), CUT)
    yield case("length_zero", safetensors(b"{}", length=0), "json")
    yield case("not_json", safetensors(b"{" * 100), "json")
    yield case("an_array", safetensors(b"[1]" + b" " * 20), FORMAT)
    yield case("invalid_utf8", safetensors(b'{"\xff\xfe":{}}' + b" " * 20), "json")
    yield case("deep", safetensors(b'{"a":' * 5000 + b"1" + b"}" * 5000), "json|weights-format")
    yield case("deep_metadata",
               safetensors(b'{"__metadata__":' + b"[" * 100000 + b"]" * 100000 + b"}"), "json",
               "deeper")
    yield case("number_1e400", safetensors(
        b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,1e400]}}', bytes(4)), "json", "range")
    yield case("name_of_10_mb", lambda: safetensors({"n" * 10_000_000: {}}), FORMAT)
    yield case("name_of_7_mb", lambda: safetensors({"n" * 7_000_000: {}}), FORMAT)
    yield case("half_a_million_names",
               lambda: safetensors(("{" + ",".join(f'"{i:x}":{{}}' for i in range(500_000)) + "}")
                                   .encode()), "json|weights-format")
    yield case("same_name_twice", safetensors(
        b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
        b'"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', bytes(8)), "json", '"a"')
    yield case("name_of_control_codes", one().replace(b'"a"', b'"\x7f"'), FORMAT + "|" + TENSOR)
    yield case("name_with_terminal_codes",
               safetensors({"\x1b]0;owned\x07\x1b[2J": {"dtype": "F32"}}), FORMAT)
    yield case("dtype_unknown", with_member(bias, dtype="F4"), FORMAT, bias, "F4")
    yield case("dtype_a_number", with_member(bias, dtype=7), FORMAT, bias)
    yield case("dtype_of_1_mb", with_member(bias, dtype="F" * 1_000_000), FORMAT, bias)
    yield case("dtype_not_of_weights", with_member(bias, dtype="I32"), TENSOR, bias, "I32")
    yield case("no_dtype", spoilt_classifier(lambda h: h[bias].pop("dtype")), FORMAT, bias)
    yield case("no_shape", spoilt_classifier(lambda h: h[bias].pop("shape")), FORMAT, bias)
    yield case("no_offsets", spoilt_classifier(lambda h: h[bias].pop("data_offsets")), FORMAT, bias)
    yield case("shape_negative", with_member(bias, shape=[-6]), FORMAT, bias)
    yield case("shape_fraction", with_member(bias, shape=[6.0]), FORMAT, bias)
    yield case("shape_2_63", with_member(bias, shape=[HUGE]), FORMAT, bias)
    yield case("shape_2_64", with_member(bias, shape=[1 << 64]), FORMAT, bias)
    yield case("shape_product_overflows", with_member(bias, shape=[1 << 32, 1 << 32]), FORMAT, bias)
    yield case("shape_wraps_to_its_size", with_member(bias, shape=[6, (1 << 62) + 1]), FORMAT, bias)
    yield case("shape_of_nine", with_member(bias, shape=[1] * 8 + [6]), FORMAT, bias)
    yield case("shape_a_text", with_member(bias, shape="6"), FORMAT, bias)
    yield case("shape_nested", with_member(bias, shape=[[6]]), FORMAT, bias)
    yield case("offsets_three", with_member(bias, data_offsets=[480, 504, 508]), FORMAT, bias)
    yield case("offsets_reversed", with_member(bias, data_offsets=[504, 480]), FORMAT)
    yield case("offsets_overlap", with_member(bias, data_offsets=[476, 500]), FORMAT)
    yield case("offsets_leave_a_hole", with_member(bias, data_offsets=[484, 508]), FORMAT)
    yield case("offsets_behind_the_end", spoilt_classifier(lambda h: None, tail=-1), CUT,
               "output_layer.bias")
    yield case("offsets_2_63", with_member(bias, data_offsets=[HUGE, HUGE + 24]), FORMAT)
    yield case("offsets_negative", with_member(bias, data_offsets=[-24, 0]), FORMAT, bias)
    yield case("bytes_behind_the_last", spoilt_classifier(lambda h: None, tail=1), FORMAT)
    yield case("member_unknown", with_member(bias, extra=1), FORMAT, bias)
    yield case("nan", with_value("bn1.weight", float("nan")), NAN, "bn1.weight", "element 5")
    yield case("infinity", with_value(weight, float("-inf")), NAN, weight, "element 119")
    yield case("variance_negative", with_value("bn1.running_var", -1e-9), TENSOR, "bn1.running_var")
    yield case("tensor_missing", spoilt_classifier(
        lambda h: h.update(other=h.pop("bn1.bias"))), TENSOR, "bn1.bias", "missing")
    yield case("tensor_misshapen", with_member("hidden_layer.weight", shape=[20, 6]), TENSOR)
    yield case("scalar_for_a_matrix", with_member("output_layer.weight", shape=[12]), TENSOR,
               "output_layer.weight")
    yield case("no_tensors", safetensors(b"{}" + b" " * 10), TENSOR, "hidden_layer.weight")
    yield case("of_another_model", (DATA / "esm2/hf_safetensors/model.safetensors").read_bytes(),
               TENSOR, "hidden_layer.weight")


# --- the index of shards -------------------------------------------------------------------------
def index_cases():
    shards = DATA / "esm2" / "hf_safetensors_sharded"
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    index = json.loads((shards / "model.safetensors.index.json").read_text())

    def case(name, text, error, *says, leave_out=()):
        files = {"model/model.safetensors.index.json": text}
        for file in ("config.json", first, second):
            if file not in leave_out:
                files[f"model/{file}"] = (shards / file).read_bytes()
        return Case(f"index/{name}", "esm2", files, "model", error, says)

    def with_shard(file):
        weight_map = dict(index["weight_map"])
        weight_map[next(iter(weight_map))] = file
        return json.dumps({"weight_map": weight_map}).encode()

    good = json.dumps(index).encode()
    yield case("shard_missing", good, "weights-missing", second, leave_out=(second,))
    yield case("path_upwards", with_shard("../../etc/passwd"), FORMAT, "no usable file name")
    yield case("path_absolute", with_shard("/etc/passwd"), FORMAT, "no usable file name")
    yield case("shard_is_the_folder", with_shard(".."), FORMAT, "no usable file name")
    yield case("shard_is_the_index", with_shard("model.safetensors.index.json"), FORMAT)
    yield case("shard_is_the_config", with_shard("config.json"), FORMAT)
    yield case("shard_name_of_1_mb", with_shard("n" * 1_000_000), FORMAT)
    yield case("shard_name_with_nul", with_shard("a\0b"), "weights-missing|weights-format")
    yield case("shard_name_a_number", with_shard(7), FORMAT)
    yield case("no_weight_map", b'{"metadata": {}}', FORMAT, "weight_map")
    yield case("empty", b"", "json")
    yield case("deep", b"[" * 100000, "json", "deeper")
    yield case("a_tensor_left_out", json.dumps({"weight_map": {"x": first}}).encode(), TENSOR)
    yield Case("index/same_tensor_in_two_shards", "esm2", {
        "model/model.safetensors.index.json": good,
        "model/config.json": (shards / "config.json").read_bytes(),
        f"model/{first}": (shards / first).read_bytes(),
        f"model/{second}": (shards / first).read_bytes()}, "model", FORMAT, ("two shards",))


# --- pickles, written opcode by opcode -----------------------------------------------------------
PROTO = b"\x80\x02"


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return b"X" + struct.pack("<I", len(value)) + value


def whole(value):
    """An integer of any size up to 255 bytes."""
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def tuple_of(*parts):
    return b"(" + b"".join(parts) + b"t"


def named(module, name):
    return f"c{module}\n{name}\n".encode()


def storage(key="0", elements=1, kind="FloatStorage"):
    return tuple_of(text("storage"), named("torch", kind), text(key), text("cpu"),
                    whole(elements)) + b"Q"


def tensor(key, shape, strides=None, offset=0, elements=None, kind="FloatStorage"):
    if strides is None:
        strides = [count_of(shape[i + 1:]) for i in range(len(shape))]
    elements = count_of(shape) if elements is None else elements
    arguments = (storage(key, elements, kind), whole(offset), tuple_of(*map(whole, shape)),
                 tuple_of(*map(whole, strides)), b"\x89", b"}")
    return named("torch._utils", "_rebuild_tensor_v2") + tuple_of(*arguments) + b"R"


def dict_of(members):
    return b"}(" + b"".join(text(name) + value for name, value in members.items()) + b"u"


def torch_zip(data_pkl, storages=None, folder="a", compress=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compress) as archive:
        archive.writestr(zipfile.ZipInfo(f"{folder}/data.pkl"), data_pkl, compress)
        for key, data in (storages or {}).items():
            archive.writestr(zipfile.ZipInfo(f"{folder}/data/{key}"), data, compress)
    return buffer.getvalue()


def storages_of(value=0.5):
    return {str(i): numbers(count_of(shape), value) for i, shape in enumerate(SHAPES.values())}


def state_dict(**changed):
    """The pickle of a classifier's state dict; `changed` replaces tensors by place."""
    members = {}
    for i, (name, shape) in enumerate(SHAPES.items()):
        members[name] = changed.get(f"t{i}", tensor(str(i), shape))
    return PROTO + dict_of(members) + b"."


class Payload:
    """An object whose unpickling calls a function."""

    def __init__(self, call, *arguments):
        self.call, self.arguments = call, arguments

    def __reduce__(self):
        return self.call, self.arguments


def payloads():
    """Pickles that would make a file "canary" if they were run."""
    touch = "touch canary"
    for protocol in (0, 1, 2, 3, 4, 5):
        yield (f"system_protocol_{protocol}",
               pickle.dumps({"a": Payload(os.system, touch)}, protocol))
    yield "eval", pickle.dumps(Payload(eval, "open('canary', 'w')"), 2)
    yield "exec", pickle.dumps(Payload(exec, "open('canary', 'w')"), 4)
    yield "popen", (PROTO + named("subprocess", "Popen") + tuple_of(text(touch).join(
        (b"(", b"l"))) + b"R.")
    yield "inst", b"(S'touch canary'\nios\nsystem\n."
    yield "obj", b"\x80\x01(cos\nsystem\nS'touch canary'\no."
    yield "newobj", PROTO + named("os", "system") + tuple_of(text(touch)) + b"\x81."
    yield "newobj_ex", b"\x80\x04" + named("os", "system") + tuple_of(text(touch)) + b"}\x92."
    yield "stack_global", (b"\x80\x04" + text("os") + text("system") + b"\x93"
                           + tuple_of(text(touch)) + b"R.")
    yield "dotted_name", (b"\x80\x04" + text("torch") + text("os.system") + b"\x93"
                          + tuple_of(text(touch)) + b"R.")
    yield "getattr", (PROTO + named("__builtin__", "getattr") + tuple_of(
        named("os", "path"), text("os")) + b"R.")
    yield "reduce_within_a_tensor_name", (PROTO + b"}(" + named("os", "system")
                                          + tuple_of(text(touch)) + b"R" + text("x") + b"u.")
    yield "numpy_scalar", PROTO + named("numpy.core.multiarray", "scalar") + b")R."
    yield "torch_load", PROTO + named("torch.serialization", "load") + tuple_of(text("x")) + b"R."
    yield "storage_from_buffer", (PROTO + named("torch.storage", "_load_from_bytes")
                                  + tuple_of(text(pickle.dumps(Payload(os.system, touch), 2)))
                                  + b"R.")


def forbidden_cases():
    for name, data in payloads():
        yield Case(f"pickle/{name}", "classifier", {"x.pth": torch_zip(data, storages_of())},
                   error=FORBIDDEN + "|" + FORMAT)
    for name, data, says in (
        ("class_is_called", PROTO + named("torch", "FloatStorage") + b")R.", "torch.FloatStorage"),
        ("reduce_of_a_text", PROTO + text("os.system") + b")R.", "a call"),
        ("reduce_of_a_reduce", PROTO + named("collections", "OrderedDict") + b")R)R.", "a call"),
        ("persistent_id_of_text", b"\x80\x02Pwhat\n.", "opcode 0x50"),
        ("persistent_id_of_a_list", PROTO + b"]Q.", "persistent id"),
        ("persistent_id_unknown", PROTO + tuple_of(*[text("module")] * 5) + b"Q.",
         "persistent id"),
        ("extension_registry", PROTO + b"\x82\x01.", "opcode 0x82"),
        ("out_of_band_buffer", b"\x80\x05\x97.", "opcode 0x97"),
        ("global_with_terminal_codes", PROTO + named("\x1b[2J", "x") + b".", "global"),
        ("global_name_of_1_mb", PROTO + named("m" * 1_000_000, "x") + b".", "global"),
        ("opcode_unknown", PROTO + b"\xfe.", "opcode 0xfe"),
    ):
        yield Case(f"pickle/{name}", "classifier", {"x.pth": torch_zip(data, storages_of())},
                   error=FORBIDDEN, says=(says, "byte "))


def pickle_cases():
    def case(name, data, error, *says, storages=None):
        archive = (lambda: torch_zip(data(), storages)) if callable(data) else torch_zip(
            data, storages_of() if storages is None else storages)
        return Case(f"pickle/{name}", "classifier", {"x.pth": archive}, error=error, says=says)

    deep = 1_000_000
    yield case("empty", b"", FORMAT)
    yield case("no_stop", state_dict()[:-1], FORMAT)
    yield case("cut_in_a_text", PROTO + text("hidden")[:-2], FORMAT)
    yield case("protocol_255", b"\x80\xff}.", FORMAT, "protocol 255")
    yield case("stack_underflow", PROTO + b"0.", FORMAT, "stack")
    yield case("mark_missing", PROTO + b"u.", FORMAT, "mark")
    yield case("text_of_4_gib", PROTO + b"X\xff\xff\xff\xffabc.", FORMAT)
    yield case("text_of_2_63", b"\x80\x04\x8d" + struct.pack("<Q", HUGE) + b"abc.", FORMAT)
    yield case("text_of_all_ones", b"\x80\x04\x8d" + b"\xff" * 8 + b"abc.", FORMAT)
    yield case("frame_of_2_63", b"\x80\x04\x95" + struct.pack("<Q", HUGE) + b"}.", TENSOR)
    yield case("integer_of_255_bytes", PROTO + b"\x8a\xff" + b"\x7f" * 255 + b".", LARGE)
    yield case("memo_4_gib", PROTO + b"}r\xff\xff\xff\xff.", TENSOR)
    yield case("memo_unknown", PROTO + b"h\x07.", FORMAT)
    yield case("memo_bomb", lambda: PROTO + b"]" + b"".join(
        b"r" + struct.pack("<I", i * 977) for i in range(deep)) + b".", LARGE, "too many")
    yield case("values_bomb", lambda: PROTO + b"N" * deep + b".", LARGE, "too many")
    yield case("marks_bomb", lambda: PROTO + b"(" * deep + b".", LARGE, "too many")
    yield case("lists_in_lists", lambda: PROTO + b"]" * deep + b"a" * (deep - 1) + b".", LARGE,
               "too many")
    yield case("tuples_in_tuples", lambda: PROTO + b")" + b"\x85" * deep + b".", LARGE, "too many")
    yield case("doubling_tuples", lambda: PROTO + b")" + b"q\x00h\x00\x86" * 200 + b".", FORMAT)
    yield case("list_grows_from_the_memo", lambda: PROTO + b"]q\0" + b"(" + b"h\0" * 200_000
               + b"e" + b".", FORMAT)
    yield case("dict_within_itself", PROTO + b"}q\0X\x05\0\0\0modelh\0s.", TENSOR)
    yield case("ordered_dict_again_and_again", lambda: PROTO + b"](" + b"NN\x86" * 4096 + b"eq\1"
               + (named("collections", "OrderedDict") + b"h\1\x85R0") * 3000 + b"N.", LARGE,
               "too many")
    yield case("a_long_text_named_often", lambda: PROTO + b"}(" + text("m" * 4_000_000) + b"q\1"
               + module_tree() + b"u.", FORMAT + "|" + TENSOR)
    yield case("a_long_setting_named_often", long_settings, FORMAT + "|" + TENSOR)
    yield case("long_names_of_many_settings", names_bomb, FORMAT, "too long together")
    yield case("modules_within_modules", modules_bomb, FORMAT + "|" + TENSOR)
    yield case("a_large_module_named_often", fields_bomb, FORMAT, "too many values")
    yield case("longer_than_16_mib", lambda: PROTO + text(b"x" * (17 << 20)) + b".", LARGE,
               "too long")
    yield case("a_list", PROTO + b"].", FORMAT, "neither")
    yield case("a_number", PROTO + b"K\x01.", FORMAT, "neither")
    yield case("key_a_list", PROTO + b"}](" + b"t]s.", FORMAT + "|" + TENSOR)


def module(members):
    """An object of the classifier's class with this state."""
    return named("__main__", "MLPClassifier") + b")\x81" + members + b"b"


def module_tree():
    """A module with many parameters."""
    parameters = b"}(" + b"".join(
        text(f"p{i}") + tensor("0", (1,), elements=120) for i in range(1000)) + b"u"
    return module(dict_of({"_parameters": parameters}))


def long_settings():
    members = b"".join(text(f"s{i}") + b"h\1" for i in range(30_000))
    value = text("v" * 4_000_000) + b"q\x010"
    return PROTO + value + module(b"}(" + members + b"u") + b"."


def names_bomb():
    """60,000 settings with long names and values, all of them stored only once."""
    value = text("v" * 1024) + b"q\x010"
    inner = module(b"}(" + b"".join(text(f"{i:x}") + b"h\1" for i in range(30_000)) + b"u")
    return PROTO + value + twice(inner, "a" * 1000, "b" * 1000) + b"."


def twice(inner, first="a", second="b"):
    """A module that has another one under two names."""
    return module(dict_of({"_modules": b"}(" + text(first) + inner + b"q\2" + text(second)
                           + b"h\2u"}))


def modules_bomb(inner=None, levels=40):
    """Levels of modules; each level has the next one twice."""
    inner = inner or module(b"}")
    for _ in range(levels):
        inner = twice(inner)
    return PROTO + inner + b"."


def fields_bomb():
    """80,000 fields that a reader would visit 32,768 times."""
    fields = b"".join(text(f"{i:x}") + b"N" for i in range(80_000))
    return modules_bomb(module(b"}(" + fields + b"u"), levels=15)


def storage_cases():
    def case(name, error, *says, storages=None, **changed):
        data = torch_zip(state_dict(**changed), storages or storages_of())
        return Case(f"storage/{name}", "classifier", {"x.pth": data}, error=error, says=says)

    bias = "hidden_layer.bias"
    yield case("good_as_it_is", None)
    yield case("offset_behind_the_end", FORMAT, bias, t1=tensor("1", (6,), offset=1))
    yield case("offset_negative", FORMAT, bias, t1=tensor("1", (6,), offset=-1))
    yield case("offset_2_62", FORMAT, bias, t1=tensor("1", (6,), offset=1 << 62))
    yield case("stride_too_far", FORMAT, bias, t1=tensor("1", (6,), strides=(2,)))
    yield case("stride_negative", FORMAT, bias, t1=tensor("1", (6,), strides=(-1,)))
    yield case("stride_2_62", FORMAT, bias, t1=tensor("1", (6,), strides=(1 << 62,)))
    yield case("strides_one_too_many", FORMAT, bias, t1=tensor("1", (6,), strides=(1, 1)))
    yield case("shape_2_62", FORMAT, bias, t1=tensor("1", (1 << 62, 6), elements=6))
    yield case("shape_negative", FORMAT, bias, t1=tensor("1", (-6,), elements=6))
    yield case("shape_of_nine", FORMAT, bias, t1=tensor("1", (1,) * 8 + (6,)))
    yield case("elements_2_62", FORMAT, bias, t1=tensor("1", (6,), elements=1 << 62))
    yield case("elements_too_few", FORMAT, bias, t1=tensor("1", (6,), elements=5))
    yield case("kind_of_bytes", TENSOR, bias, t1=tensor("1", (6,), elements=24, kind="ByteStorage"))
    yield case("key_upwards", FORMAT, bias, t1=tensor("../../etc/passwd", (6,)))
    yield case("key_missing", FORMAT, bias, "data/99", t1=tensor("99", (6,)))
    yield case("key_of_1_mb", FORMAT, t1=tensor("9" * 1_000_000, (6,)))
    yield case("nan", NAN, "bn1.bias", "element 0",
               storages={**storages_of(), "3": numbers(6, float("nan"))})
    yield case("variance_negative", TENSOR, "bn1.running_var",
               storages={**storages_of(), "5": numbers(6, -1.0)})
    # One stored number becomes 2^40 by strides of zero.
    zero = {f"t{i}": tensor("0", shape, (0,) * len(shape), elements=120) for i, shape in enumerate(
        ((1 << 20, 20), *[(1 << 20,)] * 5, (2, 1 << 20), (2,)))}
    yield case("strides_of_zero", FORMAT, "hidden_layer.weight", "more bytes than the files have", **zero)


# --- the ZIP around them -------------------------------------------------------------------------
class Zip:
    """A ZIP with any field false."""

    def __init__(self):
        self.local, self.directory, self.entries = b"", b"", 0

    def add(self, name, data, crc=None, size=None, packed=None, method=0, flags=0, offset=None,
            local_name=None, extra=b"", local_crc=None, hidden=False):
        name = name.encode() if isinstance(name, str) else name
        local_name = name if local_name is None else local_name
        crc = zlib.crc32(data) if crc is None else crc
        size = len(data) if size is None else size
        packed = size if packed is None else packed
        offset = len(self.local) if offset is None else offset
        head = struct.pack("<HHHHH", 20, flags, method, 0, 0)
        self.local += (b"PK\x03\x04" + head + struct.pack(
            "<IIIHH", crc if local_crc is None else local_crc, packed, size, len(local_name), 0)
            + local_name + data)
        if not hidden:
            self.directory += (b"PK\x01\x02" + struct.pack("<H", 20) + head + struct.pack(
                "<IIIHHHHHII", crc, packed, size, len(name), len(extra), 0, 0, 0, 0, offset)
                + name + extra)
            self.entries += 1
        return self

    def bytes(self, entries=None, total=None, size=None, offset=None, comment=b"", end64=b"",
              comment_size=None):
        entries = self.entries if entries is None else entries
        total = entries if total is None else total
        size = len(self.directory) if size is None else size
        offset = len(self.local) if offset is None else offset
        comment_size = len(comment) if comment_size is None else comment_size
        return self.local + self.directory + end64 + b"PK\x05\x06" + struct.pack(
            "<HHHHIIH", 0, 0, entries, total, size, offset, comment_size) + comment


def classifier_zip(last=True, **pickle_fields):
    """A good classifier with other ZIP fields for data.pkl."""
    archive = Zip().add("a/data.pkl", state_dict(), **pickle_fields)
    for key, data in storages_of().items():
        if last or key != "7":
            archive.add(f"a/data/{key}", data)
    return archive


def end64(entries=9, total=9, size=0, offset=0, place=0):
    record = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, entries, total, size,
                                         offset)
    return record + b"PK\x06\x07" + struct.pack("<IQI", 0, place, 1)


def zip_cases():
    def case(name, data, error, *says):
        return Case(f"zip/{name}", "classifier", {"x.pth": data}, error=error, says=says)

    good = classifier_zip().bytes()
    directory = len(classifier_zip().local)
    output_bias = numbers(2)
    yield case("good_as_it_is", good, None)
    yield case("cut_in_half", good[:len(good) // 2], CUT)
    yield case("cut_by_a_byte", good[:-1], CUT)
    yield case("signature_only", b"PK\x03\x04" + bytes(30), CUT)
    yield case("empty_archive", b"PK\x05\x06" + bytes(18), FORMAT)
    yield case("crc_of_the_pickle", classifier_zip(crc=1).bytes(), DAMAGED, "data.pkl")
    yield case("crc_of_a_storage", classifier_zip(last=False).add(
        "a/data/7", output_bias, crc=1).bytes(), DAMAGED, "output_layer.bias")
    yield case("crc_differs_in_local_header", classifier_zip(local_crc=1).bytes(), FORMAT,
               "disagree")
    yield case("name_differs_in_local_header", classifier_zip(local_name=b"a/data.pkX").bytes(),
               FORMAT, "disagree")
    yield case("compressed", torch_zip(state_dict(), storages_of(),
                                       compress=zipfile.ZIP_DEFLATED), FORMAT, "compressed")
    yield case("compressed_bomb", lambda: torch_zip(bytes(64 << 20),
                                                    compress=zipfile.ZIP_DEFLATED), FORMAT,
               "compressed")
    yield case("method_lies", classifier_zip(method=99).bytes(), FORMAT, "compressed")
    yield case("encrypted", classifier_zip(flags=1).bytes(), FORMAT, "encrypted")
    yield case("sizes_differ", classifier_zip(packed=10).bytes(), FORMAT)
    yield case("member_size_4_gib", classifier_zip(size=0xFFFFFFFE).bytes(), FORMAT)
    yield case("member_size_in_absent_zip64", classifier_zip(size=0xFFFFFFFF).bytes(), FORMAT)
    yield case("zip64_size_2_63", classifier_zip(
        size=0xFFFFFFFF, extra=struct.pack("<HHQQ", 1, 16, HUGE, HUGE)).bytes(), FORMAT)
    yield case("zip64_field_too_short", classifier_zip(
        size=0xFFFFFFFF, extra=struct.pack("<HHI", 1, 4, 7)).bytes(), FORMAT, "too short")
    yield case("extra_field_too_long", classifier_zip(
        extra=struct.pack("<HH", 7, 0xFFFF)).bytes(), FORMAT, "extra field")
    yield case("offset_behind_the_end", classifier_zip(offset=0xFFFFFFF0).bytes(), CUT)
    yield case("offset_of_another", classifier_zip(last=False).add(
        "a/data/7", output_bias, offset=0).bytes(), FORMAT, "disagree")
    yield case("members_overlap", classifier_zip(last=False).add(
        "a/data/7", output_bias, hidden=True).add(
            "a/data/8", b"PK\x03\x04").bytes(entries=9), FORMAT + "|" + TENSOR)
    yield case("same_member_twice", classifier_zip().add("a/data/7", output_bias).bytes(), FORMAT,
               "occurs twice")
    yield case("two_pickles", classifier_zip().add(
        "b/data.pkl", pickle.dumps(Payload(os.system, "touch canary"), 2)).bytes(), None)
    yield case("no_pickle", Zip().add("a/other.pkl", b"}.").bytes(), FORMAT, "data.pkl")
    yield case("pickle_two_folders_down", Zip().add("a/b/data.pkl", state_dict()).bytes(), FORMAT,
               "data.pkl")
    yield case("paths_upwards", classifier_zip().add("../../canary", b"x").add(
        "/tmp/canary", b"x").bytes(), None)
    yield case("name_with_nul_and_terminal_codes", classifier_zip().add(
        b"\0\x1b[2J\xff", b"x", crc=5).bytes(), None)
    yield case("name_of_65535", classifier_zip().add("n" * 65535, b"").bytes(), None)
    yield case("entries_one_too_many", classifier_zip().bytes(entries=10), FORMAT + "|" + CUT)
    yield case("entries_65534", classifier_zip().bytes(entries=65534), FORMAT + "|" + CUT)
    yield case("entries_differ", classifier_zip().bytes(total=8), FORMAT, "one part of a ZIP")
    yield case("directory_behind_the_end", classifier_zip().bytes(offset=0xFFFFFF00), FORMAT)
    yield case("directory_size_lies", classifier_zip().bytes(size=5), FORMAT)
    yield case("directory_over_the_members", classifier_zip().bytes(offset=0), FORMAT)
    yield case("comment_longer_than_the_file", classifier_zip().bytes(comment_size=500), CUT)
    yield case("comment_holds_another_end", classifier_zip().bytes(
        comment=b"PK\x05\x06" + bytes(18)), FORMAT)
    yield case("zip64_without_locator", classifier_zip().bytes(entries=0xFFFF), FORMAT, "ZIP64")
    yield case("zip64_locator_behind_the_end", classifier_zip().bytes(
        entries=0xFFFF, end64=end64(place=HUGE)), CUT)
    yield case("zip64_locator_within_itself", classifier_zip().bytes(
        entries=0xFFFF, end64=end64(place=directory)), FORMAT)
    for name, fields in (("entries_2_63", dict(entries=HUGE, total=HUGE)),
                         ("directory_size_2_63", dict(size=HUGE)),
                         ("directory_offset_2_63", dict(offset=HUGE)),
                         ("directory_wraps", dict(offset=(1 << 64) - 8, size=16))):
        archive = classifier_zip()
        place = len(archive.local) + len(archive.directory)
        yield case(f"zip64_{name}", archive.bytes(
            entries=0xFFFF, end64=end64(**{**dict(offset=directory, size=len(archive.directory)),
                                           **fields}, place=place)), FORMAT)
    yield case("byte_order_big", classifier_zip().add("a/byteorder", b"big").bytes(), FORMAT,
               "little-endian")


def other_cases():
    def case(name, data, error, *says):
        return Case(f"weights/{name}", "classifier", {"x.pth": data}, error=error, says=says)

    yield case("torch_before_1_6", pickle.dumps(119547037146038801333356, 2) + bytes(50), FORMAT,
               "before 1.6")
    yield case("bare_pickle", pickle.dumps(Payload(os.system, "touch canary"), 4), FORMAT,
               "bare pickle")
    yield case("git_lfs_pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
               FORMAT, "git lfs pull")
    yield case("html", b"<!DOCTYPE html><html>not found</html>", FORMAT, "HTML")
    yield case("gzip", b"\x1f\x8b\x08" + bytes(40), FORMAT, "gzip")
    yield case("hdf5", b"\x89HDF\r\n\x1a\n" + bytes(40), FORMAT, "HDF5")
    yield case("nul_bytes", bytes(4096), FORMAT)
    yield case("rubbish", bytes(range(256)) * 20, FORMAT)


def cases():
    for part in (safetensors_cases, index_cases, forbidden_cases, pickle_cases, storage_cases,
                 zip_cases, other_cases):
        yield from part()
