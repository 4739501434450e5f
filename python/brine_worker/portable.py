"""
What modules may use without touching the machine they are about. Such a module gives the same on any machine, as long as the
functions that it calls are bound to the right one. What is not named here counts as touching the machine.
"""

import sys

_PYTHON = """
__future__ abc array ast base64 binascii bisect bz2 calendar cmath codecs collections colorsys contextlib contextvars copy csv
dataclasses datetime decimal difflib email enum errno fnmatch fractions functools gzip hashlib heapq hmac html inspect io ipaddress
itertools json keyword logging lzma math numbers operator pprint queue quopri random re secrets shlex statistics string stringprep
struct textwrap threading time token tokenize traceback types typing unicodedata urllib.parse uuid warnings weakref xml zlib
os.path.basename os.path.commonprefix os.path.dirname os.path.isabs os.path.join os.path.normpath os.path.sep os.path.split
os.path.splitext os.linesep os.sep os.pathsep
sys.byteorder sys.exc_info sys.float_info sys.hexversion sys.maxsize sys.maxunicode sys.stderr sys.stdout sys.version
sys.version_info
"""

_PYTHON_BUT = """
bz2.BZ2File bz2.open codecs.open gzip.GzipFile gzip.open io.FileIO io.open io.open_code logging.FileHandler logging.config
logging.handlers lzma.LZMAFile lzma.open time.clock_gettime tokenize.open uuid.getnode uuid.uuid1 xml.dom.minidom.parse
xml.etree.ElementTree.ElementTree xml.etree.ElementTree.iterparse xml.etree.ElementTree.parse xml.etree.cElementTree xml.sax.parse
"""

_SALT = """
_compat defaults exceptions ext.six log modules payload returners runners serializers states version wheel
utils.args utils.beacons utils.clean_kwargs utils.color utils.compare_dicts utils.configcomparer utils.context utils.data
utils.dateutils utils.decorators utils.dictdiffer utils.dictupdate utils.doc utils.error utils.filebuffer utils.functools
utils.hashutils utils.http utils.immutabletypes utils.invalid_kwargs utils.is_dictlist utils.is_true utils.itertools utils.jid
utils.json utils.listdiffer utils.locales utils.msgpack utils.odict utils.oset utils.repack_dictlist utils.sdb utils.state
utils.stringio utils.stringutils utils.templates utils.textformat utils.timeutil utils.to_bytes utils.to_str utils.traverse_dict
utils.traverse_dict_and_list utils.url utils.validate.net utils.validate.user utils.version_cmp utils.versions utils.warn_until
utils.xmlutil utils.yaml utils.yamldumper utils.yamlencoding utils.yamlloader
"""

_SALT_BUT = "utils.decorators.path utils.hashutils.get_hash utils.hashutils.hash_file utils.itertools.read_file"

_VERDICTS = {name: True for name in _PYTHON.split()}
_VERDICTS.update({name: False for name in _PYTHON_BUT.split()})
_VERDICTS.update({"salt." + name: True for name in _SALT.split()})
_VERDICTS.update({"salt." + name: False for name in _SALT_BUT.split()})

# built-in names that read files or run code that no look at the text can see
BUILTINS = frozenset(("open", "exec", "eval", "compile", "input", "__import__", "__builtins__", "breakpoint"))

_BEFORE_3_10 = frozenset("os sys subprocess socket shutil pathlib platform glob pwd grp tempfile stat signal".split())


def is_portable(name):
    """Whether a dotted name may be used on any machine; the longest part of it that is known decides."""
    words = name.split(".")
    for count in range(len(words), 0, -1):
        verdict = _VERDICTS.get(".".join(words[:count]))
        if verdict is not None:
            return verdict
    return False


def is_known(module):
    """Whether an import by itself is harmless everywhere: Python and Brine have the module."""
    top = module.partition(".")[0]
    own = getattr(sys, "stdlib_module_names", None) or _BEFORE_3_10
    return top == "salt" or top in own or any(name.partition(".")[0] == top for name in _VERDICTS)
