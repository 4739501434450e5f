"""What a return and a job mean."""


def get_retcode(ret):
    if isinstance(ret, dict):
        return ret.get("retcode", 0) or 0
    return 1 if ret is False else 0


def get_keep_jobs_seconds(opts):
    return opts.get("keep_jobs_seconds", 86400)
