"""Makes the key, the database, N users and two public clients, and writes accounts.csv."""
import os
import subprocess
import sys

base = os.environ["BASE"]
subprocess.run(["openssl", "genrsa", "-out", base + "/key.pem", "2048"], check=True)

import django  # noqa: E402

django.setup()

from allauth.idp.oidc.models import Client  # noqa: E402
from django.contrib.auth.hashers import make_password  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402

call_command("migrate", verbosity=0)
password = make_password("viewer-pass")
users = [User(username=f"viewer{number}", password=password) for number in range(int(sys.argv[1]))]
User.objects.bulk_create(users)
for name in ("tv", "tv-2"):
    Client.objects.create(
        id=name, name=name, type="public", scopes="openid\nprofile", default_scopes="openid",
        grant_types="urn:ietf:params:oauth:grant-type:device_code\nrefresh_token")
with open(base + "/accounts.csv", "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
    file.write("mvpd,user,password,user-id\n")
    for user in User.objects.order_by("pk"):
        file.write(f"site,{user.username},viewer-pass,{user.pk}\n")
