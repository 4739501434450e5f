{%- from 'shop/map.jinja' import shop with context %}

shop packages:
  pkg.installed:
    - name: {{ shop.package }}

{%- for name, user in shop.users | dictsort %}

{{ name }}:
  user.present:
    - uid: {{ user.uid }}
    - groups: {{ user.groups | default([shop.user]) | json }}
    - require:
      - pkg: shop packages
{%- endfor %}

{%- for site in shop.sites %}

{{ shop.confdir }}/{{ site.name }}.conf:
  file.managed:
    - source: salt://shop/files/site.conf.jinja
    - template: jinja
    - user: root
    - mode: '0644'
    - context:
        site: {{ site | yaml }}
        workers: {{ shop.workers }}
    - watch_in:
      - service: shop running
{%- endfor %}

shop running:
  service.running:
    - name: {{ shop.package }}
    - enable: true
