# /srv/salt/webserver/init.sls
nginx:
  pkg.installed:
    - version: 1.20.*

  service.running:
    - enable: True
    - reload: True
    - watch:
      - file: /etc/nginx/nginx.conf
      - file: /etc/nginx/sites-enabled/*

/etc/nginx/nginx.conf:
  file.managed:
    - source: salt://webserver/files/nginx.conf
    - user: root
    - group: root
    - mode: 644
    - template: jinja
    - defaults:
        worker_processes: {{ grains['num_cpus'] }}
        worker_connections: 1024
    - require:
      - pkg: nginx

/etc/nginx/sites-enabled/default:
  file.managed:
    - source: salt://webserver/files/site.conf
    - template: jinja
    - context:
        server_name: {{ pillar['nginx']['server_name'] }}
        app_port: {{ pillar['nginx']['app_port'] }}
    - require:
      - pkg: nginx
