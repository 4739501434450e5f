# /srv/pillar/web.sls
nginx:
  worker_processes: auto
  worker_connections: 2048
  sites:
    default:
      server_name: example.com
      port: 80
      ssl:
        enabled: true
        cert: /etc/ssl/certs/example.com.crt
        key: /etc/ssl/private/example.com.key

app:
  version: {{ salt['vault.read_secret']('secret/app/version') }}
  config:
    database_url: {{ salt['vault.read_secret']('secret/database/url') }}
