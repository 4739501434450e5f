haproxy:
  pkg.installed: []
  service.running:
    - watch:
      - file: /etc/haproxy/haproxy.cfg

/etc/haproxy/haproxy.cfg:
  file.managed:
    - source: salt://lb/haproxy.cfg
    - require:
      - pkg: haproxy

{% for verb in ['disable', 'enable'] %}
/usr/local/bin/haproxy-{{ verb }}:
  file.managed:
    - mode: 755
    - contents: |
        #!/bin/sh
        exec node -e "require('net').connect('/var/run/haproxy.sock').end('{{ verb }} server $1/$2\n').resume()"
{% endfor %}
