/opt/scaled:
  file.managed:
    - contents: {{ grains['id'] }}
