"""The HMAC header of before access tokens: no registration, and `requestor` left to the header on N3 and L1."""

import base64
import hashlib
import hmac
import secrets
import time

from screens import REQUESTOR, TV


class Client(TV):
    user_agent = "AppleTV6,2/18.0 CFNetwork/1494 Darwin/24.0.0"
    key, secret = "a-public-key", b"a-secret"

    def register(self):
        pass

    def headers(self, method, path):
        nonce, moment = secrets.token_hex(16), int(time.time() * 1000)
        uri = path.removeprefix("/api/v1")
        text = (f"{method} requestor_id={REQUESTOR}, nonce={nonce}, signature_method=HMAC-SHA1, "
                f"request_time={moment}, request_uri={uri}")
        digest = hmac.new(self.secret, text.encode(), hashlib.sha1).digest()
        signed = f"{text}, public_key={self.key}, signature={base64.b64encode(digest).decode()}"
        return {"User-Agent": self.user_agent, "Accept": "application/json", "Authorization": signed}

    def parameters(self, path):
        named = super().parameters(path)
        if path in ("/api/v1/checkauthn", "/api/v1/logout"):
            del named["requestor"]
        return named
