#!/usr/bin/python3
"""check_wasm.py PROGRAM PAGE.html: the page with the library in it, in Chromium, from a file and without a network. Its
bounds are those of the program for the rows and links that it offers to save; it never says settled before it is; it
is used by keyboard, at 390 pixels, in the dark and without animation."""
import json
import os
import re
import sys
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests', 'reference'))
from harness import main
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

TEN_DIGITS = 5e-11  # relative
PATIENCE = 60       # seconds for what takes about five on an idle machine
READABLE, VISIBLE = 4.5, 3.0  # contrast of text and of graphics, WCAG 2.1


class Page:
    """The page in a browser that may reach nothing."""

    def __init__(self, path, width=1200, height=900, media=()):
        options = Options()
        for word in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                     '--disable-background-networking'):
            options.add_argument(word)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(options=options, service=Service('/usr/bin/chromedriver'))
        self.url = 'file://' + os.path.abspath(path)
        self.open(width, height, media)

    def open(self, width=1200, height=900, media=()):
        tell = self.driver.execute_cdp_cmd
        tell('Network.enable', {})
        tell('Network.emulateNetworkConditions',
             {'offline': True, 'latency': 0, 'downloadThroughput': 0, 'uploadThroughput': 0})
        tell('Emulation.setDeviceMetricsOverride',
             {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})
        tell('Emulation.setEmulatedMedia', {'features': [{'name': k, 'value': v} for k, v in media]})
        self.driver.get(self.url)
        self.until(lambda: self.word() != 'loading')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def at(self, name):
        return self.driver.find_element(By.ID, name)

    def text(self, name):
        return self.driver.execute_script('return document.getElementById(arguments[0]).textContent', name)

    def word(self):
        return self.text('word')

    def number(self, name):
        return float(self.text(name).replace('−', '-').replace('–', 'nan').replace(' or more', ''))

    def js(self, code, *given):
        return self.driver.execute_script('return ' + code, *given)

    def choose(self, name, value):
        Select(self.at(name)).select_by_value(str(value))

    def slide(self, name, value):
        self.js('((e, v) => { e.value = v; for (const k of ["input", "change"]) e.dispatchEvent(new Event(k)); })'
                '(document.getElementById(arguments[0]), arguments[1])', name, value)

    def node(self, i):
        return self.driver.find_element(By.CSS_SELECTOR, f'#nodes g[data-node="{i}"]')

    def key(self, keys):
        self.driver.switch_to.active_element.send_keys(keys)

    def until(self, what):
        end = time.time() + PATIENCE
        while time.time() < end:
            if what():
                return True
            time.sleep(0.05)
        return False

    def settles(self):
        return self.until(lambda: self.word() == 'settled')

    def saved(self, name):
        return urllib.parse.unquote(self.at(name).get_attribute('href').split(',', 1)[1])


def by_program(prog, page):
    """The end of the program on the rows, links and command of the page: verdict and bound."""
    for name in ('rows', 'links'):
        with open(prog.file(name + '.csv'), 'w') as f:
            f.write(page.saved('save-' + name))
    out = f'out-{len(os.listdir(prog.folder))}'
    prog.run(*page.text('command').split()[1:], '--out', out)
    with open(prog.file(out + '/summary.json')) as f:
        ended = json.load(f)['algorithms']
    ended = ended[0] if isinstance(ended, list) else next(iter(ended.values()))
    return ended['verdict'], ended['bound']


def same_bound(claims, prog, page, name):
    verdict, bound = by_program(prog, page)
    apart = abs(page.number('bound') - bound) / abs(bound)
    claims.check(page.word() == verdict == 'settled' and apart <= TEN_DIGITS,
                 f'{name}: {page.word()}, the bound {page.text("bound")} is the program\'s {bound:.12g} ({apart:.0e})')
    apart = abs(page.number('bound') - page.number('bound-one')) / abs(bound)
    claims.check(apart <= TEN_DIGITS, f'{name}: and that of one machine')


def said_since(page, least=1):
    """Words of the verdict, and the digits that then agreed, since this was asked last."""
    page.until(lambda: page.js('said.length') >= least)
    return page.js('said.splice(0)')


