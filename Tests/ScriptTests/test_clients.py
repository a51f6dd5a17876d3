"""Clients that others wrote, against `pushbench mock`: pushes that succeed, pushes that must fail.

A client that is missing is a failure: scripts/test installs them all.
"""

import asyncio
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

import httpx
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

from running_mock import KEY_ID, SECONDS, TEAM_ID, TOPIC
from running_mock import ClientCertificates, ProviderKey, RunningMock, binary

TOKEN = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
BODY = '{"aps":{"alert":"Hej 👋"}}'
LARGE = json.dumps({"aps": {"alert": "x" * 4096}})
LONG_TOKEN = "ab" * 80

# What differs from a push without a fault, and what APNs answers to it.
# A header of None is left out. Each has a connection of its own.
PUSHES = [
    ({}, 200, None),
    ({"path": f"/3/device/{LONG_TOKEN}"}, 200, None),
    ({"apns-push-type": "background", "apns-priority": "5"}, 200, None),
    ({"apns-topic": TOPIC + ".voip", "apns-push-type": "voip", "body": LARGE}, 200, None),
    ({"path": "/3/device/abc"}, 400, "BadDeviceToken"),
    ({"path": "/3/device/"}, 400, "MissingDeviceToken"),
    ({"path": f"/2/device/{TOKEN}"}, 404, "BadPath"),
    ({"method": "PUT"}, 405, "MethodNotAllowed"),
    ({"apns-topic": None}, 400, "MissingTopic"),
    ({"apns-topic": "com example"}, 400, "BadTopic"),
    ({"apns-push-type": "letter"}, 400, "InvalidPushType"),
    ({"apns-push-type": "background", "apns-priority": "10"}, 400, "BadPriority"),
    ({"apns-expiration": "soon"}, 400, "BadExpirationDate"),
    ({"apns-id": "1"}, 400, "BadMessageId"),
    ({"apns-collapse-id": "c" * 65}, 400, "BadCollapseId"),
    ({"body": ""}, 400, "PayloadEmpty"),
    ({"body": LARGE}, 413, "PayloadTooLarge"),
    ({"authorization": None}, 403, "MissingProviderToken"),
    ({"authorization": "other key"}, 403, "InvalidProviderToken"),
    ({"authorization": "two hours old"}, 403, "ExpiredProviderToken"),
]


def run(*words, **options):
    """Runs a program to its end; one that is missing or fails is a failure."""
    done = subprocess.run(words, capture_output=True, timeout=SECONDS, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words[0]}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


class ClientTestCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.key = ProviderKey()
        cls.other_key = ProviderKey()
        cls.public_key_file = str(cls.folder / "public.pem")
        cls.key.write_public_key(cls.public_key_file)
        cls.certificates = ClientCertificates(cls.folder)
        # aioapns tells of every refused push.
        logging.getLogger("aioapns").setLevel(logging.CRITICAL)

    def request(self, changes):
        """Method, path, headers and body of a push with some changes."""
        push = {
            "method": "POST", "path": f"/3/device/{TOKEN}", "body": BODY,
            "apns-topic": TOPIC, "apns-push-type": "alert", "apns-id": str(uuid.uuid4()),
            "authorization": "good", **changes,
        }  # fmt: skip
        authorizations = {
            "good": self.key.authorization(),
            "other key": self.other_key.authorization(),
            "two hours old": self.key.authorization(age=7200),
        }
        push["authorization"] = authorizations.get(push["authorization"])
        method, path, body = (push.pop(name) for name in ("method", "path", "body"))
        return method, path, {name: text for name, text in push.items() if text is not None}, body

    def check_table(self, send, *flags):
        """Sends all of PUSHES by `send(mock, method, path, headers, body)`, looks at the answers
        and at what the mock has recorded."""
        with RunningMock("--auth", self.public_key_file, *flags) as mock:
            expected = []
            for changes, status, reason in PUSHES:
                with self.subTest(changes=changes):
                    method, path, headers, body = self.request(changes)
                    self.assertEqual(send(mock, method, path, headers, body), (status, reason))
                    expected.append((method, path, headers, body, status, reason))
            lines = mock.stop()
        self.assertEqual(mock.counters["accepted"], 4)
        self.assertEqual(len(lines), len(expected))
        for line, (method, path, headers, body, status, reason) in zip(lines, expected):
            headers.pop("authorization", None)
            self.assertEqual(
                (line["method"], line["path"], line["headers"], line["status"], line["reason"]),
                (method, path, headers, status, reason),
            )
            self.assertEqual(line["bodyBytes"], len(body.encode()))
            self.assertEqual(line.get("body"), json.loads(body) if body else None)


