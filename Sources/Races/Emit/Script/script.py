#!/usr/bin/env python3
# __NAME__: __SENTENCE__
# Written by screenrig __VERSION__ from its case file. Needs only Python 3.8.
#
#   python3 __NAME__.py [ADDRESS] [TIMES]
#
#   ADDRESS, or SCREENRIG_TARGET: the service to test (__BASE__)
#   SCREENRIG_STATEMENT  the software statement__STATEMENT__
#   SCREENRIG_ACCOUNTS   a file of accounts (columns mvpd, user, password, user-id), or user:password[:id],...
#                        (default: invented accounts)
#   SCREENRIG_CA         a certificate to trust
__MORE__#
# Prints k of n. Exit codes: 0 does not reproduce, 1 reproduces, 2 wrong argument, 3 could not run or tell.
import base64, csv, hashlib, json, os, random, re, socket, ssl, string, sys, threading, time
import traceback
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from urllib.parse import quote, urlencode, urljoin, urlsplit


__WIRE__

CASE = json.loads(__CASE__)

TARGET = json.loads(__TARGET__)
PROVIDERS, PASSES = [], []

__SCREENS__


__IDENTITY__


__TRIAL__


__RULES__


__VERDICT__
