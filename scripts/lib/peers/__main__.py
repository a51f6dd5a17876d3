"""The command line of scripts/bench-peers."""

import argparse
import json
import os
import platform
import sys
import tempfile

from . import report, sides
from .processes import SideFailed
from .work import BODY_BYTES, Work, provider_token


def parse(arguments):
    """The flags, checked."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench-peers",
        description="Measures pushbench beside h2load and nghttpd: the same bodies over one "
        "connection, client and server on a core each, sides in turn.",
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all sides (default 3)")
    parser.add_argument("--pushes", type=int, default=1_000_000, help="pushes of one measurement")
    parser.add_argument("--streams", default="100,500", help="pushes in flight (default 100,500)")
    parser.add_argument("--installs", type=int, default=1_000, help="distinct tokens (default 1000)")
    parser.add_argument("--cores", default="0,1", help="cores of client and server (default 0,1)")
    parser.add_argument("--engines", default="", help="HTTP/2 engines of `pushbench run`, for "
                        "example wire,nghttp2 (default: the one that it takes by itself)")
    parser.add_argument("--mock-flag", action="append", default=[], metavar="FLAG",
                        help="a flag for `pushbench mock`, for example --mock-flag=--verify=headers")
    parser.add_argument("--plain", action="store_true", help="without TLS (h2c)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the pushes")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    if options.quick:
        options.pushes //= 10
    try:
        options.streams = [int(part) for part in options.streams.split(",")]
        options.cores = [int(part) for part in options.cores.split(",")]
    except ValueError:
        parser.error("--streams and --cores take numbers with commas between them")
    if min([options.rounds, options.pushes, options.installs, *options.streams]) < 1:
        parser.error("rounds, pushes, installs and streams have to be 1 or more")
    allowed = os.sched_getaffinity(0)
    if len(options.cores) != 2 or not set(options.cores) <= allowed:
        parser.error(f"--cores takes two of the cores {sorted(allowed)}, with a comma between them")
    options.engines = options.engines.split(",") if options.engines else [""]
    return options


class Bench:
    """All sides on one piece of work."""

    def __init__(self, options, binary, work):
        self.options = options
        self.binary = binary
        self.work = work
        self.notes = []
        self.samples = []
        self.servers = {}
        self.token = provider_token()
        self.signing = sides.make_signing_key(work)
        self.has_run = sides.has_command(binary, "run")
        if not self.has_run:
            self.notes.append(f"pushbench run was not measured: {binary} does not know it")

    def start_servers(self):
        """Starts every server: they idle while the others are measured."""
        options, core = self.options, self.options.cores[1]
        self.servers["nghttpd"] = sides.start_nghttpd(self.work, core, options.plain)
        if not sides.has_command(self.binary, "mock"):
            self.notes.append(f"the mock was not measured: {self.binary} does not know it")
            return
        # Without the header, h2load is only answered with 200 where nothing is asked of a sender.
        for auth in ("off", "any"):
            self.servers[f"mock {auth}"] = sides.start_mock(
                self.binary, self.work, core, options.plain, auth, options.mock_flag
            )

    def stop_servers(self):
        """Ends every server."""
        for server, _ in self.servers.values():
            server.stop()

    def combinations(self):
        """Each pair of client and server: their names and what sends."""
        core, plain = self.options.cores[0], self.options.plain

        def h2load(authorization):
            return lambda port, pushes, streams: sides.run_h2load(
                self.work, port, core, plain, pushes, streams, authorization
            )

        def pushbench(engine):
            return lambda port, pushes, streams: sides.run_pushbench(
                self.binary, self.work, port, core, plain, pushes, streams, engine, self.signing
            )

        yield "h2load", "nghttpd", "nghttpd", h2load(None)
        yield "h2load +auth", "nghttpd", "nghttpd", h2load(self.token)
        if "mock any" in self.servers:
            yield "h2load", "pushbench mock", "mock off", h2load(None)
            yield "h2load +auth", "pushbench mock", "mock any", h2load(self.token)
        if self.has_run:
            for engine in self.options.engines:
                name = f"pushbench run {engine}".strip()
                yield name, "nghttpd", "nghttpd", pushbench(engine)
                if "mock any" in self.servers:
                    yield name, "pushbench mock", "mock any", pushbench(engine)

    def measure(self, streams, combination, pushes):
        """One measurement of one pair."""
        client, server_name, key, send = combination
        server, port = self.servers[key]
        before = server.cpu()
        cpu, wall, rate = send(port, pushes, streams)
        return {
            "streams": streams,
            "client": client,
            "server": server_name,
            "clientMicroseconds": cpu / pushes / 1_000,
            "serverMicroseconds": (server.cpu() - before) / pushes / 1_000,
            "pushesPerSecond": rate,
            "wallSeconds": wall / 1e9,
        }

    def run(self):
        """Warms every pair up, then measures all of them in turn, round by round."""
        pairs = [(streams, pair) for streams in self.options.streams for pair in self.combinations()]
        for streams, pair in pairs:
            self.measure(streams, pair, max(1, self.options.pushes // 20))
        for number in range(self.options.rounds):
            # Every other round goes backwards, so that a drift of the machine meets all alike.
            for streams, pair in pairs if number % 2 == 0 else reversed(pairs):
                self.samples.append(self.measure(streams, pair, self.options.pushes))
                progress(f"round {number + 1} of {self.options.rounds}: {pair[0]} to {pair[1]}, "
                         f"{streams} streams")
        order = [(streams, pair[0], pair[1]) for streams, pair in pairs]
        self.samples.sort(
            key=lambda sample: order.index((sample["streams"], sample["client"], sample["server"]))
        )


def progress(text):
    """Tells on a terminal how far it is."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def main():
    """Measures and prints."""
    options = parse(sys.argv[1:])
    binary = os.environ.get("PUSHBENCH_BINARY", "pushbench")
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as directory:
        work = Work(directory, options.installs)
        work.write()
        bench = Bench(options, binary, work)
        try:
            bench.start_servers()
            bench.run()
        except SideFailed as failure:
            print(f"bench-peers: {failure}", file=sys.stderr)
            return 1
        finally:
            bench.stop_servers()
    rows = report.summarise(bench.samples)
    found = report.ratios(rows)
    if not options.json:
        print(report.table(rows, found, bench.notes))
        return 0
    document = {
        "schema": "pushbench.peers/1",
        "machine": {"cores": os.cpu_count(), "kernel": platform.release()},
        "settings": {
            "bodyBytes": BODY_BYTES,
            "pushes": options.pushes,
            "rounds": options.rounds,
            "installs": options.installs,
            "tls": not options.plain,
            "connections": 1,
        },
        "rows": rows,
        "ratios": found,
        "samples": bench.samples,
        "notes": bench.notes,
    }
    print(json.dumps(document, indent=2))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
