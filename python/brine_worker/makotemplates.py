"""
Mako templates, where Python's mako library is installed. What a template includes is named by `salt://`, which a plain
path means too, by `file://`, or by its place beside the template.
"""

import os
import re
import urllib.parse

from .calls import Dunder


class Absent(Exception):
    """The library is not there."""


def _library():
    try:
        import mako.exceptions
        import mako.lookup
        import mako.template
    except ImportError:
        raise Absent("needs Python's mako library (Debian: python3-mako)") from None
    return mako


def _lookup(mako, saltenv):
    class Lookup(mako.lookup.TemplateCollection):
        """Templates of the file server, as cached on this machine."""

        def __init__(self):
            self.known = {}

        def adjust_uri(self, uri, filename):
            scheme = urllib.parse.urlparse(uri).scheme
            if scheme in ("salt", "file"):
                return uri
            if scheme:
                raise ValueError("Unsupported URL scheme({}) in {}".format(scheme, uri))
            if uri.startswith("/") or not filename:
                return uri
            return os.path.join(os.path.dirname(filename), uri)

        def get_template(self, uri, relativeto=None):
            if uri not in self.known:
                self.known[uri] = mako.template.Template(filename=self._file(uri), uri=uri, lookup=self)
            return self.known[uri]

        def _file(self, uri):
            if uri.startswith("file://"):
                path = uri[len("file://") :]
                if os.path.isfile(path):
                    return path
            else:
                name = uri[len("salt://") :] if uri.startswith("salt://") else uri.lstrip("/")
                path = Dunder("__salt__")["cp.cache_file"]("salt://" + name, saltenv)
                if path:
                    return path
            raise mako.exceptions.TopLevelLookupException("Can't find template {}".format(uri))

    return Lookup()


def rendered(text, path, names):
    mako = _library()
    saltenv = names.get("saltenv")
    if saltenv:
        lookup = _lookup(mako, saltenv)
    else:
        lookup = mako.lookup.TemplateLookup(directories=[os.path.dirname(path)]) if path else None
    uri = names["sls"].replace(".", "/") if names.get("sls") else None
    try:
        return mako.template.Template(text, strict_undefined=True, uri=uri, lookup=lookup).render(**names)
    except Exception as error:
        raise _failure(mako, error, text) from None


def _failure(mako, error, text):
    """What went wrong and in which line. Names that nobody defined are missed before the first line is reached."""
    from salt.exceptions import SaltRenderError

    line = getattr(error, "lineno", None) or mako.exceptions.RichTraceback().lineno
    missing = re.match("'(\\w+)' is not defined", str(error)) if isinstance(error, NameError) else None
    if missing:
        uses = re.compile(r"\b{}\b".format(missing.group(1)))
        line = next((n for n, part in enumerate(text.splitlines(), 1) if uses.search(part)), line)
    reason = re.sub(r" at line: \d+ char: \d+$", "", str(error))
    return SaltRenderError("Mako: {}".format(reason), line_num=line or None)
