"""Names of users."""

import re

VALID_USERNAME = re.compile(r"[a-z_][a-z0-9_-]*[$]?", re.IGNORECASE)


def valid_username(user):
    return isinstance(user, str) and len(user) <= 32 and VALID_USERNAME.match(user) is not None
