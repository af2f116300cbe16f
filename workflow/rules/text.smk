# Files that people write: the configuration and the sample sheet.
import codecs
from pathlib import Path


def text_of(path):
    """Of a file in UTF-8. Spreadsheets begin it with a byte-order mark, which is no part of the text."""
    data = Path(path).read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in data:
        raise WorkflowError(f"{path} is UTF-16: save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WorkflowError(f"{path}: byte {error.start} is not of UTF-8: save the file as UTF-8")
