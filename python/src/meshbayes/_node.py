"""A node of a mesh, `meshbayes-node`: runs it, watches it, asks it, over its HTTP."""
from __future__ import annotations

import csv
import http.client
import io
import json
import os
import socket
import subprocess
import time
from typing import Any, Dict, Iterator, Optional, Sequence

import numpy as np

from ._handle import MeshbayesError, encoded, wrong_type
from ._library import missing, program
from ._posterior import Posterior
from ._rows import is_frame, listed, rows_of


class _Unix(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__('localhost', timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


_WHICH = ('meshbayes-node', 'MESHBAYES_NODE')


class Node:
    """A node of a mesh, a process of `meshbayes-node`.

    Parameters
    ----------
    where : str
        The `status` of its configuration: "unix:PATH", or "HOST:PORT", which takes no rows.
    timeout : float
        Seconds for an answer.

    Attributes
    ----------
    process : subprocess.Popen or None
        Of a node that `run` began.

    Notes
    -----
    A node that does not answer raises OSError; what it refuses, MeshbayesError in its words.
    """

    def __init__(self, where: str, timeout: float = 10.0) -> None:
        encoded('where', where)
        self.where, self.timeout = where, timeout
        self.process: Optional[subprocess.Popen[bytes]] = None
        self._connection()

    @classmethod
    def run(cls, config: str, timeout: float = 10.0, **how: Any) -> Node:
        """Begins a process with a configuration, and waits until it answers.

        Parameters
        ----------
        config : str
            The file of its configuration, whose `status` is asked.
        timeout : float
            Seconds for the first answer, and for each later one.
        **how
            As of `subprocess.Popen`, such as stderr, for its log.
        """
        found = program(*_WHICH)
        if not found:
            raise MeshbayesError('node: ' + missing(*_WHICH))
        with open(config, encoding='utf-8') as f:
            made = json.load(f)
        where = made.get('status') if isinstance(made, dict) else None
        if not isinstance(where, str):
            raise MeshbayesError(f'config: {config} has no "status"; expected "unix:PATH"', 'config')
        if where.startswith('unix:'):
            where = 'unix:' + os.path.join(os.path.dirname(os.path.abspath(config)), where[5:])
        node = cls(where, timeout)
        if node._is_there():
            raise MeshbayesError(f'node: {config}: another process answers at {where}', 'config')
        node.process = subprocess.Popen([found, 'run', '--config', config], stdin=subprocess.DEVNULL, **how)
        until = time.monotonic() + timeout
        try:
            while True:
                answers = True
                try:
                    node.status()
                except OSError:
                    answers = False
                ended = node.process.poll()     # then it was another one that answered
                if answers and ended is None:
                    return node
                if ended is not None or time.monotonic() >= until:
                    why = 'does not answer' if ended is None else f'ended with status {ended}'
                    raise MeshbayesError(f'node: {config}: the process {why}', 'config')
                time.sleep(0.05)
        except BaseException:
            node.stop()
            raise

    def stop(self) -> Optional[int]:
        """Ends the process that `run` began, with its files; its status."""
        if self.process is None:
            return None
        self.process.terminate()
        return self.process.wait()

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _is_there(self) -> bool:
        """Whether a process listens at its address."""
        connection = self._connection()
        try:
            connection.connect()
        except OSError:
            return False
        finally:
            connection.close()
        return True

    def _connection(self) -> http.client.HTTPConnection:
        if self.where.startswith('unix:'):
            return _Unix(self.where[5:], self.timeout)
        try:
            return http.client.HTTPConnection(self.where, timeout=self.timeout)
        except http.client.InvalidURL:
            raise MeshbayesError(f'where: got "{self.where}"; expected unix:PATH or HOST:PORT', 'where') from None

    def _ask(self, route: str, body: Optional[bytes] = None, more: Optional[Dict[str, str]] = None) -> str:
        """An answer that is none of its refusals."""
        connection = self._connection()
        try:
            connection.request('GET' if body is None else 'POST', route, body, more or {})
            answer = connection.getresponse()
            status, text = answer.status, answer.read().decode()
        except http.client.HTTPException as why:
            raise ConnectionError(f'node: {self.where}: {why!r}') from None
        finally:
            connection.close()
        if status != 200:
            try:
                text = json.loads(text)['error']
            except (ValueError, KeyError, TypeError):
                text = f'{route}: status {status}'
            raise MeshbayesError(f'node: {text}')
        return text

    def status(self) -> Dict[str, Any]:
        """Verdict, nodes, bound, rows, neighbours .., as docs/status.schema.json describes them."""
        found: Dict[str, Any] = json.loads(self._ask('/status'))
        return found

    def posterior(self) -> Posterior:
        """Its posterior of the rows of all nodes."""
        return Posterior.from_json(self._ask('/posterior'))

    def watch(self, every: float = 1.0) -> Iterator[Dict[str, Any]]:
        """Its status again and again, the last one when it has settled or failed.

        Parameters
        ----------
        every : float
            Seconds from one to the next.

        Yields
        ------
        dict
            As of `status`.
        """
        while True:
            now = self.status()
            yield now
            if now['verdict'] in ('settled', 'failed'):
                return
            time.sleep(every)

    def post(self, X: Any, *, columns: Optional[Sequence[str]] = None, key: Optional[str] = None) -> int:
        """Gives it more rows, at most 10,000 at once.

        Parameters
        ----------
        X : array-like of shape (n, d), or a frame
            Rows with all columns of the model, targets too; NaN is a missing value.
        columns : sequence of str, optional
            Names of the columns of an array; by default those of the posterior and then its targets.
        key : str, optional
            Names this batch: where it is given again, after an answer was lost, it counts once.

        Returns
        -------
        int
            Rows that were taken; 0: the batch was taken before.
        """
        X = rows_of('x', X)
        if is_frame(X) and hasattr(X, 'columns'):
            names, rows = [str(c) for c in X.columns], X.astype(object).where(X.notna(), '').to_numpy().tolist()
        else:
            a = np.asarray(X)
            if a.ndim != 2:
                raise wrong_type('x', X, 'an array of two dimensions, or a frame')
            if columns is None:
                known = self.posterior()
                columns = known.columns + known.targets
            names = listed('columns', columns)
            rows = [['' if isinstance(c, float) and np.isnan(c) else c for c in row] for row in a.tolist()]
            if a.shape[1] != len(names):
                raise MeshbayesError(f'x: got {a.shape[1]} columns; expected ' + ', '.join(names), 'x')
        text = io.StringIO()
        csv.writer(text, lineterminator='\n').writerows([names, *rows])
        more = {'Content-Type': 'text/csv', **({} if key is None else {'Idempotency-Key': key})}
        return int(json.loads(self._ask('/rows', text.getvalue().encode(), more))['rows'])

    def __repr__(self) -> str:
        return f'<Node at {self.where}>'
