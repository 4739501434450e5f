backup:
  file.copy:
    - name: /opt/app/version.before
    - source: /opt/app/version
    - force: True
