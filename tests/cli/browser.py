"""Pages in Debian's Chromium.

    assert_readable(page)       # by everyone, on a phone and on a wide screen
    sheets(page)                # on how many sheets of paper it is printed
    seen_by(page, script)       # what a script gives to its function show()
"""

import html
import json
import os
import re
import subprocess
from pathlib import Path

AXE = Path(os.environ["VIRNUCPRO_SOURCE"]) / ".axe" / "axe.min.js"
# What a page looks like depends on its width, what its colours are on the scheme.
VIEWS = ((390, False), (1280, True))
CHROMIUM = ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars"]
# Looks at the page with all that is folded open.
LOOK = """
addEventListener("load", async () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const name = (element) => element.outerHTML.slice(0, 200);
  const found = await axe.run({resultTypes: ["violations"]});
  const cut = Array.from(document.body.querySelectorAll("*:not(svg *)")).filter((element) =>
      element.scrollWidth > element.clientWidth + 1 &&
      getComputedStyle(element).overflowX !== "visible");
  show({
    width: innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    needed: document.documentElement.scrollWidth,
    headings: Array.from(document.querySelectorAll("h1, h2, h3, caption, figcaption"),
                         (heading) => heading.firstChild.textContent.trim()),
    levels: Array.from(document.querySelectorAll("h1, h2, h3"), (heading) => heading.tagName[1]),
    rules: found.passes.length,
    faults: found.violations.filter((fault) => ["serious", "critical"].includes(fault.impact))
        .flatMap((fault) => fault.nodes.map((node) => fault.id + ": " + node.html.slice(0, 200))),
    cut: cut.filter((element) => getComputedStyle(element).backgroundImage === "none" ||
                                 element.tabIndex !== 0).map(name)});
});
"""
# In the page's place.
SHOW = """
const show = (found) => {
  const shown = document.createElement("pre");
  shown.id = "seen";
  shown.textContent = JSON.stringify(found);
  document.body.replaceChildren(shown);
};
"""


def chromium(*arguments):
    return subprocess.run([*CHROMIUM, *map(str, arguments)], capture_output=True, check=True,
                          timeout=120)


def seen_by(page, *scripts, width=1280, dark=False):
    copy = page.with_name(f"{page.stem}-seen.html")
    text = "".join(f"<script>{script}</script>" for script in (SHOW, *scripts))
    copy.write_text(page.read_text().replace("</body>", text + "</body>"))
    done = chromium(f"--window-size={width},900", "--virtual-time-budget=20000", "--dump-dom",
                    f"--blink-settings=preferredColorScheme={0 if dark else 1}", copy.as_uri())
    copy.unlink()
    seen = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
    assert seen, done.stderr.decode()
    return json.loads(html.unescape(seen[1]))


def look_at(page, width, dark):
    """What the browser has to say of the page in a window of this width."""
    assert AXE.is_file(), f"{AXE} is not there: run tools/setup.sh check"
    found = seen_by(page, AXE.read_text(), LOOK, width=width, dark=dark)
    assert (found["width"], found["dark"]) == (width, dark)
    assert found["rules"] > 10
    return found


def complaints(found):
    """What is wrong with a page, in words."""
    wrong = list(found["faults"])
    if found["needed"] > found["width"]:
        wrong.append(f"it needs {found['needed']} pixels")
    wrong += [f"cut without a cue, or out of reach of keys: {place}" for place in found["cut"]]
    headings = found["headings"]
    wrong += [f"heading twice: {text}" for text in set(headings) if headings.count(text) > 1]
    if found["levels"].count("1") != 1 or found["levels"][0] != "1":
        wrong.append(f"levels of headings: {found['levels']}")
    return wrong


def assert_readable(page):
    for width, dark in VIEWS:
        assert complaints(look_at(page, width, dark)) == [], (page, width, dark)


def sheets(page):
    file = page.with_suffix(".pdf")
    chromium(f"--print-to-pdf={file}", page.as_uri())
    return len(re.findall(rb"/Type /Page\b", file.read_bytes()))
