#!/usr/bin/env python3
"""fetch.py - `meshbayes paper fetch`: public data sets that do not come with meshbayes, downloaded or
taken from a folder, converted and checked. COIL20.mat needs scipy, all else the standard library."""
import csv
import gzip
import hashlib
import http.client
import io
import os
import re
import signal
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
import zlib

HELP = '''usage: meshbayes paper fetch coil20|beijing-air [--from DIR] [--out DIR]

Public data sets that do not come with meshbayes: downloads, converts, and checks size and SHA-256
where they are known (coil20), else prints them.
  coil20       coil20/coil20.npy (1440 x 1024, uint8), coil20/coil20_labels.csv: images of
               20 objects, 32 x 32 pixels, from Deng Cai's COIL20.mat; for research use
  beijing-air  beijing-air/daily.csv: daily means of six pollutants and the weather at 12
               stations, 2013-03 to 2017-02, from the UCI repository (CC BY 4.0)

  --out DIR  (meshbayes-data)
      folder in which the folder of the data set is created
  --from DIR
      use the files of this folder and download nothing: COIL20.mat, or the zip archive of the UCI
      repository or its 12 files PRSA_Data_*.csv, or files that fetch wrote

  meshbayes paper fetch coil20
  meshbayes paper fetch beijing-air --from ~/Downloads --out data'''
LIMIT = 1 << 28  # bytes of a download or of an unpacked file
SECONDS = 20  # without an answer

IMAGES, PIXELS, OBJECTS = 1440, 1024, 20
COIL20_URL = 'http://www.cad.zju.edu.cn/home/dengcai/Data/COIL20/COIL20.mat'
ROWS_HASH = 'a97a4b9369716b18039b81a35b0def0f5253b942ef641ba2e52797763115a9b4'
LABELS_HASH = '7cf990cf876b025597faaba8621ccf7c9f9f678a12d2be516b7372cd0fc30609'

STATIONS = ('Aotizhongxin', 'Changping', 'Dingling', 'Dongsi', 'Guanyuan', 'Gucheng', 'Huairou',
            'Nongzhanguan', 'Shunyi', 'Tiantan', 'Wanliu', 'Wanshouxigong')
VALUES = ('PM2.5', 'PM10', 'SO2', 'NO2', 'CO', 'O3', 'TEMP', 'PRES', 'DEWP', 'RAIN', 'WSPM')
WHEN = (('year', 1900, 2100), ('month', 1, 12), ('day', 1, 31))
DAYS, HOURS, ENOUGH = 1461, 24, 20  # a mean of fewer hours is NaN
BEIJING_ZIP = 'beijing+multi+site+air+quality+data.zip'
BEIJING_URL = 'https://archive.ics.uci.edu/static/public/501/' + BEIJING_ZIP
HEAD = ('station,date,' + ','.join(VALUES) + '\n').encode()


