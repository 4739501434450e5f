"""Job ids: the time in UTC to the microsecond."""

import datetime
import os
import re


def gen_jid(opts=None):
    text = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d%H%M%S%f")
    return "{}_{}".format(text, os.getpid()) if opts and opts.get("unique_jid") else text


def is_jid(jid):
    return re.match(r"^\d{20}(_\d+)?$", str(jid)) is not None


def jid_to_time(jid):
    jid = str(jid)
    if not is_jid(jid):
        return ""
    return datetime.datetime.strptime(jid[:20], "%Y%m%d%H%M%S%f").strftime("%Y, %b %d %H:%M:%S.%f")


def format_job_instance(job):
    return {
        "Function": job.get("fun", "unknown-function"),
        "Arguments": list(job.get("arg", [])),
        "Target": job.get("tgt", "unknown-target"),
        "Target-type": job.get("tgt_type", "list"),
        "User": job.get("user", "root"),
    }


def format_jid_instance(jid, job):
    return {**format_job_instance(job), "StartTime": jid_to_time(jid)}


def format_jid_instance_ext(jid, job):
    return {**format_job_instance(job), "JID": jid, "StartTime": jid_to_time(jid)}


def jid_dir(jid, job_dir=None, hash_type="sha256"):
    import hashlib
    import os

    digits = getattr(hashlib, hash_type)(str(jid).encode()).hexdigest()
    return os.path.join(*([job_dir] if job_dir else []), digits[:2], digits[2:])
