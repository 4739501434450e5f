"""Mail with data, as reactors and returners send it by the options `smtp.*`."""

import logging
import os
import re
import smtplib
import subprocess
from email.utils import formatdate

log = logging.getLogger(__name__)

_OPTIONS = ("to", "from", "host", "port", "tls", "username", "password", "subject", "gpgowner", "content")

# A mail server that does not answer must not hold up the caller for ever.
_TIMEOUT = 60


def send(kwargs, opts):
    """Send a mail. Each field comes from `kwargs`, or else from the option of its name."""
    config = {f"smtp.{name}": opts.get(f"smtp.{name}", "") for name in _OPTIONS}
    config.update(kwargs)
    content = config["smtp.content"]
    if config["smtp.gpgowner"]:
        content = _encrypted(content, config["smtp.gpgowner"], _recipients(config["smtp.to"]))
    headers = {
        "From": config["smtp.from"],
        "To": config["smtp.to"],
        "Date": formatdate(localtime=True),
        "Subject": config["smtp.subject"],
    }
    message = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in headers.items()) + f"\r\n{content}"
    if not message.isascii():
        declared = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n"
        message = (declared + message).encode()
    log.debug("Connecting to the mail server %s", config["smtp.host"])
    with smtplib.SMTP(config["smtp.host"], int(config["smtp.port"] or 25), timeout=_TIMEOUT) as server:
        if config["smtp.tls"] is True:
            server.starttls()
        if config["smtp.username"] and config["smtp.password"]:
            server.login(config["smtp.username"], config["smtp.password"])
        server.sendmail(config["smtp.from"], _recipients(config["smtp.to"]), message)
    log.debug("Sent the mail %r", config["smtp.subject"])


def _one_line(value):
    """Keep a header in its line, so that data in a subject adds no header and no recipient."""
    return re.sub(r"[\r\n\0]+", " ", str(value))


def _recipients(value):
    """Split recipients at commas and semicolons."""
    names = value if isinstance(value, (list, tuple)) else re.split("[,;]", str(value))
    return [str(name).strip() for name in names if str(name).strip()]


def _encrypted(content, owner, recipients):
    """Encrypt for the recipients with the key ring of a user. Without success nothing of the content is sent."""
    home = os.path.expanduser(f"~{owner}/.gnupg")
    command = ["gpg", "--homedir", home, "--batch", "--trust-model", "always", "--armor", "--encrypt"]
    for recipient in recipients:
        command += ["--recipient", recipient]
    try:
        pipe = subprocess.PIPE
        done = subprocess.run(command, input=str(content).encode(), stdout=pipe, stderr=pipe, check=False)
    except OSError as error:
        problem = str(error)
    else:
        if done.returncode == 0:
            return done.stdout.decode()
        problem = done.stderr.decode(errors="replace")
    log.error("The mail could not be encrypted, so it tells of that alone: %s", problem)
    return f"The content could not be encrypted and was not sent.\r\n\r\n{problem}"
