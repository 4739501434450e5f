system_updated:
  file.append:
    - name: /var/log/updates
    - text: system of {{ grains['id'] }}
