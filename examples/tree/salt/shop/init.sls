{%- from 'shop/map.jinja' import shop with context %}
{%- set root = grains.shop_root %}

shop directories:
  file.directory:
    - names:
      - {{ root }}{{ shop.confdir }}
      - {{ root }}/var/lib/shop
    - mode: '0755'
    - makedirs: true

shop settings:
  ini.options_present:
    - name: {{ root }}/var/lib/shop/shop.ini
    - sections: {{ shop.settings | json }}
    - require:
      - file: shop directories

{%- for site in shop.sites %}

{{ root }}{{ shop.confdir }}/{{ site.name }}.conf:
  file.managed:
    - source: salt://shop/files/site.conf.jinja
    - template: jinja
    - mode: '0644'
    - context:
        site: {{ site | yaml }}
        workers: {{ shop.workers }}
    - require:
      - file: shop directories
    - onchanges_in:
      - cmd: count sites
{%- endfor %}

count sites:
  cmd.run:
    - name: ls {{ root }}{{ shop.confdir }} | wc -l > {{ root }}/var/lib/shop/count

shop link:
  file.symlink:
    - name: {{ root }}/var/lib/shop/sites-in-use
    - target: {{ root }}{{ shop.confdir }}
    - require:
      - file: shop directories