class CurlTests(ClientTestCase):
    def send(self, mock, method, path, headers, body):
        how = ["--http2", "--cacert", mock.ca_file] if mock.ca_file else ["--http2-prior-knowledge"]
        fields = [word for name, text in headers.items() for word in ("--header", f"{name}: {text}")]
        output = run(
            "curl", "--silent", "--show-error", "--request", method, *how, *fields,
            "--data-binary", body, "--write-out", "\n%{http_version} %{http_code}",
            mock.url + path,
        )  # fmt: skip
        answer, _, written = output.rpartition("\n")
        version, status = written.split()
        self.assertEqual(version, "2")
        return int(status), json.loads(answer)["reason"] if answer else None

    def test_over_tls(self):
        self.check_table(self.send)

    def test_in_the_clear(self):
        self.check_table(self.send, "--plain")

    def test_with_a_certificate(self):
        with RunningMock("--client-ca", self.certificates.ca_file) as mock:
            for topic, answer in [
                (TOPIC, "200"), (f"{TOPIC}.other", '{"reason":"TopicDisallowed"}400'),
            ]:  # fmt: skip
                output = run(
                    "curl", "--silent", "--show-error", "--http2", "--cacert", mock.ca_file,
                    "--cert", self.certificates.file, "--header", f"apns-topic: {topic}",
                    "--data", BODY, "--write-out", "%{http_code}", f"{mock.url}/3/device/{TOKEN}",
                )  # fmt: skip
                self.assertEqual(output, answer)
            mock.stop()

    def test_a_token_that_is_gone_and_since_when(self):
        before = int(time.time() * 1000)
        answers = []
        with RunningMock("--auth", "off", "--personality", "Unregistered=100%") as mock:
            for _ in range(2):
                output = run(
                    "curl", "--silent", "--show-error", "--http2", "--cacert", mock.ca_file,
                    "--header", f"apns-topic: {TOPIC}", "--data", BODY, "--write-out",
                    "\n%{http_code} %{content_type}", f"{mock.url}/3/device/{TOKEN}",
                )  # fmt: skip
                answer, _, written = output.partition("\n")
                self.assertEqual(written, "410 application/json")
                answers.append(json.loads(answer))
            lines = mock.stop()
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(set(answers[0]), {"reason", "timestamp"})
        self.assertEqual(answers[0]["reason"], "Unregistered")
        # Milliseconds, of a time that has passed, and not so long ago as seconds would be.
        self.assertTrue(10**12 < answers[0]["timestamp"] < before, answers[0])
        self.assertEqual([line["timestamp"] for line in lines], [answers[0]["timestamp"]] * 2)


