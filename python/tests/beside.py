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
