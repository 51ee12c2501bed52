#!/usr/bin/env python3
"""A platform for rigs/platform-program.yaml: one question on standard input, one answer on standard output.

It signs as XML-DSig wants it, with the key beside it, and needs nothing but Python 3 and openssl.
"""
import base64, hashlib, json, os, re, subprocess, sys
from xml.sax.saxutils import escape

KEY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "platform-demo.pem")
SAML = "urn:oasis:names:tc:SAML:2.0:assertion"
DSIG = "http://www.w3.org/2000/09/xmldsig#"
EXC = "http://www.w3.org/2001/10/xml-exc-c14n#"

question = json.load(sys.stdin)
query = base64.b64decode(question["verificationToken"]).decode()
tag = re.search(r"<[\w:]*AttributeQuery [^>]*>", query).group(0)
request = re.search(r' ID="([^"]+)"', tag).group(1)
issued = re.search(r' IssueInstant="([^"]+)"', tag).group(1)
end = re.search(r' NotOnOrAfter="([^"]+)"', tag).group(1)
issuer = re.search(r"<[\w:]*Issuer[^>]*>\s*([^<\s]+)", query)
audience = issuer.group(1) if issuer else question["channelIdentifier"]

values = "".join(
    f'<saml:Attribute Name="{name}"><saml:AttributeValue>'
    + escape(question["subject"] if name == "userID" else f"demo-{name}")
    + "</saml:AttributeValue></saml:Attribute>"
    for name in question["attributes"])
head = (f'<saml:Assertion xmlns:saml="{SAML}" ID="_a{request}" IssueInstant="{issued}" Version="2.0">'
        f'<saml:Issuer>{escape(question["provider"])}</saml:Issuer>')
tail = (f'<saml:Subject><saml:NameID>{escape(question["subject"])}</saml:NameID>'
        f'<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">'
        f'<saml:SubjectConfirmationData InResponseTo="{request}" NotOnOrAfter="{end}">'
        f"</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>"
        f'<saml:Conditions NotOnOrAfter="{end}"><saml:AudienceRestriction>'
        f'<saml:Audience>{audience}</saml:Audience>'
        f"</saml:AudienceRestriction></saml:Conditions>"
        f"<saml:AttributeStatement>{values}</saml:AttributeStatement></saml:Assertion>")


def empty(name, algorithm):
    return f'<ds:{name} Algorithm="{algorithm}"></ds:{name}>'


digest = base64.b64encode(hashlib.sha256((head + tail).encode()).digest()).decode()
info = (f'<ds:SignedInfo xmlns:ds="{DSIG}">' + empty("CanonicalizationMethod", EXC)
        + empty("SignatureMethod", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256")
        + f'<ds:Reference URI="#_a{request}"><ds:Transforms>'
        + empty("Transform", DSIG + "enveloped-signature") + empty("Transform", EXC)
        + "</ds:Transforms>" + empty("DigestMethod", "http://www.w3.org/2001/04/xmlenc#sha256")
        + f"<ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>")
signature = subprocess.run(
    ["openssl", "dgst", "-sha256", "-sign", KEY], input=info.encode(), stdout=subprocess.PIPE,
    check=True).stdout
signed = (f'{head}<ds:Signature xmlns:ds="{DSIG}">{info}<ds:SignatureValue>'
          f"{base64.b64encode(signature).decode()}</ds:SignatureValue></ds:Signature>{tail}")
print('<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" '
      f'ID="_r{request}" InResponseTo="{request}" IssueInstant="{issued}" Version="2.0">\n'
      '\t<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>'
      f"</samlp:Status>\n\t{signed}\n</samlp:Response>")