class Failure(Exception):
    """One line for the user, and the exit status."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def say(text):
    try:
        print(text, flush=True)
    except (OSError, AttributeError) as error:  # AttributeError: closed before the start
        raise Failure('standard output cannot be written') from error


def read(path):
    """A whole file, unpacked when it is gzip."""
    with open(path, 'rb') as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def download(url):
    try:
        request = urllib.request.Request(url, headers={'User-Agent': 'meshbayes'})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            data = answer.read(LIMIT + 1)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = error.reason if type(error) is urllib.error.URLError else error
        said = re.sub('[^ -~]', '?', (str(reason).splitlines() or ['no reason given'])[0])
        raise Failure(f'{url}: not downloaded ({said[:90]})') from error
    if len(data) > LIMIT:
        raise Failure(f'{url}: not downloaded (more than {LIMIT} bytes)')
    return data


def check(path, data, want):
    got = hashlib.sha256(data).hexdigest()
    if want not in (None, got):
        raise Failure(f'{path} is not written: {len(data)} bytes with SHA-256 {got}; expected {want}')
    return got


def write(path, data):
    """Whole or not at all."""
    handle, draft = tempfile.mkstemp(prefix='.fetch-', dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(data)
            os.fchmod(handle, 0o666 & ~UMASK)
            file.flush()
            os.fsync(handle)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


# COIL-20: 20 objects x 72 poses, the matrix `fea` of COIL20.mat [Nene96].


def matrix(variables, names, file, cols):
    """The first of these that the file holds, of the shape 1440 x cols."""
    for name in names:
        x = variables.get(name)
        if getattr(x, 'ndim', 0) == 2 and x.dtype.kind in 'biuf':
            if x.shape != (IMAGES, cols):
                raise Failure(f'{file}: a matrix of {x.shape[0]} x {x.shape[1]}; expected {IMAGES} x {cols}')
            return x.astype(float)
    raise Failure(f'{file}: no numeric matrix named {" or ".join(names)}')


def from_mat(file, data):
    """The files as we write them. A pixel is rounded to 8 bits, so that they are the same everywhere;
    fea is in [0, 1]; files that store it as 0..255 are accepted as well."""
    if data[:10] != b'MATLAB 5.0' or data[126:128] != b'IM':
        raise Failure(f'{file}: not a MATLAB file of version 5, little endian')
    try:
        import numpy as np
        import scipy.io
    except ImportError as error:
        raise Failure(f'{file}: {sys.executable} has no scipy to read it: install scipy (Debian: '
                      'python3-scipy), or put a Python that has it first in PATH') from error
    names = (('fea', 'X'), ('gnd', 'Y'))
    try:
        variables = scipy.io.loadmat(io.BytesIO(data), variable_names=names[0] + names[1])
    except Exception as error:  # whatever scipy raises for bytes that are not a MATLAB file
        raise Failure(f'{file}: packed data that is cut or damaged ({type(error).__name__})') from error
    fea, gnd = matrix(variables, names[0], file, PIXELS), matrix(variables, names[1], file, 1)[:, 0]
    for x in fea[~((fea >= 0) & (fea <= 255))][:1]:
        raise Failure(f'{file}: pixel {x:.9g}; expected 0 to 1, or 0 to 255')
    for k in np.flatnonzero(~((gnd >= 1) & (gnd <= OBJECTS)))[:1]:
        raise Failure(f'{file}: object {gnd[k]:.9g} of image {k + 1}; expected 1 to {OBJECTS}')
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({IMAGES}, {PIXELS}), }}"
    rows = b'\x93NUMPY\1\0\x76\0' + head.ljust(117).encode() + b'\n'
    rows += np.rint((1 if fea.max() > 1 else 255) * fea).astype(np.uint8).tobytes()
    return rows, ('label\n' + ''.join(f'{int(k)}\n' for k in gnd)).encode()


def coil20(folder):
    if folder is None:
        return from_mat('COIL20.mat', download(COIL20_URL))
    mat = os.path.join(folder, 'COIL20.mat')
    if os.path.isfile(mat):
        return from_mat(mat, read(mat))
    for pair in ('coil20.npy', 'coil20_labels.csv'), ('coil20_u8.npy', 'labels.csv'):
        files = [os.path.join(folder, name) for name in pair]
        if all(map(os.path.isfile, files)):
            return read(files[0]), read(files[1])
    raise Failure(f'--from: {folder} holds neither COIL20.mat nor coil20.npy with coil20_labels.csv')


# Beijing multi-site air quality (UCI 501 [Chen19]): daily means of 12 stations from hours.


def number(text, kind, low, high, where, column):
    try:
        x = kind(text)
    except ValueError:
        x = None
    if x is None or not low <= x <= high:
        raise Failure(f'{where}: column "{column}": "{text[:40]}" is not a number that is accepted here')
    return x


def mean(hours):
    if len(hours) < ENOUGH:
        return 'NaN'
    total = 0.0
    for x in hours:
        total += x
    return f'{round(100 * (total / len(hours))) / 100:.10g}'


def days(file, which, data):
    """Lines of the daily means of one station from its file of hours, in the file's order."""
    rows = list(csv.reader(io.StringIO(data.decode('utf-8', 'replace'), newline='')))
    head, rows = rows[0] if rows else [], [row for row in rows[1:] if row]
    for name in [name for name, _, _ in WHEN] + list(VALUES):
        if name not in head:
            raise Failure(f'{file}: no column "{name}"')
    if len(rows) != DAYS * HOURS:
        raise Failure(f'{file}: {len(rows)} rows; expected {DAYS * HOURS} hours')
    when, values = [(head.index(name), *rest) for name, *rest in WHEN], [head.index(name) for name in VALUES]
    out, last = [], 0
    for r, row in enumerate(rows):
        where = f'{file}:{r + 2}'
        if len(row) != len(head):
            raise Failure(f'{where}: {len(row)} cells; expected {len(head)}')
        y, m, d = (number(row[at], int, low, high, where, head[at]) for at, low, high in when)
        date = 10000 * y + 100 * m + d
        if date < last or (date > last) != (r % HOURS == 0):
            raise Failure(f'{where}: the day changes to {date}; expected {HOURS} rows a day')
        if date > last:
            last, hours = date, [[] for _ in VALUES]
        for at, known in zip(values, hours):
            if row[at] != 'NA':
                known.append(number(row[at], float, -1e300, 1e300, where, head[at]))
        if (r + 1) % HOURS == 0:
            out.append(f'{which},{date},{",".join(map(mean, hours))}\n')
    return ''.join(out)


