"""The documentation site: it builds without a warning, every link and anchor leads somewhere, nothing is loaded from a server,
every public function of the headers is on the page of the C interface, and formulas came through Markdown. Skipped (77)
where mkdocs is not installed."""
import html.parser
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href"), ("object", "data")}


class Page(html.parser.HTMLParser):
    """Addresses that a page loads, links to, and has."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.names, self.emphasised, self.inside = [], [], {""}, [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        for name, value in attributes.items():
            if (tag, name) in LOADS:
                self.loads.append(value)
            if (tag, name) == ("a", "href"):
                self.links.append(value)
        self.inside = tag == "em"

    def handle_data(self, data):
        if self.inside:
            self.emphasised.append(data)
        self.inside = False


def declared():
    """Functions of the headers, found in another way than the page finds them."""
    text = "".join(path.read_text() for path in (ROOT / "include/ireneo").glob("*.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"IRENEO_API[^;(]*?\b(ireneo_\w+)\(", text))


def uneven_tables():
    """Rows of a table that have more or fewer cells than its head: a bar in a formula must be \\|."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*.md"))]:
        cells = None
        for number, line in enumerate(path.read_text().split("\n"), 1):
            bars = len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", line))) if line.lstrip().startswith("|") else None
            if None not in (bars, cells) and bars != cells:
                yield f"{path.relative_to(ROOT)}:{number}: {bars - 1} cells below {cells - 1}"
            cells = bars


def unlisted():
    """Pages that are on no list of mkdocs.yml, so that nobody finds them."""
    listed = set(re.findall(r"([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M))
    return [f"docs/{path.name} is not in the nav of mkdocs.yml" for path in (ROOT / "docs").glob("*.md") if path.name not in listed]


def faults(site):
    yield from uneven_tables()
    yield from unlisted()
    pages = {path.name: Page(path.read_text()) for path in site.glob("*.html")}
    for name, page in pages.items():
        for address in page.loads:
            if re.match(r"(https?:)?//", address):
                yield f"{name} loads {address}"
        for link in page.links:
            path, _, anchor = unquote(link).partition("#")
            if name == "404.html" or re.match(r"(https?:|mailto:|//)", link):
                continue
            target = path or name
            if target in pages and anchor not in pages[target].names:
                yield f"{name} points to {link}: no such place"
            elif target not in pages and not (site / target).exists():
                yield f"{name} points to {link}: no such file"
        for words in page.emphasised:
            if re.search(r"^[\s,;)=]|[=(]$|_$|\*", words) or words.count("(") != words.count(")"):
                yield f"{name}: a formula became emphasis: {words!r}"
    for sheet in site.glob("**/*.css"):
        for address in re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]*)", sheet.read_text()):
            yield f"{sheet.name} loads {address}"
    for script in site.glob("assets/**/*.js"):
        if "unpkg.com" in script.read_text():
            yield f"{script.name} names a server to load from"
    missing = sorted(name for name in declared() if name not in pages["c-api.html"].names)
    if missing or len(declared()) < 90:
        yield f"the page of the C interface lacks {missing} of {len(declared())}"


def main():
    if not shutil.which("mkdocs"):
        print("mkdocs is not installed: `make docs` installs it")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ROOT / "scripts/docs", folder], capture_output=True, text=True)
        if done.returncode:
            print(done.stderr)
            return 1
        found = list(faults(Path(folder) / "site"))
        print(*found, sep="\n")
        if not found:
            print(f"{len(list((Path(folder) / 'site').glob('*.html')))} pages; {len(declared())} functions on the page of the C interface")
        return bool(found)


if __name__ == "__main__":
    sys.exit(main())
