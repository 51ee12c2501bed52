# The key of the programmer's identity service, in PEM: its tokens tell whose devices share a sign-in.
with_key = os.environ.get("SCREENRIG_IDENTITY_KEY")
IDENTITY_KEY = open(with_key).read() if with_key else TARGET["demoIdentityKey"]


def der(data):
    """The elements of a sequence of DER: pairs of a tag and its bytes."""
    found, at = [], 0
    while at < len(data):
        tag, size, at = data[at], data[at + 1], at + 2
        if size & 0x80:
            count = size & 0x7F
            size, at = int.from_bytes(data[at:at + count], "big"), at + count
        found.append((tag, data[at:at + size]))
        at += size
    return found


def private_key():
    """Modulus and private exponent (RFC 5208, RFC 8017)."""
    lines = [line for line in IDENTITY_KEY.split("\n") if line and not line.startswith("-")]
    parts = der(der(base64.b64decode("".join(lines)))[0][1])
    if parts[1][0] == 0x30:
        parts = der(der(parts[2][1])[0][1])
    return int.from_bytes(parts[1][1], "big"), int.from_bytes(parts[3][1], "big")


def service_token(subject):
    """RS256 (RFC 7518, 3.3)."""
    def text(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    moment = int(time.time())
    head = {"alg": "RS256", "kid": os.environ.get("SCREENRIG_IDENTITY_KID", "screenrig-demo"), "typ": "JWT"}
    claims = {"iss": "identity.demo.test", "sub": subject, "aud": "Adobe", "iat": moment,
              "exp": moment + 3600}
    signed = text(json.dumps(head).encode()) + "." + text(json.dumps(claims).encode())
    modulus, exponent = private_key()
    size = (modulus.bit_length() + 7) // 8
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(
        signed.encode()).digest()
    block = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    power = pow(int.from_bytes(block, "big"), exponent, modulus)
    return signed + "." + text(power.to_bytes(size, "big"))
