"""Names that moved in Python 3."""

import builtins
import configparser  # noqa: F401
import functools
import http.client as http_client  # noqa: F401
import itertools
import pickle as cPickle  # noqa: F401, N812
import queue  # noqa: F401
import shlex
from io import StringIO as cStringIO  # noqa: F401, N813
from urllib import parse as urllib_parse  # noqa: F401

from . import urllib  # noqa: F401

range = xrange = builtins.range
map, filter, zip = builtins.map, builtins.filter, builtins.zip
input, reduce = builtins.input, functools.reduce
zip_longest, filterfalse = itertools.zip_longest, itertools.filterfalse
shlex_quote = shlex.quote
StringIO = cStringIO
