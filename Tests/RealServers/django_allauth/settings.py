import os

BASE = os.environ["BASE"]
SECRET_KEY = "test-only"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "site_urls"
USE_TZ = True
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
    "allauth", "allauth.account", "allauth.idp.oidc"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware", "allauth.account.middleware.AccountMiddleware",
    # What the site notes for records.py.
    "audit.Audit"]
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend", "allauth.account.auth_backends.AuthenticationBackend"]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages"]}}]
DATABASES = {"default": {
    "ENGINE": "django.db.backends.sqlite3", "NAME": BASE + "/db.sqlite3",
    "OPTIONS": {
        "timeout": 20, "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;"}}}
# The file cache serves several workers.
CACHES = {"default": {
    "BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": BASE + "/cache",
    "OPTIONS": {"MAX_ENTRIES": 100000}}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_REDIRECT_URL = "/identity/o/device"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = False
IDP_OIDC_PRIVATE_KEY = open(BASE + "/key.pem").read()
IDP_OIDC_DEVICE_CODE_INTERVAL = int(os.environ["INTERVAL"])
IDP_OIDC_DEVICE_CODE_EXPIRES_IN = int(os.environ["EXPIRES"])
# Default: 5 user codes a minute for each address, which all phones of a test share.
IDP_OIDC_RATE_LIMITS = False
