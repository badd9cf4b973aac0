"""Requests to the Unix socket of a node of mesh.Mesh."""
import http.client
import json
import socket


def post(mesh, body, kind='text/csv', node=0):
    """Code and answer of POST /rows at the node's Unix socket."""
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(15)
    s.connect(mesh.where(node, 's'))
    body = body.encode() if isinstance(body, str) else body
    s.sendall(f'POST /rows HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\n'
              f'Content-Length: {len(body)}\r\nConnection: close\r\n\r\n'.encode() + body)
    r = http.client.HTTPResponse(s)
    r.begin()
    answer = r.status, json.loads(r.read())
    s.close()
    return answer