def first_sight(claims, prog, page):
    claims.check(page.until(lambda: page.js('document.querySelectorAll("#links .lost").length')),
                 'cables blink when messages are lost')
    page.choose('speed', 'most')
    claims.check(page.settles(), 'it begins by itself and settles')
    page.driver.execute_script("""
        window.said = [];
        new MutationObserver(() => said.push([document.getElementById("word").textContent,
            parseInt(document.getElementById("digits").textContent) || 0]))
            .observe(document.getElementById("word"), {childList: true})""")
    page.at('again').click()
    said = said_since(page, 2)
    claims.check([word for word, _ in said] == ['moving', 'settled'] and said[-1][1] >= 10,
                 f'it says moving, then settled, and settled with ten digits at least {said}')
    claims.check(page.js('document.querySelectorAll("#nodes .settled").length') == 12, 'all twelve nodes say settled')
    same_bound(claims, prog, page, 'EDGE, one message in ten lost')


def break_something(claims, page):
    page.driver.execute_script('document.querySelector(\'#nodes g[data-node="4"]\').focus()')
    page.key(Keys.DELETE)
    said = [word for word, _ in said_since(page, 2)]
    claims.check(said == ['moving', 'settled'],
                 'Delete kills the chosen node: the network is moving, and settles')
    claims.check( 'dead' in page.node(4).get_attribute('class')
                 and 'The 11 nodes that live' in page.text('sentence'), 'the other eleven without it')
    bounds = page.number('bound'), page.number('bound-one')
    claims.check(abs(bounds[0] - bounds[1]) <= TEN_DIGITS * abs(bounds[1]), 'on the answer of one machine with their rows')
    page.key(Keys.DELETE)
    said_since(page, 2)
    claims.check(page.settles() and page.js('document.querySelectorAll("#nodes .settled").length') == 12,
                 'Delete again: it returns and all settle')
    page.choose('peer', page.js('[...document.querySelectorAll("#peer option")].find((o) => !/none/.test(o.text)).value'))
    page.at('cable').click()
    said = [word for word, _ in said_since(page, 2)]
    claims.check(said == ['moving', 'settled'] and page.js('document.querySelectorAll("#links .cut").length') == 1,
                 'a cable is pulled: they move, and settle')
    page.at('cable').click()
    said_since(page, 2)
    claims.check(page.js('document.querySelectorAll("#links .cut").length') == 0 and page.settles(), 'and in again')


def none_lives(claims, page):
    for i in range(12):
        page.choose('chosen', i)
        page.at('kill').click()
    claims.check(page.word() == 'waiting' and 'No node lives' in page.text('sentence') and page.text('digits') == '–',
                 f'without a live node it does not say settled, but {page.word()}')
    for i in range(12):
        page.choose('chosen', i)
        page.at('kill').click()
    claims.check(page.settles() and page.number('digits') >= 10, 'all return, and agree on ten digits')


def by_pointer(claims, page):
    before, hands = page.node(11).get_attribute('transform'), ActionChains(page.driver)
    hands.click_and_hold(page.node(11)).move_by_offset(-9, -6).release().perform()
    claims.check(page.node(11).get_attribute('transform') != before, 'a node is dragged')
    page.choose('shape', 'ring')
    page.settles()
    for e in (0, 6):
        page.js('document.querySelectorAll("#links .hit")[arguments[0]].dispatchEvent(new MouseEvent("click"))', e)
    claims.check(page.until(lambda: 'each has settled' in page.text('sentence')) and 'in 2 parts' in page.text('sentence')
                 and page.number('digits') >= 10, f'two cables of a ring are pulled: {page.text("sentence")}')
    page.choose('shape', 'radius')


