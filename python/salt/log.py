"""Logging, set up by the host."""

import logging


def setup_console_logger(*_, **__):
    logging.basicConfig()


setup_logfile_logger = setup_console_logger
