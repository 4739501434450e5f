# /srv/salt/database/postgresql.sls
{% set pg_version = salt['pillar.get']('postgresql:version', '14') %}

postgresql_repo:
  pkgrepo.managed:
    - humanname: PostgreSQL Official Repository
    - name: deb https://apt.postgresql.org/pub/repos/apt/ {{ grains['oscodename'] }}-pgdg main
    - key_url: https://www.postgresql.org/media/keys/ACCC4CF8.asc

postgresql_install:
  pkg.installed:
    - name: postgresql-{{ pg_version }}
    - require:
      - pkgrepo: postgresql_repo

postgresql_config:
  file.managed:
    - name: /etc/postgresql/{{ pg_version }}/main/postgresql.conf
    - source: salt://database/files/postgresql.conf.jinja
    - template: jinja
    - user: postgres
    - group: postgres
    - mode: 600
    - context:
        max_connections: {{ salt['pillar.get']('postgresql:max_connections', 100) }}
        shared_buffers: {{ salt['pillar.get']('postgresql:shared_buffers', '256MB') }}
    - require:
      - pkg: postgresql_install

postgresql_service:
  service.running:
    - name: postgresql
    - enable: True
    - watch:
      - file: postgresql_config

{% for db in salt['pillar.get']('postgresql:databases', []) %}
create_db_{{ db.name }}:
  postgres_database.present:
    - name: {{ db.name }}
    - owner: {{ db.owner }}
    - encoding: {{ db.get('encoding', 'UTF8') }}
    - require:
      - service: postgresql_service

create_user_{{ db.owner }}:
  postgres_user.present:
    - name: {{ db.owner }}
    - password: {{ db.password }}
    - encrypted: True
    - createdb: {{ db.get('createdb', False) }}
    - require_in:
      - postgres_database: create_db_{{ db.name }}
{% endfor %}
