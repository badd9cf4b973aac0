#!/usr/bin/python3
"""make_sources.py KIND FOLDER [PIXELS.npy]: what the public sources of `data fetch` look like.

coil20    COIL20.mat: fea = pixels / 255 (of PIXELS.npy, else invented) and gnd, compressed
coil20-plain  the same without compression, variables X and Y
beijing   the zip archive of archives of 12 files of hours, and expected.csv: the daily means"""
import io
import sys
import zipfile

import numpy as np

STATIONS = ['Aotizhongxin', 'Changping', 'Dingling', 'Dongsi', 'Guanyuan', 'Gucheng', 'Huairou',
            'Nongzhanguan', 'Shunyi', 'Tiantan', 'Wanliu', 'Wanshouxigong']
VALUES = ['PM2.5', 'PM10', 'SO2', 'NO2', 'CO', 'O3', 'TEMP', 'PRES', 'DEWP', 'RAIN', 'WSPM']
DAYS = 1461


def coil20(folder, pixels, names, compressed):
    from scipy.io import savemat
    pixels = np.load(pixels) if pixels else np.arange(1440 * 1024).reshape(1440, 1024) % 256
    labels = np.repeat(np.arange(1, 21), 72)[:, None]
    # A step of 1/16 of a grey level, as means of 4 x 4 pixels have, is rounded away.
    fea = np.clip((16 * pixels.astype(float) + np.arange(1024) % 15 - 7) / 4080, 0, 1)
    savemat(f'{folder}/COIL20.mat', {'other': 'text', names[0]: fea, names[1]: labels.astype(np.uint8)},
            do_compression=compressed)


def station_hours(rng, dates):
    """The rows of a file up to the station's name, and the daily means. Whole numbers: sums are exact.
    Some hours are missing."""
    hours = rng.integers(0, 400, (DAYS * 24, len(VALUES))).astype(float)
    hours[rng.random(hours.shape) < 0.08] = np.nan
    rows = []
    for t, h in enumerate(hours.tolist()):
        y, m, d = (int(v) for v in dates[t // 24].split('-'))
        cells = ['NA' if v != v else str(int(v)) for v in h]
        rows.append(f'{t + 1},{y},{m},{d},{t % 24},' + ','.join(cells[:-1]) + f',NNW,{cells[-1]},')
    day = hours.reshape(DAYS, 24, -1)
    known = (~np.isnan(day)).sum(axis=1)
    mean = np.where(known >= 20, np.nansum(day, axis=1) / np.maximum(known, 1), np.nan)
    return rows, np.rint(100 * mean) / 100


def text_of(x):
    return 'NaN' if np.isnan(x) else f'{x:.10g}'


def beijing(folder):
    rng = np.random.default_rng(3)
    dates = np.arange('2013-03-01', '2017-03-01', dtype='datetime64[D]').astype(str)
    inner, lines = io.BytesIO(), ['station,date,' + ','.join(VALUES)]
    with zipfile.ZipFile(inner, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as z:
        three = [station_hours(rng, dates) for _ in range(3)]  # the other stations repeat them
        for k, name in enumerate(STATIONS):
            rows, means = three[k % 3]
            head = 'No,year,month,day,hour,' + ','.join(VALUES[:-1]) + ',wd,WSPM,station\n'
            z.writestr(f'PRSA_Data_20130301-20170228/PRSA_Data_{name}_20130301-20170228.csv',
                       head + ''.join(f'{row}{name}\n' for row in rows))
            for date, day in zip(dates, means):
                lines.append(f"{k},{date.replace('-', '')}," + ','.join(text_of(v) for v in day))
    with zipfile.ZipFile(f'{folder}/beijing+multi+site+air+quality+data.zip', 'w') as z:
        z.writestr('data.csv', 'something else\n')
        z.writestr('PRSA2017_Data_20130301-20170228.zip', inner.getvalue())
    with open(f'{folder}/expected.csv', 'w') as f:
        f.write('\n'.join(lines) + '\n')


kind, folder = sys.argv[1:3]
if kind == 'beijing':
    beijing(folder)
elif kind == 'coil20':
    coil20(folder, sys.argv[3] if len(sys.argv) > 3 else None, ('fea', 'gnd'), True)
else:
    coil20(folder, sys.argv[3] if len(sys.argv) > 3 else None, ('X', 'Y'), False)
