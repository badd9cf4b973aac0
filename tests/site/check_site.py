#!/usr/bin/env python3
"""check_site.py SITE [PICTURES]: the site in the folder SITE as it is read from files: every link of a page leads to a page and to a
place in it, every page is reached from the first, nothing is asked of a server, in Chromium no page is wider than its window
of 1200 or 390 pixels, and the search finds without a server. PICTURES: a folder for pictures of some pages at both widths."""
import base64
import html.parser
import json
import pathlib
import re
import sys
import tempfile
import time
import urllib.parse

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "reference"))

from harness import Claims  # noqa: E402  after the path

# Attributes by which a browser asks for something without being told to.
ASKED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src"),
         ("object", "data"), ("embed", "src"), ("input", "src")}
# Links that only say what a page is.
SAID = {"canonical", "index", "search", "next", "prev", "author", "license"}


class Page(html.parser.HTMLParser):
    """The links of a page, what it asks for, and the places in it."""

    def __init__(self, file):
        super().__init__()
        self.links, self.asked, self.places = [], [], {"", "top"}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.places.update(value for key, value in attributes if key == "id" or (tag == "a" and key == "name"))
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        if tag == "form" and of.get("action"):
            self.links.append(of["action"])
        for key, value in attributes:
            if (tag, key) in ASKED and value and not (tag == "link" and of.get("rel") in SAID):
                self.asked.append(value)


def elsewhere(link):
    return urllib.parse.urlsplit(link).scheme or link.startswith("//")


def target(file, link):
    """The file and the place in it of a link without a scheme."""
    parts = urllib.parse.urlsplit(link)
    path = urllib.parse.unquote(parts.path)
    return (file.parent / path).resolve() if path else file, urllib.parse.unquote(parts.fragment)


def broken_links(site, pages):
    broken = []
    for file, page in pages.items():
        for link in page.links + page.asked:
            if elsewhere(link):
                continue
            to, place = target(file, link)
            if not to.is_file() or (to in pages and place not in pages[to].places):
                broken.append(f"{file.relative_to(site)}: {link}")
    return broken


def unreached(site, pages):
    """Pages to which no chain of links leads from the first."""
    seen, rest = set(), [site / "index.html"]
    while rest:
        file = rest.pop()
        if file in seen or file not in pages:
            continue
        seen.add(file)
        rest += [target(file, link)[0] for link in pages[file].links if not elsewhere(link)]
    return [str(file.relative_to(site)) for file in pages if file not in seen]


def asks_others(site, pages):
    """What pages and their styles would ask of a server."""
    asked = [f"{file.relative_to(site)}: {link}" for file, page in pages.items() for link in page.asked
             if elsewhere(link) and not link.startswith("data:")]
    for file in site.rglob("*.css"):
        asked += [f"{file.relative_to(site)}: {url}" for url in re.findall(r"url\([\"']?((?:https?:)?/[^)\"']*)", file.read_text())]
    return asked


