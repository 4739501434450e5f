"""Addresses and names of this machine; what needs its interfaces is asked of the host."""

import ipaddress
import socket

from salt import _host


def _function(name, *args, **kwargs):
    return _host.ask("call", "function", name, list(args), kwargs)


def is_ip(ip_addr):
    return is_ipv4(ip_addr) or is_ipv6(ip_addr)


def is_ipv4(ip_addr):
    return _parsed(ipaddress.IPv4Address, ip_addr)


def is_ipv6(ip_addr):
    return _parsed(ipaddress.IPv6Address, ip_addr)


is_ip_filter, is_ipv4_filter, is_ipv6_filter = is_ip, is_ipv4, is_ipv6


def _parsed(kind, text):
    try:
        kind(text)
    except ValueError:
        return False
    return True


def is_subnet(cidr):
    return is_ipv4_subnet(cidr) or is_ipv6_subnet(cidr)


def is_ipv4_subnet(cidr):
    return "/" in str(cidr) and _parsed(ipaddress.IPv4Network, cidr)


def is_ipv6_subnet(cidr):
    return "/" in str(cidr) and _parsed(ipaddress.IPv6Network, cidr)


def in_subnet(cidr, addr=None):
    network = ipaddress.ip_network(cidr, strict=False)
    addrs = [addr] if isinstance(addr, str) else addr or ip_addrs() + ip_addrs6()
    return any(ipaddress.ip_address(item) in network for item in addrs)


def get_fqhostname():
    return socket.getfqdn()


def host_to_ips(host):
    try:
        return sorted({info[4][0] for info in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)}) or None
    except socket.gaierror:
        return None


def interfaces():
    return _function("network.interfaces")


def ip_addrs(interface=None, include_loopback=False, interface_data=None):
    return _function("network.ip_addrs", interface=interface, include_loopback=include_loopback)


def ip_addrs6(interface=None, include_loopback=False, interface_data=None):
    return _function("network.ip_addrs6", interface=interface, include_loopback=include_loopback)


def hw_addr(iface):
    return _function("network.hw_addr", iface)


def generate_minion_id():
    return socket.getfqdn() or socket.gethostname()


def parse_host_port(host_port):
    host, mark, port = host_port.rpartition(":")
    if not mark or host_port.count(":") > 1 and not host.endswith("]"):
        return host_port.strip("[]"), None
    return host.strip("[]"), int(port)


def sanitize_host(host):
    return "".join(c for c in host if c.isalnum() or c in ".-_").rstrip(".")