def by_keyboard(claims, page):
    before = page.node(4).get_attribute('transform')
    page.driver.execute_script('document.querySelector(\'#nodes g[data-node="4"]\').focus()')
    page.key(Keys.ARROW_RIGHT)
    claims.check(page.node(4).get_attribute('transform') != before, 'an arrow key moves the chosen node')
    rows = len(page.saved('save-rows').splitlines())
    page.driver.execute_script('document.getElementById("rows").focus()')
    page.key(Keys.ARROW_UP)
    page.key(Keys.ENTER)
    claims.check(len(page.saved('save-rows').splitlines()) == rows + 1, 'Enter gives the chosen node a row')
    seen = []
    page.driver.execute_script('document.querySelector(".skip").focus()')
    page.key(Keys.TAB)
    for _ in range(60):
        at = page.js('(document.activeElement.id || document.activeElement.dataset.node || document.activeElement.tagName)')
        if at in seen and at not in ('BODY', 'SUMMARY', 'DIV'):
            break
        seen.append(at)
        page.key(Keys.TAB)
    order = ['run', 'step', 'again', 'speed', 'rows', '0', '11', 'chosen', 'kill', 'cable', 'loss', 'algorithm', 'seed']
    where = [seen.index(name) if name in seen else -1 for name in order]
    claims.check(-1 not in where and where == sorted(where), f'Tab reaches all in the order of sight {where}')
    claims.check(page.js('document.querySelectorAll("input, select, textarea").length > 10 && '
                         '[...document.querySelectorAll("input, select, textarea")].every((e) => e.labels.length)'),
                 'every field has a label')
    claims.check(page.js('document.getElementById("verdict").getAttribute("aria-live")') == 'polite',
                 'the verdict is said to those who listen')
    page.settles()
    claims.check(page.until(lambda: re.search(r'largest is \d', page.at('chart').get_attribute('aria-label'))) and
                 '361 rows' in page.at('rows').get_attribute('aria-label'), 'and the pictures are said in words')


def odd_files(claims, page):
    """What the program has options for is chosen beside the file; no message names an option of the program."""
    cells = [f'{k % 3 * 4 + k / 40},{k % 2 * 5 - k / 40}' for k in range(40)]
    commas = '\n'.join(line.replace(',', ';').replace('.', ',') for line in ['a,b', *cells])
    for text, name, value in (('\n'.join(cells), 'header', 2), ('\n'.join(['a,b', *cells, ',1']), 'missing', 1),
                              (commas, 'separator', 2), ('\n'.join(['a,b', *(c + '\n' + c.replace(',', ' ') for c in cells)]), '', 0),
                              ('\n'.join(['a,b', *(c.replace(',', ',w') for c in cells)]), '', 0)):
        page.js('(document.getElementById("paste").value = arguments[0])', text)
        page.at('load').click()
        page.until(lambda: page.text('trouble'))
        said = page.text('trouble')
        claims.check(said and ' --' not in said, f'{name or "refused"}: {said}')
        if name:
            page.choose(name, value)
            page.at('load').click()
            claims.check(page.until(lambda: not page.text('trouble')) and page.settles() and
                         len(page.saved('save-rows').splitlines()) == 41, f'{name} {value}: 40 rows')
            page.choose(name, 0)
    page.js('(document.getElementById("paste").value = "a,b\\n1,2\\n3,5")')
    page.at('load').click()
    claims.check(page.until(lambda: page.word() == 'waiting') and 'has 2 rows' in page.text('sentence'),
                 f'fewer rows than components: {page.text("sentence")}')
    page.at('example').click()
    page.settles()


def own_rows(claims, prog, page):
    page.js('(document.querySelector("fieldset details").open = true)')
    page.at('paste').send_keys('a,b,c\n1,2,3\n1,two,3\n')
    page.at('load').click()
    page.until(lambda: page.text('trouble'))
    claims.check('pasted.csv:3' in page.text('trouble') and 'two' in page.text('trouble'),
                 f'rows that cannot be read: {page.text("trouble")}')
    page.js('(document.getElementById("paste").value = "a,b,c,d,e,f,g,h,i,j,k,l,m\\n1,2,3,4,5,6,7,8,9,10,11,12,13")')
    page.at('load').click()
    page.until(lambda: '13 columns' in page.text('trouble'))
    page.at('step').click()
    claims.check('13 columns' in page.text('trouble') and page.word() != 'failed',
                 f'too wide a file is refused, and the run goes on: {page.text("trouble")}')
    page.at('run').click()
    odd_files(claims, page)
    rows = [line.split(',')[1:] for line in page.saved('save-rows').splitlines()[1:]]
    text = 'who,a,b,c\n' + ''.join(f'{"ABC"[k % 3]},{x},{y},{float(x) - float(y) + k % 7}\n' for k, (x, y) in enumerate(rows))
    page.at('paste').clear()
    page.js('(document.getElementById("paste").value = arguments[0])', text)
    page.at('node-column').send_keys('who')
    page.at('load').click()
    claims.check(page.js('document.querySelectorAll("#nodes g").length') == 3 and page.text('trouble') == '' and
                 page.settles(), 'a file of three columns with its own nodes settles')
    same_bound(claims, prog, page, 'three columns')
    page.at('example').click()


