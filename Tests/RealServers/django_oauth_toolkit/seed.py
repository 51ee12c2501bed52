"""Makes the database, N users and two public clients, and writes accounts.csv."""
import os
import sys

import django

django.setup()

from django.contrib.auth.hashers import make_password  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402

call_command("migrate", verbosity=0)
password = make_password("viewer-pass")
users = [User(username=f"viewer{number}", password=password) for number in range(int(sys.argv[1]))]
User.objects.bulk_create(users)
for name in ("tv", "tv-2"):
    get_application_model().objects.create(
        client_id=name, name=name, client_type="public", client_secret="",
        authorization_grant_type="urn:ietf:params:oauth:grant-type:device_code")
with open(os.environ["BASE"] + "/accounts.csv", "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
    file.write("mvpd,user,password,user-id\n")
    for user in User.objects.order_by("pk"):
        file.write(f"site,{user.username},viewer-pass,{user.username}\n")
