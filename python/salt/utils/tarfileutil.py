"""Archives taken apart with nothing outside of where they go."""

import tarfile


def _filtered(tar, kwargs):
    if hasattr(tarfile, "data_filter"):
        kwargs.setdefault("filter", "tar")
    return kwargs


def extractall(tar, path=".", members=None, numeric_owner=False, **kwargs):
    tar.extractall(path, members=members, numeric_owner=numeric_owner, **_filtered(tar, kwargs))


def extract(tar, member, path="", **kwargs):
    tar.extract(member, path, **_filtered(tar, kwargs))
