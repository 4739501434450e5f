"""The names that the loader gives to modules, for modules that import them."""

from .context import LoaderContext

_context = LoaderContext()

__salt__ = _context.named_context("__salt__")
__opts__ = _context.named_context("__opts__")
__grains__ = _context.named_context("__grains__")
__pillar__ = _context.named_context("__pillar__")
__context__ = _context.named_context("__context__")
__utils__ = _context.named_context("__utils__")
__states__ = _context.named_context("__states__")
__runner__ = _context.named_context("__runner__")
__proxy__ = _context.named_context("__proxy__")
__low__ = _context.named_context("__low__")
__serializers__ = _context.named_context("__serializers__")
__file_client__ = _context.named_context("__file_client__")
