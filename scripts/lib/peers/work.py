"""The work that every side does: one message, a few installs, a certificate, a provider token."""

import base64
import csv
import hashlib
import json
import os
import random
import subprocess
import time
from pathlib import Path

BODY_BYTES = 322
TOPIC = "com.example.pushbench"
LANGUAGES = ("en", "tr", "de", "sv", "ar")


def render(language, message):
    """The body of a Xulo message, byte for byte, as a sender renders it."""
    body = {
        "aps": {
            "alert": {
                "title": message["headings"][language],
                "body": message["contents"][language],
            },
            "sound": "default",
            "category": "xulo",
        },
        "custom": {
            "a": {**message["data"], "draft_id": message["draft_id"]},
            "u": message["url"],
        },
        "xulo": {"draft_id": message["draft_id"]},
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def make_message():
    """A message in five languages whose bodies all have BODY_BYTES bytes."""
    message = {
        "dialect": "xulo",
        "headings": {
            "en": "Out for delivery",
            "tr": "Kargon yola çıktı",
            "de": "Dein Paket ist unterwegs",
            "sv": "Ditt paket är på väg",
            "ar": "طردك في الطريق",
        },
        "contents": {
            "en": "Your parcel arrives today between 14:00 and 16:00.",
            "tr": "Paketin bugün 14.00 ile 16.00 arasında kapında.",
            "de": "Deine Sendung kommt heute zwischen 14 und 16 Uhr.",
            "sv": "Paketet kommer i dag mellan kl. 14 och 16.",
            "ar": "يصل طردك اليوم بين 2 و4 عصرًا.",
        },
        "url": "exampleshop://orders/84213",
        "data": {"screen": "order"},
        "draft_id": 2408,
    }
    for language in LANGUAGES:
        missing = BODY_BYTES - len(render(language, message))
        if missing < 0:
            raise ValueError(f"the text in {language} is {-missing} bytes too long")
        message["contents"][language] += " " + "." * (missing - 1) if missing else ""
    return message


def make_tokens(count):
    """Tokens of 64 hex digits, the same every time."""
    return [hashlib.sha256(f"install {number}".encode()).hexdigest() for number in range(count)]


def provider_token():
    """A token in the form of APNs' provider tokens; its signature is random bytes."""

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    head = {"alg": "ES256", "kid": "ABC123DEFG"}
    claims = {"iss": "DEF123GHIJ", "iat": int(time.time())}
    return ".".join(
        [part(json.dumps(head).encode()), part(json.dumps(claims).encode()), part(os.urandom(64))]
    )


class Work:
    """The files of the work, in one directory."""

    def __init__(self, directory, installs):
        self.directory = Path(directory)
        self.message = make_message()
        self.tokens = make_tokens(installs)
        self.message_file = self.directory / "message.json"
        self.body_file = self.directory / "body.json"
        self.installs_file = self.directory / "installs.csv"
        self.docroot = self.directory / "docroot"
        self.certificate = self.directory / "cert.pem"
        self.key = self.directory / "key.pem"

    def write(self):
        """Writes everything that the sides read."""
        self.message_file.write_text(json.dumps(self.message, ensure_ascii=False))
        self.body_file.write_bytes(render("en", self.message))
        choose = random.Random(1)
        with self.installs_file.open("w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["token", "language"])
            rows.writerows([token, choose.choice(LANGUAGES)] for token in self.tokens)
        # nghttpd answers 200 where there is a file: an empty one for every install.
        devices = self.docroot / "3" / "device"
        devices.mkdir(parents=True)
        for token in self.tokens:
            (devices / token).touch()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            + ["-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", str(self.key)]
            + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out"]
            + [str(self.certificate)],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
