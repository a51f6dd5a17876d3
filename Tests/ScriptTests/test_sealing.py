"""An independent program opens what pushbench encrypts, and looks for secrets where none belong.

Needs PUSHBENCH_BINARY, which scripts/test sets.
"""

import base64
import collections
import concurrent.futures
import csv
import json
import os
import re
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

BINARY = os.environ.get("PUSHBENCH_BINARY")
INSTALLS = 100
BODIES_PER_INSTALL = 10
KEYS = 6
PEM = re.compile(rb"-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----\n", re.DOTALL)
TITLES = {"en": "Out 🚚", "tr": "Yolda ğü 🚚", "de": "Heute \"da\" \\ 🚚"}
BODIES = {"en": "Today.", "tr": "Bugün, şöyle:\n14.00", "de": "Zwischen 14 und 16 Uhr</b>"}
MESSAGE = {
    "dialect": "salesforce",
    "title": TITLES,
    "body": BODIES,
    "oid": "00DAA0000001234AAA",
    "nid": "3f0e9a7c5d2b41868a90c1e2f3a4b5c6",
    "sid": "003AA0000005678AAA",
    "notifType": "0MLAA0000004211",
    "fullContent": True,
}


def pushbench(*arguments, expected=0):
    done = subprocess.run([BINARY, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode != expected:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done


@unittest.skipUnless(BINARY, "PUSHBENCH_BINARY is not set")
class SealingTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name)
        cls.installs_file = str(cls.path / "installs.csv")
        cls.keys_file = str(cls.path / "keys.pem")
        cls.message_file = str(cls.path / "message.json")
        Path(cls.message_file).write_text(json.dumps(MESSAGE), encoding="utf-8")
        cls.generated = pushbench(
            "installs", "generate", "--count", str(INSTALLS), "--keys", str(KEYS),
            "--private-keys", cls.keys_file, "--pkcs1-share", "40", "--uids",
            "--languages", "en=40,tr=30,de-DE=20,none=10", "--out", cls.installs_file,
        )  # fmt: skip
        cls.keys = [
            serialization.load_pem_private_key(block, password=None)
            for block in PEM.findall(Path(cls.keys_file).read_bytes())
        ]
        with open(cls.installs_file, encoding="utf-8", newline="") as file:
            cls.installs = list(csv.DictReader(file))

    def test_private_keys_are_distinct_and_their_owners_alone(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.keys_file).st_mode), 0o600)
        moduli = {key.private_numbers().public_numbers.n for key in self.keys}
        self.assertEqual(len(moduli), KEYS)
        self.assertIn(f"{KEYS} distinct keys for {INSTALLS} installs", self.generated.stderr.decode())

    def test_every_body_opens_and_has_the_text_of_its_install(self):
        by_public_key = {
            base64.b64encode(
                key.public_key().public_bytes(
                    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
                )
            ).decode(): key
            for key in self.keys
        }
        jobs = []
        for number, install in enumerate(self.installs):
            place = self.path / f"install-{number}.json"
            place.write_text(json.dumps({name: text for name, text in install.items() if text}))
            jobs += [(install, str(place))] * BODIES_PER_INSTALL

        def render(job):
            done = pushbench("render", "--message", self.message_file, "--install", job[1])
            return job[0], done.stdout

        secrets = set()
        ciphers = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for install, body in pool.map(render, jobs):
                key = by_public_key[install["publicKey"]]
                secrets.add(self.check(install, json.loads(body), key))
                ciphers[install["cipherName"]] += 1
        # No (key, IV) pair came twice.
        self.assertEqual(len(secrets), INSTALLS * BODIES_PER_INSTALL)
        self.assertEqual(set(ciphers), {"", "RSA_OAEP_SHA256"})

    def check(self, install, body, key):
        if install["cipherName"]:
            sha256 = hashes.SHA256()
            scheme = rsa_padding.OAEP(rsa_padding.MGF1(sha256), sha256, None)
        else:
            scheme = rsa_padding.PKCS1v15()
        secret = key.decrypt(base64.b64decode(body["secret"], validate=True), scheme)
        self.assertEqual(len(secret), 32)
        decryptor = Cipher(algorithms.AES(secret[:16]), modes.CBC(secret[16:])).decryptor()
        sealed = base64.b64decode(body["content"], validate=True)
        padded = decryptor.update(sealed) + decryptor.finalize()
        unpadder = padding.PKCS7(128).unpadder()
        content = json.loads((unpadder.update(padded) + unpadder.finalize()).decode())
        language = {"tr": "tr", "de-DE": "de"}.get(install["language"], "en")
        self.assertEqual(content["alertTitle"], TITLES[language])
        self.assertEqual(content["alertBody"], BODIES[language])
        self.assertEqual(content["uid"], install["uid"])
        self.assertEqual(content["type"], -1)
        self.assertIs(body["encrypted"], True)
        self.assertEqual(body["aps"]["alert"]["title"], "")
        return secret

    def test_no_secret_is_in_any_output(self):
        outputs = [self.generated.stdout + self.generated.stderr]

        def run(*arguments, expected=0):
            done = pushbench(*arguments, expected=expected)
            outputs.append(done.stdout + done.stderr)

        # The audience, and the same with keys that are damaged or cut.
        damaged = self.path / "damaged.csv"
        text = Path(self.installs_file).read_text()
        damaged.write_text(text.replace("MIIB", "MIIC", 3).replace("IDAQAB", "", 3))
        for mode in ("inline", "prepared"):
            for installs in (self.installs_file, str(damaged)):
                result = self.path / f"result-{mode}.json"
                run(
                    "run", "--message", self.message_file, "--installs", installs, "--encryption",
                    mode, "--out", str(result), "--json",
                )  # fmt: skip
                outputs.append(result.read_bytes())
        run("installs", "check", str(damaged), "--json")
        run("installs", "check", str(damaged))
        install = json.dumps({name: value for name, value in self.installs[0].items() if value})
        (self.path / "one.json").write_text(install)
        body = json.loads(
            pushbench(
                "render", "--message", self.message_file, "--install", str(self.path / "one.json")
            ).stdout
        )
        private_key = self.path / "private.pem"
        private_key.write_bytes(Path(self.keys_file).read_bytes()[:-200])
        damages = [("secret", body["secret"][:-4]), ("content", body["content"][:-4])]
        for keys in (self.keys_file, str(private_key)):
            for field, value in damages:
                done = subprocess.run(
                    [BINARY, "decode", "--dialect", "salesforce", "--private-key", keys],
                    input=json.dumps({**body, field: value}).encode(),
                    capture_output=True,
                )
                self.assertEqual(done.returncode, 3)
                self.assertIn(b'"code":"-10', done.stderr)
                outputs.append(done.stdout + done.stderr)
        printed = b"\n".join(outputs)
        self.assertNotIn(b"PRIVATE KEY-----", printed)
        for block in PEM.findall(Path(self.keys_file).read_bytes()):
            for line in block.splitlines()[2:-1]:
                self.assertNotIn(line, printed)
        # Provider tokens start with this: {"alg" in base64.
        self.assertNotIn(b"eyJhbGci", printed)
        for install in self.installs:
            self.assertNotIn(install["token"].encode(), printed)


if __name__ == "__main__":
    unittest.main()
