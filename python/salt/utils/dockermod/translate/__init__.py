"""Nothing: extensions bring the translation of options for Docker themselves, and only import this."""
