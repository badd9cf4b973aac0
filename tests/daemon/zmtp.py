"""Sockets of libzmq by ctypes, for programs that attack a node: a client with any key, and a server that
writes down what a node says to one of its neighbours."""
import ctypes
import json
import time

LINGER, ROUTING_ID, SNDMORE, DONTWAIT = 17, 5, 2, 1
CURVE_SERVER, CURVE_PUBLICKEY, CURVE_SECRETKEY, CURVE_SERVERKEY = 47, 48, 49, 50
DEALER, ROUTER = 5, 6

zmq = ctypes.CDLL('libzmq.so.5', use_errno=True)
for name in ('zmq_ctx_new', 'zmq_socket'):
    getattr(zmq, name).restype = ctypes.c_void_p
zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
zmq.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
zmq.zmq_connect.argtypes = zmq.zmq_bind.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
zmq.zmq_send.argtypes = zmq.zmq_recv.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                                                 ctypes.c_int]
zmq.zmq_close.argtypes = zmq.zmq_ctx_term.argtypes = [ctypes.c_void_p]


def keys(mesh, i):
    with open(mesh.where(i, 'node.key')) as f:
        return json.load(f)


class Socket:
    def __init__(self, kind, address, own=None, server=None):
        """own: a key pair, None: no CURVE; server: public key of the server, None: this is it."""
        self.context = zmq.zmq_ctx_new()
        self.s = zmq.zmq_socket(self.context, kind)
        self.set(LINGER, 0)
        if own:
            self.set(CURVE_PUBLICKEY, own['public_key'])
            self.set(CURVE_SECRETKEY, own['secret_key'])
            self.set(*(CURVE_SERVER, 1) if server is None else (CURVE_SERVERKEY, server))
        join = zmq.zmq_bind if kind == ROUTER else zmq.zmq_connect
        assert join(self.s, address.encode()) == 0, f'{address}: {ctypes.get_errno()}'

    def set(self, option, value):
        raw = ctypes.c_int(value) if isinstance(value, int) else value.encode()
        size = ctypes.sizeof(raw) if isinstance(value, int) else len(raw)
        assert zmq.zmq_setsockopt(self.s, option, ctypes.byref(raw) if size == 4 and isinstance(
            value, int) else raw, size) == 0, f'option {option}: {ctypes.get_errno()}'

    def send(self, *parts, seconds=3):
        """1: they were handed over, within so many seconds."""
        end = time.monotonic() + seconds
        for k, part in enumerate(parts):
            more = SNDMORE if k + 1 < len(parts) else 0
            while zmq.zmq_send(self.s, bytes(part), len(part), DONTWAIT | more) < 0:
                if time.monotonic() > end:
                    return 0
                time.sleep(.01)
        return 1

    def receive(self, seconds):
        """All parts that arrive for so long."""
        out, end, room = [], time.monotonic() + seconds, ctypes.create_string_buffer(1 << 16)
        while time.monotonic() < end:
            n = zmq.zmq_recv(self.s, room, len(room), DONTWAIT)
            if n >= 0:
                out.append(room.raw[:n])
            else:
                time.sleep(.01)
        return out

    def close(self):
        zmq.zmq_close(self.s)
        zmq.zmq_ctx_term(self.context)
