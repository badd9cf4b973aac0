"""What the check_*.py of this folder share: claims, one line each, and the folder of their networks."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from harness import Claims  # noqa: E402

claims = Claims()


def claim(text, holds):
    return claims.check(holds, text)


def main(check):
    """Runs check(BUILD, folder) with a folder that is removed afterwards; exit status for the shell."""
    if len(sys.argv) < 2:
        sys.exit(f'use: {sys.argv[0]} BUILD')
    with tempfile.TemporaryDirectory(prefix='mb', ignore_cleanup_errors=True) as folder:
        check(os.path.abspath(sys.argv[1]), folder)
    sys.exit(claims.finish())
