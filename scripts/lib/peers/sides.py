"""The servers and clients that are measured, and how each is started and read."""

import json
import re
import socket
import subprocess

from .processes import Server, SideFailed, run_client
from .work import TOPIC


def free_port():
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_listening(port):
    """Whether something takes connections on a port."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1):
            return True
    except OSError:
        return False


def start_nghttpd(work, core, plain):
    """Starts nghttpd, which serves the empty files; returns the server and its port."""
    port = free_port()
    command = ["nghttpd", "-a", "127.0.0.1", "-m", "1000", "-d", str(work.docroot)]
    command += ["--no-tls", str(port)] if plain else [str(port), str(work.key), str(work.certificate)]
    server = Server("nghttpd", command, core, work.directory / "nghttpd.log")
    server.wait_until(lambda: is_listening(port))
    return server, port


def start_mock(binary, work, core, plain, auth, flags=()):
    """Starts `pushbench mock` with one loop; returns the server and its port."""
    ready = work.directory / f"mock-{auth}.json"
    command = [binary, "mock", "--port", "0", "--ready-file", str(ready), "--auth", auth]
    command += ["--loops", "1", *flags]
    if plain:
        command.append("--plain")
    else:
        command += ["--tls-cert", str(work.certificate), "--tls-key", str(work.key)]
    server = Server(f"pushbench mock --auth {auth}", command, core, work.directory / f"{auth}.log")
    server.wait_until(ready.exists)
    return server, json.loads(ready.read_text())["port"]


def run_h2load(work, port, core, plain, pushes, streams, authorization):
    """Sends with h2load; returns its CPU time, wall time and pushes a second."""
    scheme = "http" if plain else "https"
    headers = ["apns-push-type: alert", "apns-priority: 10", f"apns-topic: {TOPIC}"]
    if authorization:
        headers.append(f"authorization: bearer {authorization}")
    command = ["h2load", "-n", str(pushes), "-c", "1", "-t", "1", "-m", str(streams)]
    for header in headers:
        command += ["-H", header]
    command += ["-d", str(work.body_file), f"{scheme}://127.0.0.1:{port}/3/device/{work.tokens[0]}"]
    output, cpu, wall = run_client("h2load", command, core, seconds=600)
    return cpu, wall, read_h2load(output, pushes)


def read_h2load(output, pushes):
    """The requests a second that h2load prints, once every answer was a 2xx."""
    codes = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output)
    rate = re.search(r"finished in [\d.]+\w+, ([\d.]+) req/s", output)
    if codes is None or rate is None:
        raise SideFailed(f"h2load's output cannot be read: {output[-400:]}")
    if int(codes[1]) != pushes:
        raise SideFailed(f"h2load got {codes[1]} answers of 2xx for {pushes} pushes: {codes[0]}")
    return float(rate[1])


def run_pushbench(binary, work, port, core, plain, pushes, streams, engine, authorized):
    """Sends with `pushbench run`; returns its CPU time, wall time and pushes a second."""
    scheme = "http" if plain else "https"
    command = [binary, "run", "--target", f"{scheme}://127.0.0.1:{port}"]
    command += ["--connections", "1", "--loops", "1", "--render-workers", "1"]
    command += ["--streams", str(streams), "--pushes", str(pushes), "--topic", TOPIC]
    command += ["--message", str(work.message_file), "--installs", str(work.installs_file)]
    command += ["--quiet", "--json"]
    if not plain:
        command.append("--insecure")
    if engine:
        command += ["--engine", engine]
    if authorized:
        command += authorized
    output, cpu, wall = run_client("pushbench run", command, core, seconds=600)
    return cpu, wall, read_pushbench(output, pushes)


def read_pushbench(output, pushes):
    """The pushes a second of a result, once every push was accepted."""
    try:
        run = json.loads(output)["runs"][0]
        account, rate = run["account"], run["throughput"]["pushesPerSecond"]
    except (ValueError, LookupError, TypeError):
        raise SideFailed(f"pushbench's result cannot be read: {output[-400:]}") from None
    if account["accepted"] != pushes:
        raise SideFailed(f"pushbench had {account['accepted']} of {pushes} pushes accepted")
    return float(rate)


def make_signing_key(work):
    """The flags that make `pushbench run` sign its provider token with a key of its own."""
    key = work.directory / "AuthKey.p8"
    pem = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    ).stdout
    key.write_bytes(pem)
    return ["--auth-key", str(key), "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]


def has_command(binary, command):
    """Whether the binary is there and knows a command."""
    try:
        done = subprocess.run(
            [binary, command, "--help"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and f"pushbench {command}".encode() in done.stdout
