"""What users' modules and scripts import of Salt, served by Brine."""

from . import _families  # noqa: F401, it lets `salt.modules.…` be imported
