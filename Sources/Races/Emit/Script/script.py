#!/usr/bin/env python3
# __NAME__: __SENTENCE__
# Written by screenrig __VERSION__ from its case file. Needs only Python 3.8.
#
#   python3 __NAME__.py [ADDRESS] [TIMES]
#
#   ADDRESS, or SCREENRIG_TARGET: the service to test (__BASE__)
#   SCREENRIG_STATEMENT  the software statement__STATEMENT__
#   SCREENRIG_ACCOUNTS   user:password[:id-in-tokens],... (default: invented accounts)
#   SCREENRIG_CA         a certificate to trust
#
# Prints k of n. Exit codes: 0 does not reproduce, 1 reproduces, 2 wrong argument, 3 could not run.
import base64, json, os, random, re, socket, ssl, string, sys, threading, time
import traceback
from html.parser import HTMLParser
from urllib.parse import quote, urlencode, urljoin, urlsplit


__WIRE__

CASE = json.loads(__CASE__)

TARGET = json.loads(__TARGET__)
PROVIDERS = []

__SCREENS__


__TRIAL__


__VERDICT__
