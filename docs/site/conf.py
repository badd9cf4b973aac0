"""What Sphinx needs to know: the site is the pages of docs/ as they are, and pages that site/make.py writes."""
import os
import pathlib
import re
import sys

top = pathlib.Path(os.environ["MESHBAYES_TOP"])
build = top / "build" / "site"
sys.path.insert(0, str(top / "python" / "src"))

project = "meshbayes"
release = version = re.search(r"^project\(meshbayes VERSION ([\d.]+)", (top / "CMakeLists.txt").read_text(), re.M)[1]
copyright = "the authors of meshbayes, BSD-3-Clause"
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "numpydoc", "sphinx_gallery.gen_gallery"]
root_doc = "index"
# The sources stand beside the pages, for links to them; of these folders only what is linked is in the site.
exclude_patterns = ["docs/site", "docs/figures", "**/*.txt", "app", "bench", "cmake", "completions", "daemon", "examples",
                    "experiments", "include", "octave", "packaging", "python/src", "python/tests", "r", "script", "src", "tests", "wasm",
                    "gallery/*.ipynb", "gallery/*.py", "gallery/sg_execution_times.rst", "gallery_source"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
highlight_language = "text"
smartquotes = False
nitpicky = True
# Types of texts are words ("array of shape (n,)"), and macros that declare nothing; links are checked in the pages.
nitpick_ignore_regex = [(r"(py|c|cpp):.*", r".*")]

myst_heading_anchors = 4
myst_enable_extensions = []

breathe_projects = {"meshbayes": str(build / "doxygen" / "xml")}
breathe_default_project = "meshbayes"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "code"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": str(build / "source" / "gallery_source"), "gallery_dirs": str(build / "source" / "gallery"), "filename_pattern": r"\.py$", "download_all_examples": False,
    "show_signature": False, "min_reported_time": 1e6, "show_memory": False, "remove_config_comments": True,
    "abort_on_example_error": True, "reset_modules": ("matplotlib",), "line_numbers": False, "thumbnail_size": (416, 320)}

html_theme = "furo"
html_title = "meshbayes"
html_static_path = [str(top / "docs" / "site" / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_domain_indices = False
# A summary of a result would be fetched, which a browser refuses to pages read from files.
html_show_search_summary = False
html_search_scorer = str(top / "docs" / "site" / "scorer.js")
html_theme_options = {"navigation_with_keys": True}
html_extra_path = [str(build / "extra")]


def folders_are_pages(app, docname, source):
    """A link to the folder of the decisions is one to their list."""
    up = "../" * docname.count("/")
    source[0] = re.sub(r"\]\((?:\.\./|docs/)?adr/\)", f"]({up}decisions.rst)", source[0])


def furo_from_files(app, exception):
    """Debian's furo imports a script as a module and a style by its address on a server: neither works in pages read
    from files. Both are put in their place."""
    static = pathlib.Path(app.outdir) / "_static"
    script, style = static / "scripts" / "furo.js", static / "styles" / "furo.css"
    if exception is None and "import Gumshoe" in script.read_text():
        spy = (static / "scripts" / "gumshoe-patched.js").read_text()
        script.write_text(re.sub(r"^import Gumshoe.*\n", lambda _: spy, script.read_text(), flags=re.M))
    found = re.match(r"@import url\((/javascript/.*?)\);", style.read_text()) if exception is None else None
    if found:
        style.write_text(pathlib.Path("/usr/share" + found[1]).read_text() + style.read_text()[found.end():])


def setup(app):
    app.connect("source-read", folders_are_pages)
    app.connect("build-finished", furo_from_files)
