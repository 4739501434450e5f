"""Names of the running call, where a module imports them in place of the loader giving them."""

from brine_worker import calls


class NamedLoaderContext(calls.Dunder):
    def __init__(self, name, loader_context=None, default=None):
        super().__init__(name)
        self.name, self.default = name, default


class LoaderContext:
    def named_context(self, name, default=None, ctx_class=NamedLoaderContext):
        return ctx_class(name, self, default)
