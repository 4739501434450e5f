"""Addresses and names of this machine; what needs its interfaces is asked of the host."""

import ipaddress
import random
import re
import socket
import struct

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
    try:
        network = ipaddress.ip_network(cidr, strict=False)
    except ValueError:
        return False
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
    if not port.isdigit():
        raise ValueError('host_port "{}" port value "{}" is not an integer.'.format(host_port, port))
    return host.strip("[]"), int(port)


def sanitize_host(host):
    return "".join(c for c in host if c.isalnum() or c in ".-_")


def hex2ip(hex_ip, invert=False):
    """An address as the kernel writes it in /proc/net."""
    if len(hex_ip) == 32:
        groups = [hex_ip[at : at + 8] for at in range(0, 32, 8)]
        data = b"".join(bytes.fromhex(group)[::-1] for group in groups)
        address = ipaddress.IPv6Address(data)
        return str(address.ipv4_mapped or address)
    data = bytes.fromhex(hex_ip.zfill(8))
    return str(ipaddress.IPv4Address(data[::-1] if invert else data))


def calc_net(ip_addr, netmask=None):
    whole = "{}/{}".format(ip_addr, netmask) if netmask is not None else ip_addr
    return str(ipaddress.ip_network(whole, strict=False))


def get_net_start(ipaddr, netmask):
    return str(ipaddress.ip_network("{}/{}".format(ipaddr, netmask), strict=False).network_address)


def get_net_size(mask):
    return bin(struct.unpack(">I", socket.inet_aton(mask))[0]).count("1")


def cidr_to_ipv4_netmask(cidr_bits):
    try:
        bits = int(cidr_bits)
    except ValueError:
        return ""
    return str(ipaddress.IPv4Network((0, bits)).netmask) if 1 <= bits <= 32 else ""


def natural_ipv4_netmask(ip, fmt="prefixlen"):
    first = int(str(ip).partition(".")[0])
    bits = 8 if first < 128 else 16 if first < 192 else 24
    return "/{}".format(bits) if fmt == "prefixlen" else cidr_to_ipv4_netmask(bits)


def rpad_ipv4_network(ip):
    return ".".join((ip.split(".") + ["0"] * 4)[:4])


def network_hosts(value, options=None, version=None):
    return [str(host) for host in ipaddress.ip_network(value, strict=False).hosts()]


def network_size(value, options=None, version=None):
    return ipaddress.ip_network(value, strict=False).num_addresses


def ip_host(value, options=None, version=None):
    return str(ipaddress.ip_interface(value))


def ipaddr(value, options=None):
    if isinstance(value, (list, tuple)):
        return [item for item in value if ipaddr(item)]
    return ipv4(value, options) or ipv6(value, options)


def ipv4(value, options=None):
    return _address(value, 4)


def ipv6(value, options=None):
    return _address(value, 6)


def _address(value, version):
    """What is an address of that kind; of several those that are."""
    if isinstance(value, (list, tuple)):
        return [item for item in value if _address(item, version)]
    try:
        return str(value) if ipaddress.ip_interface(str(value)).version == version else None
    except ValueError:
        return None


def filter_by_networks(values, networks):
    if isinstance(values, dict):
        return {name: filter_by_networks(addresses, networks) for name, addresses in values.items()}
    if not isinstance(values, (list, tuple, set)):
        raise ValueError("Do not know how to filter a {}".format(type(values)))
    wanted = [ipaddress.ip_network(network) for network in networks or ()]
    if not networks:
        return list(values) if networks is None else []
    return [value for value in values if any(ipaddress.ip_address(value) in network for network in wanted)]


def mac_str_to_bytes(mac_str):
    if len(mac_str) == 17:
        mac_str = mac_str.replace(mac_str[2], "")
    elif len(mac_str) != 12:
        raise ValueError("Invalid MAC address")
    return bytes.fromhex(mac_str)


def mac2eui64(mac, prefix=None):
    digits = re.sub(r"[.:-]", "", mac).lower()
    data = bytearray(bytes.fromhex(digits[:6] + "fffe" + digits[6:]))
    data[0] ^= 2
    if prefix is None:
        return ":".join(data.hex()[at : at + 4] for at in range(0, 16, 4))
    network = ipaddress.ip_network(prefix, strict=False)
    return "{}/{}".format(network[int.from_bytes(data, "big")], network.prefixlen)


def gen_mac(prefix="AC:DE:48"):
    return "{}:{}".format(prefix, ":".join("{:02X}".format(random.randint(0, 255)) for _ in range(3)))


def ip_bracket(addr, strip=False):
    plain = str(addr).strip("[]")
    return plain if strip or ipaddress.ip_address(plain).version == 4 else "[{}]".format(plain)


ipwrap = ip_bracket


def is_loopback(ip_addr):
    return ipaddress.ip_address(ip_addr).is_loopback


def ip_to_host(ip):
    try:
        return socket.gethostbyaddr(ip)[0]
    except OSError:
        return None


def is_reachable_host(entity_name):
    try:
        return isinstance(socket.getaddrinfo(entity_name, 0, 0, 0, 0), list)
    except socket.gaierror:
        return False


def isportopen(host, port):
    if not 1 <= int(port) <= 65535:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        return sock.connect_ex((sanitize_host(host), int(port)))


def interface(iface):
    return _function("network.interface", iface)


def interface_ip(iface):
    return _function("network.interface_ip", iface)


def subnets(interfaces=None):
    return _function("network.subnets", interfaces)


def subnets6():
    return _function("network.subnets6")


def ip_networks(interface=None, include_loopback=False, verbose=False, interface_data=None):
    return _function("network.ip_networks", interface, include_loopback, verbose)


def active_tcp():
    return _function("network.active_tcp")


def refresh_dns():
    """Names are looked up anew by each call here."""


def dns_check(addr, port=80, safe=False, ipv6=None, attempt_connect=True):
    family = {None: socket.AF_UNSPEC, True: socket.AF_INET6, False: socket.AF_INET}[ipv6]
    try:
        found = socket.getaddrinfo(addr, port, family, socket.SOCK_STREAM)
    except OSError as exc:
        from salt.exceptions import SaltClientError, SaltSystemExit

        text = "DNS lookup or connection check of '{}' failed.".format(addr)
        raise (SaltClientError() if safe else SaltSystemExit(code=42, msg=text)) from exc
    return ip_bracket(found[0][4][0])