class Browser:
    """Chromium without a window, without a network, reading files."""

    def __init__(self):
        from selenium import webdriver
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--proxy-server=127.0.0.1:9"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        service = webdriver.chrome.service.Service("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(service=service, options=options)
        self.driver.set_page_load_timeout(60)
        self.driver.execute_cdp_cmd("Network.enable", {})

    def width(self, pixels):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def go(self, file, query=""):
        self.driver.get(file.as_uri() + query)

    def requests(self):
        """Addresses asked for since the last call."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def too_wide(self):
        return self.driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth") > 0

    def begins(self, site):
        """Whether the network in the first page does something."""
        from selenium.webdriver.support.ui import WebDriverWait
        self.go(site / "index.html")
        self.driver.switch_to.frame(self.driver.find_element("css selector", "iframe.live"))
        try:
            WebDriverWait(self.driver, 60).until(lambda d: d.find_element("id", "word").text in ("moving", "settled"))
        except Exception:
            return False
        finally:
            self.driver.switch_to.default_content()
        return True

    def picture(self, file):
        height = min(self.driver.execute_script("return document.documentElement.scrollHeight"), 4000)
        clip = {"x": 0, "y": 0, "width": self.driver.execute_script("return window.innerWidth"), "height": height, "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        file.write_bytes(base64.b64decode(shot["data"]))

    def finds(self, site, words, page, most=None):
        """Whether the search has the page among its results, the first ones alone where most says how many."""
        from selenium.webdriver.support.ui import WebDriverWait
        self.go(site / "search.html", "?q=" + urllib.parse.quote(words))
        script = "return [...document.querySelectorAll('ul.search li a')].map(a => a.getAttribute('href').split(/[?#]/)[0])"
        try:
            WebDriverWait(self.driver, 20).until(lambda _: page in self.driver.execute_script(script)[:most])
        except Exception:
            return False
        return True

    def close(self):
        self.driver.quit()


# Words of prose, C, Python, R, the program and the gallery, and a page that has them.
SOUGHT = {"metropolis": "docs/howto/networks.html", "mb_bind_new": "reference/c-bind.html", "BayesianMixture": "reference/python-estimators.html",
          "modelName": "reference/r/vbmix.html", "coding": "reference/meshbayes.html",
          "errorbar": "gallery/sites.html"}
# Words of users, and a page that is to stand before the decisions.
FIRST = {"install": "docs/howto/r.html", "outliers": "docs/tracks/analyst.html", "random effects": "docs/tracks/analyst.html"}
# Of these a person looks at pictures.
PICTURED = ("index", "docs/tracks/engineer", "reference/python-estimators", "docs/tutorial", "docs/performance", "docs/formats", "docs/howto/algorithms", "docs/from/scikit-learn", "gallery/index",
            "gallery/hospitals", "reference/python", "reference/c-bind", "reference/r/vbmix", "reference/r/vignette", "reference/meshbayes", "search.html?q=mixture")


def read(site):
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


def files(claims, site):
    pages = read(site)
    claims.check(len(pages) > 150, f"the site has {len(pages)} pages")
    for text, wrong in (("every link leads to a page and to a place in it", broken_links(site, pages)),
                        ("every page is reached from the first", unreached(site, pages)),
                        ("no page and no style asks another server for anything", asks_others(site, pages))):
        claims.check(not wrong, f"{text}{': ' if wrong else ''}{', '.join(wrong[:20])}")
    return list(pages)


LIVE = TOP / "build" / "wasm" / "meshbayes.html"


def live(claims, site):
    """The network in the browser is the first thing of the first page, where it was built."""
    if not LIVE.exists():
        claims.note("left out: the page of script/wasm, which was not built")
        return
    front, copy = (site / "index.html").read_text(), site / "live.html"
    claims.check(copy.is_file() and copy.read_bytes() == LIVE.read_bytes(), "the page of script/wasm is in the site")
    claims.check(-1 < front.find('src="live.html"') < front.find("<h2"), "and stands first on the first page")


def looked_at(pages):
    """All pages, of the decisions, which are alike, every tenth."""
    decisions = [file for file in pages if file.parent.name == "adr"]
    return [file for file in pages if file not in decisions] + decisions[::10]


def in_chromium(claims, site, pages, pictures):
    browser, wide, complaints, asked = Browser(), [], [], set()
    try:
        for file in looked_at(pages):
            for width in (1200, 390):
                browser.width(width)
                if width == 1200:
                    browser.go(file)
                if browser.too_wide():
                    wide.append(f"{file.relative_to(site)} at {width}")
            asked.update(browser.requests())
            complaints += browser.complaints()
        claims.check(not wide, f"at 1200 and 390 pixels no page is wider than its window {wide[:20]}")
        if LIVE.exists():
            browser.width(1200)
            claims.check(browser.begins(site), "the network in the first page begins")
        for words, page in SOUGHT.items():
            claims.check(browser.finds(site, words, page), f"the search finds {words} in {page}, without a server")
        for words, page in FIRST.items():
            claims.check(browser.finds(site, words, page, 5), f"{page} is among the first five for {words}")
        asked.update(browser.requests())
        others = sorted(url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:")))
        claims.check(len(asked) > len(looked_at(pages)) and not others, f"of {len(asked)} requests none is to a server {others[:5]}")
        complaints += browser.complaints()
        claims.check(not complaints, f"no script fails and no file is missing {sorted(set(complaints))[:5]}")
        for name in PICTURED if pictures else ():
            for width in (1200, 390):
                browser.width(width)
                page, _, query = name.partition(".html")
                browser.go(site / f"{page}.html", query)
                time.sleep(1 if query else 0)
                browser.picture(pictures / f"{page.replace('/', '-')}-{width}.png")
    finally:
        browser.close()


def finds_what_it_looks_for(claims):
    """A site with one fault of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve()
        (site / "index.html").write_text('<a href="a.html#here">a</a> <a href="gone.html">b</a> <a href="a.html#gone">c</a>')
        (site / "a.html").write_text('<p id="here"></p><script src="https://example.org/x.js"></script>')
        (site / "b.html").write_text('<a href="index.html">a</a><a href="https://example.org">a link that nobody follows unasked</a>')
        (site / "a.css").write_text('@import url(/fonts.css); p { background: url("//example.org/x.png") }')
        pages = read(site)
        claims.check(broken_links(site, pages) == ["index.html: gone.html", "index.html: a.html#gone"], "broken links are found")
        claims.check(unreached(site, pages) == ["b.html"], "a page that nothing leads to is found")
        claims.check(asks_others(site, pages) == ["a.html: https://example.org/x.js", "a.css: /fonts.css", "a.css: //example.org/x.png"],
                     "what is asked of a server is found")


def main():
    claims, site = Claims(), pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    finds_what_it_looks_for(claims)
    live(claims, site)
    in_chromium(claims, site, files(claims, site), pictures)
    return claims.finish()


sys.exit(main())