class NodeTests(ClientTestCase):
    script = str(Path(__file__).parent / "clients" / "push.mjs")

    def node(self, mock, requests, **identity):
        work = {"url": mock.url, "requests": requests, **identity}
        if mock.ca_file:
            work["ca"] = Path(mock.ca_file).read_text()
        return json.loads(run("node", self.script, input=json.dumps(work).encode()))

    def send(self, mock, method, path, headers, body):
        headers = {":method": method, ":path": path, **headers}
        answer = self.node(mock, [{"headers": headers, "body": body}])[0]
        # An id that is no UUID is not repeated.
        if headers["apns-id"] != "1":
            self.assertEqual(answer["id"], headers["apns-id"])
        return answer["status"], answer.get("reason")

    def test_one_by_one(self):
        self.check_table(self.send)

    def test_many_at_once_on_one_connection(self):
        requests = []
        for number in range(600):
            _, path, headers, body = self.request({"path": f"/3/device/{number:064x}"})
            # Every third has half a byte less.
            path = path[:-1] if number % 3 == 0 else path
            headers = {":method": "POST", ":path": path, **headers}
            requests.append({"headers": headers, "body": body})
        with RunningMock("--auth", self.public_key_file) as mock:
            answers = self.node(mock, requests)
            lines = mock.stop()
        for request, answer in zip(requests, answers):
            self.assertEqual(answer["id"], request["headers"]["apns-id"])
        self.assertEqual([answer["status"] for answer in answers], [400, 200, 200] * 200)
        self.assertEqual({answer.get("reason") for answer in answers}, {None, "BadDeviceToken"})
        self.assertEqual({line["connection"] for line in lines}, {1})
        self.assertEqual(
            {line["headers"]["apns-id"]: line["path"] for line in lines},
            {request["headers"]["apns-id"]: request["headers"][":path"] for request in requests},
        )

    def test_with_a_certificate(self):
        pem = Path(self.certificates.file).read_text()
        _, path, headers, body = self.request({"authorization": None})
        headers = {":method": "POST", ":path": path, **headers}
        request = {"headers": headers, "body": body}
        with RunningMock("--client-ca", self.certificates.ca_file) as mock:
            self.assertEqual(self.node(mock, [request], cert=pem, key=pem)[0]["status"], 200)
            self.assertEqual(self.node(mock, [request])[0]["reason"], "MissingProviderToken")
            mock.stop()


class HTTPXTests(ClientTestCase):
    def send(self, mock, method, path, headers, body):
        with httpx.Client(http2=True, verify=mock.ssl_context()) as client:
            answer = client.request(method, mock.url + path, headers=headers, content=body.encode())
        self.assertEqual(answer.http_version, "HTTP/2")
        return answer.status_code, answer.json()["reason"] if answer.content else None

    def test_one_by_one(self):
        self.check_table(self.send)

    def test_statistics_and_reset(self):
        for flags in ([], ["--plain"]):
            with RunningMock("--auth", "off", *flags) as mock:
                verify = mock.ssl_context() if mock.ca_file else True
                plain = {"http1": False, "http2": True, "base_url": mock.url}
                with httpx.Client(verify=verify, **plain) as client:
                    client.post(f"/3/device/{TOKEN}", content=BODY, headers={"apns-topic": TOPIC})
                    client.post("/3/device/abc", content=BODY, headers={"apns-topic": TOPIC})
                    counters = client.get("/_pushbench/stats").json()
                    self.assertEqual(counters["accepted"], 1)
                    self.assertEqual(counters["refusals"], {"BadDeviceToken": 1})
                    for method, path, status in [
                        ("POST", "stats", 405), ("GET", "reset", 405), ("DELETE", "reset", 405),
                        ("GET", "", 404), ("GET", "nothing", 404), ("POST", "stats/", 404),
                        ("POST", "reset", 200),
                    ]:  # fmt: skip
                        answer = client.request(method, "/_pushbench/" + path)
                        self.assertEqual(answer.status_code, status, f"{method} {path}")
                    counters = client.get("/_pushbench/stats").json()
                    self.assertEqual((counters["requests"], counters["refusals"]), (0, {}))
                self.assertEqual(len(mock.stop()), 2)


