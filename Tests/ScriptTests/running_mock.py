"""A `pushbench mock` of its own for a test, and what a sender needs to talk to it.

Needs PUSHBENCH_BINARY, which scripts/test sets.
"""

import datetime
import json
import os
import signal
import ssl
import subprocess
import tempfile
import time
from pathlib import Path

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

SECONDS = 120
TOPIC = "com.example.app"
KEY_ID = "ABCDEFGHIJ"
TEAM_ID = "KLMNOPQRST"


def binary():
    """The program under test; without one a test fails."""
    path = os.environ.get("PUSHBENCH_BINARY")
    if not path:
        raise AssertionError("PUSHBENCH_BINARY is not set: give the path of pushbench")
    return path


class RunningMock:
    """Runs for as long as a `with` block, on a port that is free, recording what it gets."""

    def __init__(self, *flags):
        self.flags = flags
        self.counters = None

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        self.ready_file = folder / "ready.json"
        self.record_file = folder / "record.ndjson"
        self.process = subprocess.Popen(
            [
                binary(), "mock", "--port", "0", "--ready-file", str(self.ready_file),
                "--record", str(self.record_file), "--quiet", *self.flags,
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        deadline = time.monotonic() + SECONDS
        while not self.ready_file.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(self.process.communicate()[1].decode())
            time.sleep(0.005)
        ready = json.loads(self.ready_file.read_text())
        self.port = ready["port"]
        self.ca_file = ready.get("caFile")
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()

    @property
    def url(self):
        return f"{'https' if self.ca_file else 'http'}://127.0.0.1:{self.port}"

    def ssl_context(self):
        return ssl.create_default_context(cafile=self.ca_file)

    def stop(self):
        """Ends the mock; returns the lines of its record."""
        self.process.send_signal(signal.SIGTERM)
        output, errors = self.process.communicate(timeout=SECONDS)
        if self.process.returncode != 0:
            raise AssertionError(f"exit {self.process.returncode}: {errors.decode()}")
        self.counters = json.loads(output)
        text = self.record_file.read_text(encoding="utf-8")
        if "authorization" in text or "bearer" in text or "eyJ" in text:
            raise AssertionError("the record holds an authorization")
        return [json.loads(line) for line in text.split("\n")[:-1]]


def pem_of(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


class ProviderKey:
    """A key as Apple gives it to a team, and the tokens that it signs."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.pem = pem_of(self.key)
        self.authorizations = {}

    def write_public_key(self, path):
        public = self.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        Path(path).write_bytes(public)

    def authorization(self, age=0):
        """The one token of this age: a connection may not change its token often."""
        if age not in self.authorizations:
            claims = {"iss": TEAM_ID, "iat": int(time.time()) - age}
            token = jwt.encode(claims, self.pem, "ES256", headers={"kid": KEY_ID})
            self.authorizations[age] = f"bearer {token}"
        return self.authorizations[age]


class ClientCertificates:
    """A CA, and a certificate of it for the app TOPIC."""

    def __init__(self, folder):
        ca_key = ec.generate_private_key(ec.SECP256R1())
        ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test client CA")])
        ca = self.sign(ca_name, ca_name, ca_key, ca_key, is_ca=True)
        self.ca_file = str(Path(folder) / "client-ca.pem")
        Path(self.ca_file).write_bytes(ca.public_bytes(serialization.Encoding.PEM))
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name(
            [
                x509.NameAttribute(NameOID.USER_ID, TOPIC),
                x509.NameAttribute(NameOID.COMMON_NAME, f"Apple Push Services: {TOPIC}"),
            ]
        )
        certificate = self.sign(subject, ca_name, key, ca_key, is_ca=False)
        # Certificate and key in one file, as aioapns takes them.
        self.file = str(Path(folder) / "client.pem")
        both = certificate.public_bytes(serialization.Encoding.PEM).decode() + pem_of(key)
        Path(self.file).write_text(both)

    @staticmethod
    def sign(subject, issuer, key, signer, is_ca):
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .sign(signer, hashes.SHA256())
        )
