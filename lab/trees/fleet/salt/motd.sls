/etc/motd:
  file.managed:
    - contents: One of a fleet
