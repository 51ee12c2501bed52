"""Dynamic client registration: D1, D2, and the bearers that other calls bring (4)."""

import base64
import json
import uuid

from errors import Refusal
from http11 import Response

SCOPE = "api:client:v2"


class Client:
    """A registered instance of an application. Its software statement may limit it to some service providers."""

    def __init__(self, name, secret, claims):
        self.id, self.secret, self.is_revoked = name, secret, False
        scopes, providers = claims.get("scopes"), claims.get("serviceProviders")
        self.scopes = scopes if isinstance(scopes, list) else [SCOPE]
        self.service_providers = providers if isinstance(providers, list) else None

    def covers(self, sp):
        return self.service_providers is None or sp in self.service_providers


class Clients:
    def __init__(self, settings, clock, random):
        self.settings, self.clock, self.random = settings, clock, random
        self.clients, self.bearers = {}, {}

    def register(self, request, is_json):
        if not is_json:
            return oauth_error("invalid_request")
        try:
            body = json.loads(request.body)
            statement = body["software_statement"]
        except (ValueError, KeyError, TypeError):
            return oauth_error("invalid_request")
        claims = claims_of(statement)
        if claims is None:
            return oauth_error("invalid_software_statement")
        redirect = body.get("redirect_uri")
        if redirect is not None and not (isinstance(redirect, str) and ":" in redirect):
            return oauth_error("invalid_redirect_uri")
        client = Client(self.hexadecimal(16), self.hexadecimal(24), claims)
        self.clients[client.id] = client
        return oauth_answer({
            "client_id": client.id, "client_secret": client.secret,
            "client_id_issued_at": self.clock.now() // 1000,
            "redirect_uris": [redirect or "demo://done"], "grant_types": ["client_credentials"],
            "scopes": client.scopes})

    def token(self, request):
        """D2. Real clients also send the credentials in the query, without a body (18)."""
        values = request.values
        if not values.get("client_id") or not values.get("client_secret"):
            return oauth_error("invalid_request")
        if values.get("grant_type") != "client_credentials":
            return oauth_error("unsupported_grant_type")
        client = self.clients.get(values["client_id"])
        if client is None or client.is_revoked or client.secret != values["client_secret"]:
            return oauth_error("invalid_client")
        bearer, created = self.bearer(client), self.clock.now()
        self.bearers[bearer] = (client, created + self.settings.bearer_life * 1000)
        return oauth_answer({
            "id": self.unique(), "access_token": bearer, "created_at": created,
            "expires_in": self.settings.bearer_life, "token_type": "bearer"})

    def bearer(self, client):
        now = self.clock.now() // 1000
        claims = {"sub": self.unique(), "nbf": now, "iat": now, "exp": now + self.settings.bearer_life,
                  "iss": "auth.adobe.com", "scopes": " ".join(map(str, client.scopes))}
        head = {"alg": "RS256", "typ": "JWT"}
        parts = [json.dumps(head).encode(), json.dumps(claims).encode(), self.bytes(256)]
        return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)

    def caller(self, request, sp=None):
        """The client whose valid bearer the request carries. Its statement must cover `sp`, if one is given."""
        kind, _, bearer = request.headers.get("authorization", "").partition(" ")
        client, expires = self.bearers.get(bearer.strip(), (None, 0))
        if kind.lower() != "bearer" or client is None or client.is_revoked or self.clock.now() >= expires:
            raise Refusal("invalid_access_token_client_application")
        if SCOPE not in client.scopes:
            raise Refusal("invalid_access_token_client_application")
        if sp is not None and not client.covers(sp):
            raise Refusal("invalid_access_token_service_provider")
        return client

    def bytes(self, count):
        return bytes(self.random.getrandbits(8) for _ in range(count))

    def hexadecimal(self, count):
        return self.bytes(count).hex()

    def unique(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))


def claims_of(statement):
    """The claims of a software statement: none if it is unreadable, None if it has not three parts."""
    if not isinstance(statement, str) or statement.count(".") != 2 or not all(statement.split(".")):
        return None
    try:
        part = statement.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}


def oauth_answer(value, status=201):
    return Response(status, json.dumps(value), "application/json;charset=UTF-8")


def oauth_error(name):
    return oauth_answer({"error": name}, 400)
