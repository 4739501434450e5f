# What needs no package and no service: the least that any Unix has the tools for.
{%- from 'small/map.jinja' import folder with context %}
{{ folder }}:
  file.directory:
    - mode: '0750'

{%- for user in pillar.small.users %}
{{ folder }}/{{ user }}.conf:
  file.managed:
    - source: salt://small/files/user.conf
    - template: jinja
    - mode: '0640'
    - context: {user: {{ user }}}
    - require:
      - file: {{ folder }}
{%- endfor %}

{{ folder }}/current.conf:
  file.symlink:
    - target: {{ folder }}/{{ pillar.small.users[0] }}.conf

settings:
  file.managed:
    - name: {{ folder }}/settings
    - replace: false
    - contents: |
        colour=red
        size=3

colour:
  file.replace:
    - name: {{ folder }}/settings
    - pattern: ^colour=.*$
    - repl: colour=blue
    - require:
      - file: settings

shape:
  file.append:
    - name: {{ folder }}/notes
    - text: [one, two]

tree:
  file.recurse:
    - name: {{ folder }}/tree
    - source: salt://small/files/tree
    - file_mode: '0644'

stamp:
  cmd.run:
    - name: echo made > {{ folder }}/stamp
    - creates: {{ folder }}/stamp

after:
  cmd.run:
    - name: cat {{ folder }}/current.conf > {{ folder }}/copy
    - onchanges:
      - file: {{ folder }}/{{ pillar.small.users[0] }}.conf

{{ folder }}/gone:
  file.absent: []
