"""Reads a report's HTML more strictly than any browser."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "hr", "link", "img"}
# Attributes that may load something. A report has none of them, except href within the page.
LOADING = {"src", "href", "srcset", "action", "formaction", "data", "poster", "background", "ping"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.ids = []
        self.links = []
        self.elements = []
        self.handlers = []
        self.text_of = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        self.handlers += [name for name in names if name.startswith("on")]
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in LOADING]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.text_of[self.open[-1]] = self.text_of.get(self.open[-1], "") + data + "\n"


def read_page(file):
    """Reads the page, and checks that it is complete and loads nothing."""
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    page = Page(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links), page.links
    assert page.handlers == []
    assert page.elements.count("script") == page.elements.count("style") == 1
    assert not {"link", "img", "iframe", "object", "embed", "form", "base"} & set(page.elements)
    style = page.text_of["style"]
    assert "url(" not in style and "@import" not in style
    addresses = set(re.findall(r"[a-z]+://[^\s\"'<]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # only a name; nothing fetches it
    plots = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(plots) == page.elements.count("svg") > 0
    for plot in plots:
        assert ET.fromstring(plot).tag == "{http://www.w3.org/2000/svg}svg"
    return page
