# an application that says its host and version on port 8080
/opt/app/server.mjs:
  file.managed:
    - source: salt://app/files/server.mjs
    - makedirs: True

/opt/app/version:
  file.managed:
    - contents: '1.0'
    - replace: False

/etc/systemd/system/app.service:
  file.managed:
    - contents: |
        [Service]
        ExecStart=/usr/local/bin/node /opt/app/server.mjs
        [Install]
        WantedBy=multi-user.target

app:
  service.running:
    - enable: True
    - require:
      - file: /etc/systemd/system/app.service

/usr/local/bin/health_check.sh:
  file.managed:
    - mode: 755
    - contents: |
        #!/bin/sh
        exec node -e "fetch('http://localhost:8080/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"

/opt/app/bin/smoke-test.sh:
  file.managed:
    - mode: 755
    - makedirs: True
    - contents: |
        #!/bin/sh
        test ! -e /opt/app/broken && /usr/local/bin/health_check.sh
