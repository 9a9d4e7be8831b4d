"""The pictures that come with the documentation stand alone: each has a title and a description, which tells sizes and draws or
that there are none; no text leaves the picture; no point wears a white halo; bars and curves of shares stay between 0 and
1; every page gives every picture a text of its own."""
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
# Described, but without a note under them: made from tables of benchmarks and of the demo.
OTHERS = {"recall", "scaling", "cluster"}
# Every vertical axis is a share, from 0 to 1.
SHARES = {"linear_1", "linear_2", "words", "sequential", "attention_depth", "attention_text", "attention_decoder"}
WIDTHS = {"narrow": 0.36, "wide": 0.95, "usual": 0.64}  # of DejaVu Sans, in units of its size
faults = []


def width_of(text, size):
    kind = lambda c: "narrow" if c in "iljtfr.,:;'|!()[] /-" else "wide" if c in "mwMW→∞—" else "usual"
    return size * sum(WIDTHS[kind(c)] for c in text)


def placed_texts(root):
    """Text, left, right and baseline of everything that is written level. gnuplot puts each text in a group that moves it."""
    for group in root.iter(SVG + "g"):
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", group.get("transform", ""))
        found = group.find(SVG + "text")
        if place is None or found is None or "rotate" in group.get("transform"):
            continue
        text = "".join(found.itertext())
        size, anchor = float(group.get("font-size", 13)), group.get("text-anchor", "start")
        x, y, width = float(place[1]), float(place[2]), width_of(text, size)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        yield text, left, left + width, y


def turned_texts(root):
    """Text and both ends of what is written upward."""
    for group in root.iter(SVG + "g"):
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\) rotate\((-?[\d.]+)\)", group.get("transform", ""))
        found = group.find(SVG + "text")
        if place is not None and found is not None and abs(float(place[3])) in (90, 270):
            text = "".join(found.itertext())
            half = width_of(text, float(group.get("font-size", 13))) / 2
            yield text, float(place[1]), float(place[2]) - half, float(place[2]) + half


def check_words(name, root, shown):
    title, note = root.findtext(SVG + "title") or "", root.findtext(SVG + "desc") or ""
    if len(title) < 15 or title == "Gnuplot":
        faults.append(f"{name}: its title is '{title}'")
    if "nothing drawn at random" not in note and not re.search(r"\bdraws?\b|random networks a point|queries a point", note):
        faults.append(f"{name}: its description does not tell the draws: '{note}'")
    if not re.search(r"\b[dNTP] = \d|d \(draws\)|N → ∞|T tokens|d × d", note):
        faults.append(f"{name}: its description does not tell sizes: '{note}'")
    written = "".join(text for text, *_ in placed_texts(root)).replace(" ", "")
    if shown and note.replace(" ", "") not in written:
        faults.append(f"{name}: the note is not under the picture")


def check_edges(name, root):
    _, _, width, height = map(float, root.get("viewBox").split())
    for text, left, right, y in placed_texts(root):
        if left < -3 or right > width + 3 or y > height or y < 0.5:
            faults.append(f"{name}: '{text}' leaves the picture ({left:.0f} to {right:.0f} of {width:.0f}, {y:.0f})")
    for text, x, high, low in turned_texts(root):
        if x < 8 or x > width or high < -3 or low > height + 3:
            faults.append(f"{name}: '{text}' leaves the picture (at {x:.0f}, {high:.0f} to {low:.0f} of {height:.0f})")


def check_halos(name, text):
    """A white symbol is as large as the coloured one drawn over it, or it would be seen."""
    symbols = re.findall(r"<use xlink:href='#(\w+)' transform='translate\(([-\d.,]+)\) scale\(([\d.]+)\)' color='([^']+)'", text)
    for (shape, place, scale, colour), after in zip(symbols, symbols[1:] + [("", "", "0", "")]):
        if colour.upper() == "#FFFFFF" and (after[1] != place or float(after[2]) < float(scale)):
            faults.append(f"{name}: a white halo at {place}")
            return


def axis(root):
    """The heights of 0 and 1 on the vertical axis, from its labels."""
    labels = {}
    for text, left, right, y in placed_texts(root):
        if text.strip() in ("0", "1") and right < 75:
            labels.setdefault(text.strip(), y)
    return labels["0"] - 4.3, labels["1"] - 4.3  # a label's baseline lies that far below its tick


def check_shares(name, root):
    zero, one = axis(root)
    for plot in root.iter(SVG + "g"):
        if not re.match(r"gnuplot_plot_\d", plot.get("id", "")):
            continue
        for path in plot.iter(SVG + "path"):
            for y in re.findall(r"[ML\s][-\d.]+,([-\d.]+)", " " + path.get("d", "")):
                if float(y) < one - 1.5 or float(y) > zero + 1.5:
                    faults.append(f"{name}: a bar or curve at {y}, beyond 0 ({zero:.0f}) or 1 ({one:.0f})")
                    return


def check_pages():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]*images/[^)]*)\)", page.read_text()):
            if len(words.split()) < 3:
                faults.append(f"{page.name}: {target} has the text '{words}'")
            if not (page.parent / target).exists():
                faults.append(f"{page.name}: {target} is not there")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    pictures = sorted(folder.glob("*.svg"))
    assert len(pictures) > (20 if len(sys.argv) < 2 else 0), pictures
    for path in pictures:
        name, text = path.stem, path.read_text()
        root = ElementTree.fromstring(text)
        if name != "python_plots":
            check_words(name, root, shown=name not in OTHERS)
        if name != "python_plots":
            check_edges(name, root)
            check_halos(name, text)
        if name in SHARES:
            check_shares(name, root)
    if len(sys.argv) < 2:
        check_pages()
    print("\n".join(faults) or f"{len(pictures)} pictures stand alone")
    sys.exit(bool(faults))


main()
