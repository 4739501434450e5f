/opt/bootstrapped:
  file.managed:
    - contents: {{ pillar['machine'] }}
