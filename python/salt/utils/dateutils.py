"""Dates."""

import datetime


def date_cast(date):
    if date is None:
        return datetime.datetime.now()
    if isinstance(date, datetime.datetime):
        return date
    if isinstance(date, str) and date.isdigit():
        date = int(date)
    if isinstance(date, (int, float)):
        return datetime.datetime.fromtimestamp(date)
    return datetime.datetime.fromisoformat(date)


def date_format(date=None, format="%Y-%m-%d"):
    return date_cast(date).strftime(format)


strftime = date_format


def total_seconds(td):
    return td.total_seconds()
