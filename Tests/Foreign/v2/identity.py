"""Reads the identity tokens of platforms and identity services.

The service ignores a token that is unsigned, expired, or signed with an unknown key. It is never an error (3.3).
"""

import base64
import hashlib
import hmac
import json

from errors import Refusal
from headers import is_text

SUBJECT, ROKU, SERVICE = "adobe-subject-token", "x-roku-reserved-roku-connect-token", "ad-service-token"
PROFILE_TYPES = {SUBJECT: "platformSSO", ROKU: "platformSSO", SERVICE: "serviceTokenSSO"}
SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")


class Identity:
    """The user named by a token. Two calls have the same identity if their keys are equal."""

    def __init__(self, kind, issuer, subject, device=None):
        self.kind, self.issuer, self.subject = kind, issuer, subject
        self.key = (kind, issuer, subject, device)

    @property
    def profile_type(self):
        return PROFILE_TYPES[self.kind]


class Identities:
    """Reads the identity headers of a call.

    `keys` is the list of a JSON Web Key Set, None if no key is known, or "any" to accept every signature.
    """

    def __init__(self, keys, clock):
        self.keys, self.clock = keys, clock
        self.issued = {}  # tokens of the vendor's own identity service (8.5)

    @classmethod
    def from_option(cls, option, clock):
        if option in (None, "any"):
            return cls(option, clock)
        with open(option, encoding="utf-8") as file:
            return cls(json.load(file)["keys"], clock)

    def of(self, headers, device):
        """The call's identity, or None. Two at once are refused because it is unclear which one counts (B48)."""
        found = [identity for identity in (self.subject(headers, device), self.roku(headers),
                                           self.service(headers)) if identity]
        if len(found) > 1:
            raise Refusal("invalid_header_identity")
        return found[0] if found else None

    def subject(self, headers, device):
        """Fire OS shares logins on one device only, so the device is part of the identity (B49)."""
        text = headers.get(SUBJECT, "")
        if is_encrypted(text):
            return Identity(SUBJECT, None, text, device)
        claims = self.claims(text)
        return Identity(SUBJECT, claims.get("iss"), claims["sub"], device) if claims else None

    def roku(self, headers):
        """Roku's format is unpublished. Text that is not a JWS is compared as a whole (B27)."""
        text = headers.get(ROKU, "")
        if text.count(".") != 2:
            return Identity(ROKU, None, text) if text else None
        claims = self.claims(text)
        return Identity(ROKU, claims.get("iss"), claims["sub"]) if claims else None

    def service(self, headers):
        own = self.issued.get(headers.get(SERVICE))
        if own:
            return Identity(SERVICE, "", own.subject) if self.clock.now() < own.expires else None
        claims = self.claims(headers.get(SERVICE, ""), algorithms=("RS256",))
        if not claims or not claims.get("iss") or not for_adobe(claims.get("aud")):
            return None
        return Identity(SERVICE, claims["iss"], claims["sub"])

    def claims(self, text, algorithms=("RS256", "HS256")):
        """The claims of a JWS with a valid signature, an allowed algorithm, a future expiry and a subject, or None."""
        parts = text.split(".")
        if len(parts) != 3:
            return None
        head, claims, signature = json_part(parts[0]), json_part(parts[1]), bytes_of(parts[2])
        if not head or not claims or not signature or head.get("alg") not in algorithms:
            return None
        expires = claims.get("exp")
        if not isinstance(expires, (int, float)) or expires * 1000 <= self.clock.now():
            return None
        if not is_text(claims.get("sub")) or not isinstance(claims.get("iss", ""), str):
            return None
        signed = f"{parts[0]}.{parts[1]}".encode()
        return claims if self.is_signed(head, signed, signature) else None

    def is_signed(self, head, signed, signature):
        if self.keys == "any":
            return True
        kind = "RSA" if head["alg"] == "RS256" else "oct"
        candidates = [key for key in self.keys or [] if key.get("kty") == kind
                      and (kind == "oct" and "kid" not in head or key.get("kid") == head.get("kid"))]
        check = rsa_signed if kind == "RSA" else hmac_signed
        return any(check(key, signed, signature) for key in candidates)


def is_encrypted(text):
    parts = text.split(".")
    return len(parts) == 5 and all(parts)


def for_adobe(audience):
    audiences = audience if isinstance(audience, list) else [audience]
    return any(isinstance(each, str) and each.lower() == "adobe" for each in audiences)


def bytes_of(text):
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None


def json_part(text):
    try:
        value = json.loads(bytes_of(text) or b"")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def hmac_signed(key, signed, signature):
    return hmac.compare_digest(hmac.new(bytes_of(key["k"]), signed, hashlib.sha256).digest(), signature)


def rsa_signed(key, signed, signature):
    """PKCS #1 version 1.5 with SHA-256."""
    modulus, exponent = (int.from_bytes(bytes_of(key[name]), "big") for name in ("n", "e"))
    size = (modulus.bit_length() + 7) // 8
    if len(signature) != size:
        return False
    digest = SHA256_PREFIX + hashlib.sha256(signed).digest()
    expected = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    opened = pow(int.from_bytes(signature, "big"), exponent, modulus).to_bytes(size, "big")
    return hmac.compare_digest(opened, expected)
