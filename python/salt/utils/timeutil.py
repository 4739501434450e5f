"""Moments."""

import datetime
import time


def utcnow():
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def utcfromtimestamp(timestamp):
    return datetime.datetime.fromtimestamp(timestamp, datetime.timezone.utc).replace(tzinfo=None)




_FORMS = ("%H%M", "%Hh%M", "%I%p", "%I:%M%p", "%I:%M %p")


def get_timestamp_at(time_in=None, time_at=None):
    """When it is after so many minutes (or `1h30m`), or at that time of the day."""
    if time_in:
        hours, mark, minutes = str(time_in).replace("m", "").replace("h", ":").partition(":")
        hours, minutes = (hours, minutes or 0) if mark else (0, hours)
        when = utcnow() + datetime.timedelta(hours=int(hours), minutes=int(minutes))
        return time.mktime(when.timetuple())
    if not time_at or isinstance(time_at, (int, float)):
        return time_at or None
    for form in _FORMS:
        try:
            return time.mktime(datetime.datetime.strptime(time_at, form).timetuple())
        except ValueError:
            continue
    raise ValueError("{} does not match any of the accepted formats: {}".format(time_at, ", ".join(_FORMS)))


def get_time_at(time_in=None, time_at=None, out_fmt="%Y-%m-%dT%H:%M:%S"):
    return utcfromtimestamp(get_timestamp_at(time_in=time_in, time_at=time_at)).strftime(out_fmt)
