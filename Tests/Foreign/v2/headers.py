"""Decodes the headers of a call: device, platform information, partner status."""

import base64
import binascii
import json

from errors import Refusal


def base64_bytes(text):
    """Decodes standard Base64, with or without padding; None for anything else."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (ValueError, binascii.Error):
        return None


def base64_text(text):
    try:
        return (base64_bytes(text) or b"").decode() or None
    except ValueError:
        return None


def base64_name(text):
    """Decodes an identifier. Some clients encode the bytes of a hash; these become hexadecimal digits."""
    value = base64_bytes(text)
    return (base64_text(text) or value.hex()) if value else None


def base64_object(text):
    try:
        value = json.loads(base64_text(text) or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def device_identifier(headers):
    kind, _, value = headers.get("ap-device-identifier", "").partition(" ")
    return base64_name(value.strip()) if kind.lower() == "fingerprint" else None


def required_device(headers):
    device = device_identifier(headers)
    if device is None:
        raise Refusal("invalid_header_device_identifier")
    return device


def device_information(headers, strict):
    """The object of X-Device-Info. A lenient service accepts requests without one."""
    sent = headers.get("x-device-info")
    if sent is None and not strict:
        return {}
    value = base64_object(sent or "")
    if value is None or (strict and not (is_text(value.get("model")) and is_text(value.get("osName")))):
        raise Refusal("invalid_header_device_info")
    return value


def is_text(value):
    return isinstance(value, str) and value != ""


class PartnerStatus:
    """AP-Partner-Framework-Status: the user's permission to see the platform's account, and its provider."""

    def __init__(self, header, now):
        value = base64_object(header or "") or {}
        permission, provider = value.get("frameworkPermissionInfo"), value.get("frameworkProviderInfo")
        self.access = permission.get("accessStatus") if isinstance(permission, dict) else None
        provider = provider if isinstance(provider, dict) else {}
        self.mapping_id = provider.get("id") if is_text(provider.get("id")) else None
        self.expired = self.has_passed(provider.get("expirationDate"), now)

    @staticmethod
    def has_passed(moment, now):
        if moment is None:
            return False
        try:
            return int(moment) <= now
        except (TypeError, ValueError):
            return True

    @property
    def is_granted(self):
        return self.access == "granted"

    @property
    def is_valid(self):
        return self.is_granted and self.mapping_id is not None and not self.expired
