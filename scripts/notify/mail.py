#!/usr/bin/env python3
"""Mails the digest of a night: text, HTML, and its pictures as parts of the message.

  screenrig nightly rigs/nightly.yaml --notify 'python3 scripts/notify/mail.py'

Environment: SCREENRIG_MAIL_TO (addresses, with commas), SCREENRIG_MAIL_FROM, SCREENRIG_SMTP (host or host:port;
default localhost:25; port 465 speaks TLS from the start, others by STARTTLS where the server offers it),
SCREENRIG_SMTP_USER and SCREENRIG_SMTP_PASSWORD (or SCREENRIG_SMTP_PASSWORD_FILE) where it asks for them.
"""
import base64, email.message, email.utils, os, re, smtplib, ssl
from common import fail, message, setting

PICTURE = re.compile(r'src="data:image/png;base64,([A-Za-z0-9+/=]+)"')


def with_pictures(page):
    """Most mail programs show no data: addresses; pictures of the message itself they show."""
    pictures = []

    def place(found):
        name = "picture%d@screenrig" % (len(pictures) + 1)
        pictures.append((name, base64.b64decode(found.group(1))))
        return 'src="cid:%s"' % name

    return PICTURE.sub(place, page), pictures


def letter(digest, sender, receivers):
    mail = email.message.EmailMessage()
    mail["Subject"] = re.sub(r"\s+", " ", digest["subject"])
    mail["From"] = sender
    mail["To"] = ", ".join(receivers)
    mail["Date"] = email.utils.formatdate(localtime=True)
    mail["Message-ID"] = email.utils.make_msgid(domain="screenrig.invalid")
    # Asks vacation programs not to answer (RFC 3834).
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(digest["text"])
    try:
        with open(digest["htmlFile"], encoding="utf-8") as file:
            page, pictures = with_pictures(file.read())
    except (OSError, TypeError):
        return mail
    mail.add_alternative(page, subtype="html")
    for name, bytes in pictures:
        mail.get_payload()[1].add_related(bytes, "image", "png", cid="<%s>" % name, disposition="inline")
    return mail


def main():
    night = message("Mails the digest of a night of screenrig.")
    sender = setting("SCREENRIG_MAIL_FROM", "the sender's address")
    receivers = [a.strip() for a in setting("SCREENRIG_MAIL_TO", "the receivers' addresses").split(",") if a.strip()]
    host, _, port = os.environ.get("SCREENRIG_SMTP", "localhost").partition(":")
    port = int(port) if port.isdigit() else 25
    mail = letter(night["digest"], sender, receivers)
    is_here = host in ("localhost", "127.0.0.1", "::1")
    try:
        context = ssl.create_default_context()
        if is_here:
            # A mail server of this machine has a certificate that it made itself, and nobody listens in between.
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        server = (smtplib.SMTP_SSL(host, port, timeout=30, context=context) if port == 465
                  else smtplib.SMTP(host, port, timeout=30))
        with server:
            is_private = port == 465
            if port != 465 and server.ehlo() and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
                is_private = True
            user = os.environ.get("SCREENRIG_SMTP_USER")
            if user:
                if not is_private and not is_here:
                    fail("%s:%d offers no TLS, and the password would be readable on its way" % (host, port))
                server.login(user, setting("SCREENRIG_SMTP_PASSWORD", "the password of SCREENRIG_SMTP_USER"))
            server.send_message(mail, sender, receivers)
    except smtplib.SMTPAuthenticationError:
        fail("%s:%d refuses SCREENRIG_SMTP_USER or its password" % (host, port))
    except (OSError, smtplib.SMTPException) as error:
        fail("%s:%d did not take the mail: %s" % (host, port, error))


if __name__ == "__main__":
    main()
