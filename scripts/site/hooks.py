"""What the site has that docs/ has not: pages made from the headers, the examples and the files of the root; and links that
lead out of docs/ on a disk, but to one of these pages here."""
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
from c_api import c_api  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<path>[^)\s:#]+)(?P<anchor>#[^)]*)?\)")
FENCE = re.compile(r"(^```.*?^```$)", re.S | re.M)
LANGUAGES = {".py": "python", ".c": "c", ".txt": "cmake", ".sh": "sh"}

made = None  # folder of the pages made here


def example(path):
    """A program of examples/ as a fold that opens."""
    code = "".join(f"    {line}" if line.strip() else line for line in path.read_text().splitlines(keepends=True))
    return f'??? example "{path.relative_to(ROOT)}"\n\n    ```{LANGUAGES.get(path.suffix, "text")}\n{code.rstrip()}\n    ```\n'


def examples():
    """The index of the examples, each program below the block that runs it."""
    text, shown = (ROOT / "examples/README.md").read_text(), set()
    out = []
    for part in FENCE.split(text):
        out.append(part)
        if not part.startswith("```console"):
            continue
        for name in re.findall(r"examples/[\w/]+(?:\.py|\.c|CMakeLists\.txt)", part):
            if name not in shown and (ROOT / name).exists():
                shown.add(name)
                out.append("\n\n" + example(ROOT / name))
    return "".join(out)


def pages():
    """Name of a page, and its text."""
    yield "c-api.md", c_api(ROOT / "include")
    yield "examples.md", examples()
    yield "load_in_pytorch.md", (ROOT / "examples/load_in_pytorch.md").read_text()
    yield "changes.md", (ROOT / "CHANGELOG.md").read_text()
    yield "contributing.md", (ROOT / "CONTRIBUTING.md").read_text()


# Where a path of the project lies on the site.
PLACES = {"examples/README.md": "examples.md", "examples/load_in_pytorch.md": "load_in_pytorch.md", "CHANGELOG.md": "changes.md",
          "CONTRIBUTING.md": "contributing.md", "README.md": "index.md"}
SOURCES = {"examples.md": "examples", "load_in_pytorch.md": "examples", "changes.md": "", "contributing.md": ""}


def title(path):
    """The heading of a page, up to a colon."""
    return re.search(r"^# (.*?)(:|$)", path.read_text(), re.M)[1]


def place(page, text, path, anchor):
    """A link of a page: left alone within docs/, led to a page of the site, or turned into the name of a file."""
    folder = ROOT / SOURCES.get(page, "docs")
    target = (folder / path).resolve()
    if not target.is_relative_to(ROOT) or not target.exists():
        return f"[{text}]({path}{anchor})"
    inside = str(target.relative_to(ROOT))
    if text == path and text.endswith(".md"):  # a file's name says little to the reader of a site
        text = title(target)
    if inside.startswith("docs/"):
        return f"[{text}]({inside[len('docs/'):]}{anchor})"
    if inside.startswith("include/"):
        name = re.fullmatch(r"`(ireneo_\w+|IRENEO_\w+)`", text)
        return f"[{text}](c-api.md{'#' + name[1] if name else ''})"
    if inside in PLACES:
        return f"[{text}]({PLACES[inside]}{anchor})"
    if re.fullmatch(r"examples/\w+\.(py|c)", inside):
        return f"[{text}](examples.md)"
    return f"{text} (`{inside}`)" if text.strip("`") != inside else f"`{inside}`"


def on_files(files, config):
    global made
    made = Path(tempfile.mkdtemp(prefix="ireneo-site-"))
    for manual in [file for file in files if file.src_path.startswith("manual/")]:  # for man
        files.remove(manual)
    for name, text in pages():
        (made / name).write_text(text)
        files.append(File(name, str(made), config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    def relinked(part):
        if part.startswith("```"):
            return part
        return LINK.sub(lambda m: place(page.file.src_path, m["text"], m["path"], m["anchor"] or ""), part)
    return "".join(map(relinked, FENCE.split(markdown)))


def offline_search(site):
    """The index and the worker of the search as one script, for pages that are opened from a disk."""
    worker = next(site.glob("assets/javascripts/workers/search.*.js")).read_text()
    index = (site / "search/search_index.json").read_text()
    (site / "search/offline.js").write_text(
        f"__search = {{index: Promise.resolve({index}), "
        f'worker: URL.createObjectURL(new Blob([{json.dumps(worker)}], {{type: "text/javascript"}}))}}\n')


def on_post_build(config):
    """No file of the site names a server to load from: the theme's script would fetch a library for diagrams that no page has."""
    shutil.rmtree(made)
    site = Path(config["site_dir"])
    for script in site.glob("assets/javascripts/*.js"):
        script.write_text(re.sub(r"https://unpkg\.com/[\w@./-]+", "", script.read_text()))
    for useless in [*site.glob("**/*.map"), *site.glob("assets/javascripts/lunr/**/*.js")]:
        useless.unlink()
    offline_search(site)
