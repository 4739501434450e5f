/opt/app/version:
  file.managed:
    - contents: '{{ pillar.get('app_version', 'from the blog') }}'

app:
  service.running:
    - watch:
      - file: /opt/app/version
