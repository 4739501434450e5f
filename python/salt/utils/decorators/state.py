"""Checks of what states return; the host makes them itself."""


class OutputUnifier:
    def __init__(self, *policies):
        self.policies = policies

    def __call__(self, function):
        return function


StateOutput = OutputUnifier
