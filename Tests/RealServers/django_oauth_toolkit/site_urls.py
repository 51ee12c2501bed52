import os

from django.contrib.auth.views import LoginView
from django.http import JsonResponse
from django.urls import include, path
from oauth2_provider.decorators import protected_resource
from oauthlib.oauth2 import DeviceApplicationServer
from oauth2_provider.views import DeviceAuthorizationView


class Server(DeviceApplicationServer):
    """The lifetime of codes is fixed at 1800 s in oauthlib; a subclass is the way to another."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._expires_in = int(os.environ["EXPIRES"])


class ShortDeviceAuthorizationView(DeviceAuthorizationView):
    server_class = Server


@protected_resource(scopes=["read"])
def who(request):
    """A resource of the site's own: the user behind the access token."""
    return JsonResponse({"sub": str(request.resource_owner.pk), "username": request.resource_owner.username})


urlpatterns = [
    path("accounts/login/", LoginView.as_view(template_name="login.html")),
    path("who/", who),
    path("o/device-authorization/", ShortDeviceAuthorizationView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]
