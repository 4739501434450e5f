"""Addresses."""

import ipaddress
import re


def mac(addr):
    return re.match(r"^(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", str(addr)) is not None


def _is(kind, text):
    try:
        kind(str(text))
    except ValueError:
        return False
    return True


def ipv4_addr(addr):
    return _is(ipaddress.IPv4Interface, addr)


def ipv6_addr(addr):
    return _is(ipaddress.IPv6Interface, addr)


def ip_addr(addr):
    return ipv4_addr(addr) or ipv6_addr(addr)


def netmask(mask):
    return isinstance(mask, str) and mask.count(".") == 3 and _is(ipaddress.IPv4Network, "0.0.0.0/" + mask)
