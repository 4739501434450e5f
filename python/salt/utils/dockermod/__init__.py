"""Limits of Docker's API, as modules name them."""

# seconds
CLIENT_TIMEOUT = 60
SHUTDOWN_TIMEOUT = 10