class H2loadTests(ClientTestCase):
    def test_pushes_that_succeed_and_pushes_that_fail(self):
        body = self.folder / "body.json"
        body.write_text(BODY)
        with RunningMock("--auth", self.public_key_file) as mock:
            for topic, good in (([f"--header=apns-topic: {TOPIC}"], 2000), ([], 0)):
                output = run(
                    "h2load", "--requests=2000", "--clients=4", "--max-concurrent-streams=50",
                    f"--data={body}", f"--header=authorization: {self.key.authorization()}",
                    *topic, f"{mock.url}/3/device/{TOKEN}",
                )  # fmt: skip
                self.assertIn(f"status codes: {good} 2xx, 0 3xx, {2000 - good} 4xx", output)
            lines = mock.stop()
        self.assertEqual(mock.counters["refusals"], {"MissingTopic": 2000})
        self.assertEqual(len(lines), 4000)
        self.assertEqual(len({(line["connection"], line["stream"]) for line in lines}), 4000)
        self.assertEqual({line["connection"] for line in lines}, set(range(1, 9)))


class AioapnsTests(ClientTestCase):
    def send_all(self, mock, requests, **options):
        """Sends by one client of aioapns; gives (status, reason) of each answer."""

        class MockProtocol(APNsProductionClientProtocol):
            APNS_SERVER = "localhost"
            APNS_PORT = mock.port

        async def send():
            client = APNs(ssl_context=mock.ssl_context(), max_connections=1, **options)
            client.pool.protocol_class = MockProtocol
            try:
                results = await asyncio.wait_for(
                    asyncio.gather(*[client.send_notification(request) for request in requests]),
                    SECONDS,
                )
            finally:
                client.pool.close()
            for request, result in zip(requests, results):
                self.assertEqual(result.notification_id, request.notification_id)
            return [(result.status, result.description) for result in results]

        return asyncio.run(send())

    def token_options(self, key=None):
        key = key or self.key
        return {"key": key.pem, "key_id": KEY_ID, "team_id": TEAM_ID, "topic": TOPIC}

    @staticmethod
    def notification(token=TOKEN, message=None, **options):
        message = message or {"aps": {"alert": "Hej 👋"}}
        return NotificationRequest(device_token=token, message=message, **options)

    def table(self):
        make = self.notification
        return [
            (make(push_type=PushType.ALERT, priority=10, time_to_live=60), "200", None),
            (make(token=LONG_TOKEN, collapse_key="c" * 64), "200", None),
            (make(push_type=PushType.BACKGROUND, priority=5), "200", None),
            (make(token="abc"), "400", "BadDeviceToken"),
            (make(message=json.loads(LARGE)), "413", "PayloadTooLarge"),
            (make(push_type=PushType.BACKGROUND, priority=10), "400", "BadPriority"),
            (make(collapse_key="c" * 65), "400", "BadCollapseId"),
            (make(notification_id="1"), "400", "BadMessageId"),
        ]

    def test_with_a_token(self):
        # aioapns finds an answer by its apns-id, and one that is no UUID is not repeated.
        rows = self.table()[:-1]
        rows += [
            (self.notification(apns_topic="com example"), "400", "BadTopic"),
            (self.notification(push_type=PushType.VOIP), "400", "BadTopic"),
        ]
        with RunningMock("--auth", self.public_key_file) as mock:
            results = self.send_all(mock, [row[0] for row in rows], **self.token_options())
            lines = mock.stop()
        self.assertEqual(results, [row[1:] for row in rows])
        self.assertEqual(len(lines), len(rows))
        first = lines[0]["headers"]
        self.assertEqual(first["apns-push-type"], "alert")
        self.assertEqual(first["apns-priority"], "10")
        self.assertRegex(first["apns-expiration"], "^[0-9]{10}$")

    def test_with_a_token_of_another_key(self):
        with RunningMock("--auth", self.public_key_file) as mock:
            options = self.token_options(self.other_key)
            requests = [self.notification() for _ in range(3)]
            results = self.send_all(mock, requests, **options)
            mock.stop()
        self.assertEqual(results, [("403", "InvalidProviderToken")] * 3)
        self.assertEqual(mock.counters["refusals"], {"InvalidProviderToken": 3})

    def test_with_a_certificate(self):
        rows = self.table()[:-1]
        other = self.notification(apns_topic=f"{TOPIC}.other")
        rows.append((other, "400", "TopicDisallowed"))
        with RunningMock("--client-ca", self.certificates.ca_file) as mock:
            # The topic is the certificate's own.
            options = {"client_cert": self.certificates.file}
            results = self.send_all(mock, [row[0] for row in rows], **options)
            lines = mock.stop()
        self.assertEqual(results, [row[1:] for row in rows])
        topics = {line["headers"]["apns-topic"] for line in lines}
        self.assertEqual(topics, {TOPIC, f"{TOPIC}.other"})

    def test_tokens_that_are_gone(self):
        requests = [self.notification(token=f"{number:064x}") for number in range(200)]
        with RunningMock(
            "--auth", self.public_key_file, "--personality", "Unregistered=25%,seed=3"
        ) as mock:
            results = [
                self.send_all(mock, requests, **self.token_options()) for _ in range(2)
            ]
            lines = mock.stop()
        # A token that is sent to again meets the same answer.
        self.assertEqual(results[0], results[1])
        self.assertEqual(set(results[0]), {("200", None), ("410", "Unregistered")})
        gone = results[0].count(("410", "Unregistered"))
        self.assertTrue(20 < gone < 80, gone)
        self.assertEqual(mock.counters["refusals"], {"Unregistered": 2 * gone})
        self.assertEqual(len([line for line in lines if line.get("timestamp")]), 2 * gone)

    def test_many_on_one_connection(self):
        requests = [self.notification(token=f"{number:064x}") for number in range(3000)]
        with RunningMock("--auth", self.public_key_file) as mock:
            results = self.send_all(mock, requests, **self.token_options())
            lines = mock.stop()
        self.assertEqual(results, [("200", None)] * 3000)
        self.assertEqual(len({line["token"] for line in lines}), 3000)
        self.assertEqual(mock.counters["connectionsOpened"], 1)


