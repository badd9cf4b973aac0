"""Builds the shared library with CMake and packs it beside the modules: one wheel for every Python 3.

MESHBAYES_LIBRARY names a library that is packed as it is, instead of one that is built here; "system": none is
packed, as where a package of the system has it.
"""
import os
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
# What CMake needs of the sources.
PARTS = ('CMakeLists.txt', 'LICENSE', 'cmake', 'include', 'src')
# Libraries of every system; all others that the library needs are packed beside it.
SYSTEM = re.compile(r'(lib(c|m|pthread|dl|rt|gcc_s)|ld-linux[-_a-z0-9]*|libc\.musl[-_a-z0-9]*)\.so\b.*')
# Nothing that bindings do not call.
OFF = ('CLI', 'NODE', 'MPI', 'METIS', 'ZLIB', 'EXPAT', 'SODIUM', 'TESTS', 'BENCH', 'EXAMPLES')


def sources():
    """The folder of the sources: in a source distribution inside, else above."""
    for folder in (os.path.join(HERE, 'library'), os.path.dirname(HERE)):
        if os.path.exists(os.path.join(folder, 'CMakeLists.txt')):
            return folder
    raise SystemExit('meshbayes: got no CMakeLists.txt beside python/; expected the sources of the '
                     'library, or MESHBAYES_LIBRARY with a library that is built')


def version():
    with open(os.path.join(sources(), 'CMakeLists.txt')) as f:
        return re.search(r'^project\(meshbayes VERSION ([0-9.]+)', f.read(), re.M).group(1)


def needed():
    """Ends with the names of programs and packages that are missing."""
    missing = [f'{package} ({program})' for program, package in
               (('cmake', 'cmake'), (os.environ.get('CC', 'cc'), 'gcc and libc6-dev'),
                ('make', 'make'), ('readelf', 'binutils'))
               if not shutil.which(program.split()[0])]
    if missing:
        raise SystemExit('meshbayes: the library is built from C; missing: ' + ', '.join(missing))


def build_library(build):
    """The shared library in a folder of its own; returns its path."""
    needed()
    os.makedirs(build, exist_ok=True)
    configure = ['cmake', '-S', sources(), '-B', build, '-DCMAKE_BUILD_TYPE=Release',
                 '-DBUILD_SHARED_LIBS=ON', '-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON', '-DCMAKE_INSTALL_RPATH=$ORIGIN',
                 *(f'-DMB_{part}=OFF' for part in OFF), *os.environ.get('CMAKE_ARGS', '').split()]
    subprocess.run(configure, check=True)
    with open(os.path.join(build, 'CMakeCache.txt')) as f:
        if re.search(r'^JANSSON_(LIBRARY|INCLUDE):.*NOTFOUND$', f.read(), re.M):
            raise SystemExit('meshbayes: posteriors are kept as JSON; missing: libjansson-dev '
                             '(jansson.h and libjansson.so)')
    subprocess.run(['cmake', '--build', build, '-j', str(os.cpu_count() or 1), '--target',
                    'meshbayes_lib_shared'], check=True)
    return os.path.join(build, 'libmeshbayes.so')


def foreign(library):
    """Libraries that it needs and that not every system has: names and paths."""
    said = subprocess.run(['ldd', library], capture_output=True, text=True, check=True).stdout
    found = re.findall(r'^\s*(\S+) => (/\S+)', said, re.M)
    return [(name, path) for name, path in found if not SYSTEM.fullmatch(name)]


def least_glibc(files):
    """The newest version of glibc that they ask for; (0, 0): of no glibc."""
    newest = (0, 0)
    for file in files:
        said = subprocess.run(['readelf', '-V', '-W', file], capture_output=True, text=True,
                              check=True).stdout
        for major, minor in re.findall(r'GLIBC_(\d+)\.(\d+)', said):
            newest = max(newest, (int(major), int(minor)))
    return newest


class BuildPy(build_py):
    """Modules, and the library beside them."""

    def run(self):
        super().run()
        if getattr(self, 'editable_mode', False):
            return      # found in a build folder of the sources
        to = os.path.join(self.build_lib, 'meshbayes')
        given = os.environ.get('MESHBAYES_LIBRARY')
        if given == 'system':
            return
        library = given or build_library(os.path.join(
            self.get_finalized_command('build').build_temp, 'library'))
        self.packed = [shutil.copy(os.path.realpath(library), os.path.join(to, 'libmeshbayes.so'))]
        if given:
            return
        subprocess.run(['strip', '--strip-unneeded', self.packed[0]], check=True)
        self.packed += [shutil.copy(os.path.realpath(path), os.path.join(to, name))
                        for name, path in foreign(library)]

    def get_outputs(self, include_bytecode=1):
        return super().get_outputs(include_bytecode) + getattr(self, 'packed', [])


class Wheel(bdist_wheel):
    """py3-none-manylinux_2_NN: by the glibc that the packed libraries ask for."""

    def get_tag(self):
        platform = super().get_tag()[2]
        packed = getattr(self.get_finalized_command('build_py'), 'packed', [])
        glibc = least_glibc(packed) if packed and not os.environ.get('MESHBAYES_LIBRARY') else (0, 0)
        if glibc > (0, 0) and platform.startswith('linux_'):
            platform = platform.replace('linux', 'manylinux_%d_%d' % glibc, 1)
        return 'py3', 'none', platform


class Sdist(sdist):
    """With the sources of the library inside."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for part in PARTS:
            path, to = os.path.join(sources(), part), os.path.join(base_dir, 'library', part)
            if os.path.isdir(path):
                shutil.copytree(path, to, dirs_exist_ok=True)
            else:
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(path, to)


class Binary(Distribution):
    """A distribution that is not the same on every machine."""

    def has_ext_modules(self):
        return True


setup(version=version(), distclass=Binary,
      cmdclass={'build_py': BuildPy, 'bdist_wheel': Wheel, 'sdist': Sdist})
