"""Nodes in network namespaces of their own, on one bridge: loss by nftables, rates by tbf, partitions.

    Net(n).open() makes them or raises NotPermitted; host(i) and inside(i) are for Mesh. All names begin
    with `mb` and the process id, and close() removes them."""
import os
import shutil
import subprocess


class NotPermitted(Exception):
    pass


class Net:
    def __init__(self, n):
        self.n, self.name, self.made = n, f'mb{os.getpid()}', []

    def host(self, i):
        return f'10.77.0.{i + 1}'

    def inside(self, i):
        return ['ip', 'netns', 'exec', f'{self.name}-{i}']

    def _run(self, *command, text=None):
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode:
            raise NotPermitted(f'{" ".join(command)}: {(done.stderr or done.stdout).strip()}')

    def _space(self, name):
        self._run('ip', 'netns', 'add', name)
        self.made.append(name)
        self._run('ip', '-n', name, 'link', 'set', 'lo', 'up')

    def open(self):
        missing = [tool for tool in ('ip', 'nft', 'tc') if not shutil.which(tool)]
        if missing:
            raise NotPermitted(f'{", ".join(missing)}: not installed')
        try:
            hub = f'{self.name}-hub'
            self._space(hub)
            self._run('ip', '-n', hub, 'link', 'add', 'br0', 'type', 'bridge')
            self._run('ip', '-n', hub, 'link', 'set', 'br0', 'up')
            for i in range(self.n):
                own = f'{self.name}-{i}'
                self._space(own)
                self._run('ip', '-n', own, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', f'p{i}',
                          'netns', hub)
                self._run('ip', '-n', hub, 'link', 'set', f'p{i}', 'master', 'br0', 'up')
                self._run('ip', '-n', own, 'address', 'add', f'{self.host(i)}/24', 'dev', 'eth0')
                self._run('ip', '-n', own, 'link', 'set', 'eth0', 'up')
            self.loss(1)
            self.loss(0)
            self.rate('1gbit')
            self.rate(None)
        except NotPermitted:
            self.close()
            raise
        return self

    def _filter(self, i, rule):
        """What node i drops of what arrives; the counter says how much."""
        self._run(*self.inside(i), 'nft', '-f', '-', text=(
            'table inet mb {}\ndelete table inet mb\ntable inet mb { chain arrives {\n'
            f'type filter hook input priority 0; {rule}\n}}\n}}\n'))

    def loss(self, percent):
        for i in range(self.n):
            self._filter(i, f'numgen random mod 1000 < {10 * percent} counter drop' if percent else '')

    def partition(self, halves):
        for half in halves:
            others = ', '.join(self.host(j) for j in range(self.n) if j not in half)
            for i in half:
                self._filter(i, f'ip saddr {{ {others} }} counter drop')

    def dropped(self):
        """Packets that the filters have dropped since they were set."""
        total = 0
        for i in range(self.n):
            said = subprocess.run([*self.inside(i), 'nft', 'list', 'table', 'inet', 'mb'],
                                  capture_output=True, text=True).stdout
            total += int(said.split('packets ')[1].split()[0]) if 'packets ' in said else 0
        return total

    def rate(self, limit):
        """Bits a second that a node may send ("64kbit"); None: no limit."""
        for i in range(self.n):
            tc = [*self.inside(i), 'tc', 'qdisc']
            if limit:
                self._run(*tc, 'replace', 'dev', 'eth0', 'root', 'tbf', 'rate', limit, 'burst', '4kb',
                          'latency', '200ms')
            else:
                subprocess.run([*tc, 'delete', 'dev', 'eth0', 'root'], capture_output=True)

    def close(self):
        for name in self.made:
            subprocess.run(['ip', 'netns', 'delete', name], capture_output=True)
        self.made = []