def from_hours(read_one, folder):
    text = ''
    for which, station in enumerate(STATIONS):
        name = f'PRSA_Data_{station}_20130301-20170228.csv'
        text += days(f'{folder}/{name}', which, read_one(name))
    return HEAD + text.encode()


def unzip(file, data, depth=0):
    """The files PRSA_Data_*.csv of an archive and of the archives in it, by name without folder."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for item in archive.infolist():
            name = re.split(r'[/\\]', item.filename)[-1]
            wanted = name.startswith('PRSA_Data_') and name.endswith('.csv')
            if not wanted and not (depth < 2 and name.endswith('.zip')):
                continue
            if item.file_size > LIMIT:
                raise zipfile.BadZipFile
            body = archive.read(item)  # checks the CRC
            found.update({name: body} if wanted else unzip(file, body, depth + 1))
    return found


def from_zip(file, data):
    try:
        found = unzip(file, data)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise Failure(f'{file}: not a zip archive, or a damaged one') from error
    if len(found) != len(STATIONS):
        raise Failure(f'{file}: {len(found)} files PRSA_Data_*.csv; expected {len(STATIONS)}')

    def one(name):
        if name not in found:
            raise Failure(f'{file}: no file {name}')
        return found[name]
    return from_hours(one, file)


def from_daily(file, data):
    if not data.startswith(HEAD) or data.count(b'\n') != len(STATIONS) * DAYS + 1:
        raise Failure(f'{file}: not the {len(STATIONS) * DAYS} daily means of {len(STATIONS)} stations '
                      'with their header')
    return data


def beijing(folder):
    if folder is None:
        return from_zip(BEIJING_ZIP, download(BEIJING_URL))
    if os.path.isfile(f'{folder}/PRSA_Data_{STATIONS[0]}_20130301-20170228.csv'):
        return from_hours(lambda name: read(f'{folder}/{name}'), folder)
    for name in 'daily.csv', 'daily.csv.gz', BEIJING_ZIP, 'PRSA2017_Data_20130301-20170228.zip':
        file = os.path.join(folder, name)
        if os.path.isfile(file):
            return (from_zip if name.endswith('.zip') else from_daily)(file, read(file))
    raise Failure(f'--from: {folder} holds neither daily.csv, nor {BEIJING_ZIP}, nor its 12 files PRSA_Data_*.csv')


def options(words):
    """The data set and the options, as the program's own commands take them."""
    got, sets = {'out': 'meshbayes-data', 'from': None}, []
    while words:
        word, *words = words
        if not word.startswith('--'):
            sets.append(word)
            continue
        name, given, value = word[2:].partition('=')
        if name not in got:
            raise Failure(f'--{name} is not an option here; expected --out, --from', 2)
        if not given and not words:
            raise Failure(f'--{name} needs a value; expected DIR', 2)
        got[name] = value if given else words.pop(0)
    if len(sets) > 1:
        raise Failure(f'"{sets[1]}" is not expected here; options start with two dashes', 2)
    if not sets or sets[0] not in ('coil20', 'beijing-air'):
        raise Failure(f'"{"".join(sets)}" is not a data set; expected coil20, beijing-air', 2)
    return sets[0], got['from'], got['out']


def fetch(words):
    name, folder, out = options(words)
    out = f'{out}/{name}'
    if name == 'coil20':
        rows, labels = coil20(folder)
        files = [('coil20_labels.csv', labels, LABELS_HASH), ('coil20.npy', rows, ROWS_HASH)]
    else:
        files = [('daily.csv', beijing(folder), None)]
    for file, data, want in reversed(files):  # all files or none
        check(f'{out}/{file}', data, want)
    os.makedirs(out, exist_ok=True)
    for file, data, want in files:
        write(f'{out}/{file}', data)
        say(f'{out}/{file}: {len(data)} bytes, SHA-256 {check(file, data, want)}{" as recorded" if want else ""}')


def main(words):
    try:
        if '--help' in words or '-h' in words:
            say(HELP)
        else:
            fetch(words)
        return 0
    except Failure as failure:
        said, status = failure, failure.status
    except (OSError, EOFError, zlib.error, MemoryError) as error:
        file = getattr(error, 'filename', None)
        said, status = f'{file or "fetch"}: {getattr(error, "strerror", None) or error or "out of memory"}', 1
    try:
        print(f'meshbayes paper fetch: error: {said}', file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a full disk refused is not written again
    except OSError:
        pass
    return status


UMASK = os.umask(0)
os.umask(UMASK)
if __name__ == '__main__':
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
