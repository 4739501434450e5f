"""
What cloud drivers use. The host makes and accepts keys, logs in to new machines, puts a minion on them, fires the events of their life and
keeps what is known of them; a driver only has to make a machine and to say how it is reached.
"""

import ipaddress
import logging
import os
import socket
import stat
import time

import salt.config
from brine_worker.calls import Dunder, current
from salt.exceptions import (
    SaltCloudConfigError,
    SaltCloudException,
    SaltCloudExecutionFailure,
    SaltCloudExecutionTimeout,
    SaltCloudSystemExit,
)

log = logging.getLogger(__name__)

_opts = Dunder("__opts__")

# what a driver may decide about the login to a machine that it made
_LOGIN = (
    "ssh_host", "ssh_username", "ssh_port", "password", "ssh_password", "sudo_password", "key_filename", "private_key",
    "ssh_keyfile", "ssh_gateway", "ssh_interface", "sudo", "tty",
)  # fmt: skip


def filter_event(tag, data, defaults):
    """The part of the data that an event may tell."""
    rules = (_opts.get("filter_events") or {}).get(tag) or {}
    keys = set(rules.get("keys") or ())
    if rules.get("use_defaults", True):
        keys.update(defaults)
    return {key: value for key, value in data.items() if key in keys}


def fire_event(key, msg, tag, sock_dir=None, args=None, transport=None, listen=False):
    """Tells how far the work on a machine is."""
    current().ask("cloud_event", tag, {**(args if isinstance(args, dict) else {}), key: msg})


def bootstrap(vm_, opts=None):
    """Notes how the machine is reached. The host logs in and puts the minion on it when the driver is done."""
    current().ask("cloud_login", {key: vm_[key] for key in _LOGIN if vm_.get(key) is not None})
    return {}


def list_nodes_select(nodes, selection, call=None):
    """The chosen facts of all machines."""
    if call == "action":
        raise SaltCloudSystemExit("The list_nodes_select function must be called with -f or --function.")
    if "error" in nodes:
        raise SaltCloudSystemExit("The machines could not be listed: {}".format(nodes["error"]))
    return {name: {key: value for key, value in facts.items() if str(key) in selection} for name, facts in nodes.items()}


def ssh_usernames(vm_, opts, default_users=None):
    """The users to log in as: those of the settings, the usual ones, and again those of the settings."""
    given = salt.config.get_cloud_config_value("ssh_username", vm_, opts)
    own = [name for name in (given if isinstance(given, list) else [given]) if name]
    usual = [name for name in (default_users or ["root"]) if name not in own]
    return own + usual + own


def get_salt_interface(vm_, opts):
    """Which address of a machine counts."""
    for name in ("salt_interface", "ssh_interface"):
        found = salt.config.get_cloud_config_value(name, vm_, opts, search_global=False)
        if found:
            return found
    return "public_ips"


def is_public_ip(ip):
    """Whether an address is one of the public network."""
    address = ipaddress.ip_address(str(ip))
    return not (address.is_private or address.is_loopback or address.is_link_local)


def ip_to_int(ip):
    return int(ipaddress.ip_address(str(ip)))


def check_name(name, safe_chars):
    """Refuses names with other characters than these."""
    import re

    if re.search("[^{}]".format(safe_chars), name):
        raise SaltCloudException("{} contains characters not supported by this cloud provider. Valid characters are: {}".format(name, safe_chars))


def check_key_path_and_mode(provider, key_path):
    """Whether a key file is there and only its owner can read it."""
    try:
        mode = stat.S_IMODE(os.stat(key_path).st_mode)
    except FileNotFoundError:
        log.error("The key file %s of the provider %s does not exist", key_path, provider)
        return False
    if mode not in (0o400, 0o600):
        log.error("The key file %s of the provider %s must have mode 0400 or 0600", key_path, provider)
        return False
    return True


def wait_for_ip(update_callback, update_args=None, update_kwargs=None, timeout=300, interval=5, interval_multiplier=1,
                max_failures=10):  # fmt: skip
    """What the callback gives, as soon as that is neither None nor False, which counts as a failure."""
    end = time.monotonic() + timeout
    while True:
        found = update_callback(*(update_args or ()), **(update_kwargs or {}))
        if found is False:
            max_failures -= 1
            if max_failures <= 0:
                raise SaltCloudExecutionFailure("Too many failures occurred while waiting for the IP address.")
        elif found is not None:
            return found
        if time.monotonic() >= end:
            raise SaltCloudExecutionTimeout("The machine had no address after {} s".format(timeout))
        time.sleep(interval)
        interval *= interval_multiplier


def wait_for_fun(fun, timeout=900, **kwargs):
    """What the function gives, as soon as it neither fails nor gives a boolean; False after the time."""
    end = time.monotonic() + timeout
    while True:
        try:
            found = fun(**kwargs)
            if not isinstance(found, bool):
                return found
        except Exception as exc:  # a driver may raise anything while its machine is not ready
            log.debug("Still waiting: %s", exc)
        if time.monotonic() >= end:
            return False
        time.sleep(1)


def wait_for_port(host, port=22, timeout=900, gateway=None, server_alive_interval=None, server_alive_count_max=None):
    """Whether a port takes connections within the time. Behind a gateway the host tries by itself."""
    if gateway:
        return True
    end = time.monotonic() + timeout
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
            return True
        except OSError as exc:
            log.debug("%s does not answer at port %s yet: %s", host, port, exc)
        if time.monotonic() >= end:
            return False
        time.sleep(1)


def wait_for_passwd(host, *args, **kwargs):
    """True: the host of this process waits until a machine lets it in."""
    return True


def userdata_template(opts, vm_, userdata):
    """User data, rendered as the settings say."""
    if userdata is None:
        return userdata
    renderer = salt.config.get_cloud_config_value("userdata_template", vm_, opts, search_global=False)
    renderer = opts.get("userdata_template") if renderer is None else renderer
    if renderer is False or not renderer:
        return userdata
    context = {"opts": dict(opts), "vm": dict(vm_)}
    rendered = current().ask("render", renderer, userdata, context, None)
    if not isinstance(rendered, str):
        raise SaltCloudConfigError("userdata_template must give text, not {}".format(type(rendered).__name__))
    return rendered


def salt_config_to_yaml(configuration, line_break="\n"):
    import salt.utils.yaml

    return salt.utils.yaml.safe_dump(configuration, line_break=line_break, default_flow_style=False)


def os_script(os_, vm_=None, opts=None, minion=""):
    """No script: the host deploys without one."""
    return ""


def run_func_until_ret_arg(fun, kwargs, fun_call=None, argument_being_watched=None, required_argument_response=None):
    """Calls a function until a fact in its answer is as wanted."""
    while True:
        facts = {}
        for item in fun(kwargs, call=fun_call):
            if isinstance(item, list) and item and isinstance(item[0], dict):
                facts.update(item[0])
        for name in argument_being_watched.split(","):
            facts = facts.get(name) if isinstance(facts, dict) else None
        if facts == required_argument_response:
            return True
        time.sleep(5)


def _kept_by_the_host(*args, **kwargs):
    """Nothing: the host keeps what is known of machines, their keys and their host keys."""


cachedir_index_add = cachedir_index_del = init_cachedir = request_minion_cachedir = change_minion_cachedir = _kept_by_the_host
activate_minion_cachedir = delete_minion_cachedir = cache_node_list = cache_node = missing_node_cache = _kept_by_the_host
diff_node_cache = accept_key = remove_key = rename_key = remove_sshkey = _kept_by_the_host
