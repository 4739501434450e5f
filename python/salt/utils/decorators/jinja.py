"""Marks of functions that templates may use as filters, tests or globals."""


class _Mark:
    kind = ""

    def __init__(self, name=None):
        self.name = name

    def __call__(self, function):
        function.__jinja__ = (self.kind, self.name or function.__name__)
        return function


class JinjaFilter(_Mark):
    kind = "filter"


class JinjaTest(_Mark):
    kind = "test"


class JinjaGlobal(_Mark):
    kind = "global"


jinja_filter, jinja_test, jinja_global = JinjaFilter, JinjaTest, JinjaGlobal