class ReadmeTests(ClientTestCase):
    """The examples of the README that are no shell scripts."""

    def block(self, language, word):
        text = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
        blocks = [part.split("\n```", 1)[0] for part in text.split(f"\n```{language}\n")[1:]]
        found = [block for block in blocks if word in block]
        self.assertEqual(len(found), 1, f"a block of {language} with {word}")
        return found[0]

    def test_example_for_aioapns(self):
        (self.folder / "push.py").write_text(self.block("python", "aioapns"), encoding="utf-8")
        (self.folder / "AuthKey.p8").write_text(self.key.pem)
        files = [str(self.folder / name) for name in ("push.py", "AuthKey.p8")]
        with RunningMock("--auth", self.public_key_file) as mock:
            output = run(sys.executable, files[0], str(mock.ready_file), files[1])
            lines = mock.stop()
        self.assertEqual(output.splitlines(), ["200 None", "400 BadDeviceToken"])
        self.assertEqual([line["status"] for line in lines], [200, 400])

    def test_example_for_continuous_integration(self):
        """The step's script does what it says, with the example for aioapns as the tests."""
        block = self.block("yaml", "pushbench mock")
        script = "\n".join(line[4:] for line in block.split("run: |\n", 1)[1].splitlines())
        work = self.folder / "ci"
        (work / "tests").mkdir(parents=True)
        (work / "tests" / "push.py").write_text(self.block("python", "aioapns"), encoding="utf-8")
        folders = [Path(binary()).parent, Path(sys.executable).parent]
        path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
        output = run(
            "bash", "-e", "-c", script, cwd=work, stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": path},
        )  # fmt: skip
        self.assertIn("200 None", output)
        self.assertEqual(len((work / "pushes.ndjson").read_text().splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
