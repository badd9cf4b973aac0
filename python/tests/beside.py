"""What the tests of the package share: the package beside them, with the library of the program."""
import os
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.dirname(HERE)
TOP = os.path.dirname(PYTHON)
sys.path[:0] = [os.path.join(PYTHON, 'src'), os.path.join(TOP, 'tests', 'reference')]


def package(prog):
    """The package, which calls the objects that the program was linked from."""
    os.environ['MESHBAYES_LIBRARY'] = prog.library()
    import meshbayes
    warnings.simplefilter('ignore', meshbayes.MeshbayesWarning)
    return meshbayes


def excused():
    """Estimators and checks of scikit-learn's that do not hold."""
    with open(os.path.join(HERE, 'estimator_checks.txt')) as f:
        return {tuple(line.split()[:2]) for line in f if line[0] != '#'}


def refused(call, *args, **how):
    """The error that it raises, None: none."""
    try:
        call(*args, **how)
    except Exception as why:
        return why
    return None


def says(claims, text, words, call, *args, kind=ValueError, place=None, **how):
    why = refused(call, *args, **how)
    found = None if why is None else (getattr(why, 'option', None), getattr(why, 'row', None),
                                      getattr(why, 'column', None))
    claims.check(isinstance(why, kind) and words in str(why) and (place is None or place == found),
                 f'{text}: {type(why).__name__} {why} {found}')