def algorithms(claims, prog, page):
    names = [o.text for o in Select(page.at('algorithm')).options]
    page.slide('loss', 0)
    settled = 0
    for k, name in enumerate(names):
        page.choose('algorithm', k)
        if page.text('trouble'):
            claims.check('ring' in page.text('trouble'), f'{name}: {page.text("trouble")}')
            continue
        verdict, _ = by_program(prog, page)
        if verdict in ('settled', 'elsewhere'):
            claims.check(page.until(lambda: page.word() == verdict), f'{name}: {page.word()}, as by the program')
        if verdict == 'settled':
            same_bound(claims, prog, page, name)
            settled += 1
    claims.check(settled >= 4, f'{settled} of {len(names)} algorithms of the list settle')
    page.choose('algorithm', names.index('EDGE'))


def several_models(claims, prog, page):
    for K, deal, shape, seed in ((2, 'random', 'ring', 2), (3, 'sorted', 'star', 3), (6, 'random', 'grid', 4)):
        page.choose('deal', deal)
        page.choose('shape', shape)
        page.slide('components', K)
        page.slide('seed', seed)
        claims.check(page.settles(), f'{K} components on a {shape}, rows {deal}: it settles')
        same_bound(claims, prog, page, f'{K} components on a {shape}')


def luminance(colour):
    parts = [int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    return sum(w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
               for w, c in zip((0.2126, 0.7152, 0.0722), parts))


def contrast(claims, page, name):
    get = 'getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()'
    for front, back, least in (('ink', 'paper', READABLE), ('soft', 'paper', READABLE), ('soft', 'card', READABLE),
                               ('moving', 'card', READABLE), ('lost', 'card', READABLE), ('on-accent', 'accent', READABLE),
                               ('on-accent', 'settled', READABLE), ('ink', 'warn', READABLE), ('accent', 'card', READABLE),
                               ('dead', 'paper', READABLE), ('dot', 'card', VISIBLE), ('chosen', 'card', VISIBLE)):
        a, b = (luminance(page.js(get, '--' + x)) for x in (front, back))
        ratio = (max(a, b) + 0.05) / (min(a, b) + 0.05)
        claims.check(ratio >= least, f'{name}: {front} on {back} has the contrast {ratio:.1f}')


def no_request(claims, page):
    asked = [json.loads(entry['message'])['message'] for entry in page.driver.get_log('performance')]
    urls = [m['params']['request']['url'] for m in asked if m['method'] == 'Network.requestWillBeSent']
    others = [url[:80] for url in urls if not url.startswith('data:') and url != page.url]
    claims.check(urls and not others, f'no request but for the file itself {others}')
    said = [entry['message'][:200] for entry in page.driver.get_log('browser')]
    claims.check(not said, f'nothing on the console {said}')


def check(claims, prog):
    path = sys.argv[2]
    with Page(path) as page:
        first_sight(claims, prog, page)
        break_something(claims, page)
        none_lives(claims, page)
        by_pointer(claims, page)
        by_keyboard(claims, page)
        own_rows(claims, prog, page)
        algorithms(claims, prog, page)
        several_models(claims, prog, page)
        contrast(claims, page, 'light')
        claims.check(page.js('document.documentElement.scrollWidth <= innerWidth'), 'no scroll sideways at 1200 pixels')
        no_request(claims, page)
        page.open(390, 844, [('prefers-color-scheme', 'dark'), ('prefers-reduced-motion', 'reduce')])
        claims.check(page.word() == 'settled', 'without animation it is settled at first sight')
        claims.check(page.js('document.documentElement.scrollWidth <= innerWidth'), 'no scroll sideways at 390 pixels')
        page.js('[...document.querySelectorAll("details")].forEach((d) => { d.open = true; })')
        claims.check(page.js('document.documentElement.scrollWidth <= innerWidth'), 'nor with all parts open')
        claims.check(not page.js('document.querySelector("#links .lost")'), 'and nothing blinks')
        contrast(claims, page, 'dark')


if __name__ == '__main__':
    main(check)
