"""Names that moved."""

import ipaddress  # noqa: F401
import subprocess  # noqa: F401
import xml.etree.ElementTree as ElementTree  # noqa: F401
