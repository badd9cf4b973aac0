#!/usr/bin/python3
"""check_models.py NATIVE MODELS.js: the library as WebAssembly has the bounds of the native one, to ten digits, and its
verdicts, for all models and algorithms that it lists."""
import subprocess
import sys

TEN_DIGITS = 5e-11  # relative


def lines(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f'FAIL: {command} ends with {done.returncode}, after:\n{done.stdout}')
    return [line.split() for line in done.stdout.splitlines()]


def main():
    native, wasm = lines([sys.argv[1]]), lines(['node', sys.argv[2]])
    passed, farthest = 0, 0.0
    for (name, bound, verdict), (other, found, said) in zip(native, wasm, strict=True):
        apart = abs(float(bound) - float(found)) / abs(float(bound))
        farthest = max(farthest, apart)
        good = (name, verdict) == (other, said) and apart <= TEN_DIGITS
        passed += good
        if not good:
            print(f'FAIL: {name}: native {bound} {verdict}, wasm {other} {found} {said}')
    failed = len(native) - passed
    print(f'farthest bound: {farthest:.1e}, relative')
    print(f'{passed} passed, {failed} failed')
    return failed > 0 or passed < 15


if __name__ == '__main__':
    sys.exit(main())
