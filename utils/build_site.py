#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Makes a site of the documentation: one page for each document and for the generated reference, with search by name.

    .venv/bin/python3 utils/build_site.py [--build build] [--output build/site]

Nothing is fetched. Links between documents become links between pages, other files of the checkout are copied when a
page links to them; a link that leads nowhere is an error.
"""
import argparse
import html
import os
import pathlib
import re
import shutil

import markdown
from checking import ROOT
from pass_examples import write_examples

SECTIONS = {"": "Start", "docs": "Guides", "docs/Tutorials": "Tutorials", "docs/Passes": "Passes",
            "docs/Rationale": "Rationale", "reference": "Reference"}
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} - Relax for MLIR</title>
<style>
body {{ margin: 0; font: 16px/1.5 sans-serif; display: flex; color: #222; }}
nav {{ width: 16em; flex: none; padding: 1em; background: #f4f4f6; min-height: 100vh; font-size: 14px; }}
nav h2 {{ font-size: 14px; margin: 1em 0 0.2em; }} nav a {{ display: block; }} nav input {{ width: 95%; }}
main {{ max-width: 56em; padding: 1em 2em; min-width: 0; }}
pre {{ background: #f4f4f6; padding: 0.8em; overflow-x: auto; }} code {{ font-size: 14px; }}
table {{ border-collapse: collapse; }} td, th {{ border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left; }}
</style></head><body>
<nav><input placeholder="Find a page" oninput="for (const a of document.querySelectorAll('nav a'))
a.hidden = !a.textContent.toLowerCase().includes(this.value.toLowerCase())">{navigation}</nav>
<main>{body}</main></body></html>
"""
LINK = re.compile(r'(href|src)="([^"#:]+)(#[^"]*)?"')


def collect(build):
    """Pages of the site: path without suffix -> the document."""
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    pages = {document.relative_to(ROOT).with_suffix("").as_posix(): document for document in documents}
    pages.update({f"reference/{document.stem}": document for document in (build / "docs").glob("*.md")})
    return pages


def get_title(text, name):
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return re.sub(r"[`']", "", found.group(1)) if found else name.rpartition("/")[2]


def make_navigation(name, titles):
    parts = []
    for folder, section in SECTIONS.items():
        members = sorted((title, page) for page, title in titles.items() if page.rpartition("/")[0] == folder)
        if members:
            parts.append(f"<h2>{section}</h2>")
        for title, page in members:
            target = os.path.relpath(page + ".html", os.path.dirname(name) or ".")
            parts.append(f'<a href="{target}">{html.escape(title)}</a>')
    return "".join(parts)


def build_site(build, output):
    """Writes the site; returns the links that lead nowhere."""
    write_examples(build, build / "docs" / "pass-examples.md")
    pages = collect(build)
    sources = {document.resolve(): page for page, document in pages.items()}
    texts = {page: document.read_text() for page, document in pages.items()}
    titles = {page: get_title(text, page) for page, text in texts.items()}
    broken = []

    def resolve(page, match):
        kind, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        folder = pages[page].parent
        file = (folder / target).resolve()
        if "build/docs" in target and not file.exists():
            file = build / "docs" / pathlib.Path(target).name
        if file in sources:
            place = os.path.relpath(sources[file] + ".html", os.path.dirname(page) or ".")
        elif file.is_file() and ROOT in file.parents:
            copy = output / "files" / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
            place = os.path.relpath("files/" + file.relative_to(ROOT).as_posix(), os.path.dirname(page) or ".")
        elif file.is_dir() or page.startswith("reference/"):
            return match.group(0)
        else:
            broken.append(f"{page}: {target}")
            return match.group(0)
        return f'{kind}="{place}{anchor}"'

    for page, text in texts.items():
        body = markdown.markdown(re.sub(r"^<!-- .* -->$\n", "\n", text, flags=re.MULTILINE),
                                 extensions=["tables", "fenced_code", "toc", "sane_lists"])
        body = LINK.sub(lambda match, page=page: resolve(page, match), body)
        path = output / (page + ".html")
        path.parent.mkdir(parents=True, exist_ok=True)
        navigation = make_navigation(page, titles)
        path.write_text(PAGE.format(title=html.escape(titles[page]), navigation=navigation, body=body))
    shutil.copy(output / "README.html", output / "index.html")
    return broken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()
    output = args.output or args.build / "site"
    broken = build_site(args.build.resolve(), output)
    for link in broken:
        print(f"error: no such file: {link}")
    print(f"{sum(1 for _ in output.rglob('*.html'))} pages in {output}")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
