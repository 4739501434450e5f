back_to_the_version_before:
  salt.function:
    - name: cmd.run
    - tgt: 'roles:web'
    - tgt_type: grain
    - arg:
      - cp /opt/app/version.before /opt/app/version && systemctl restart app && echo {{ pillar['app_name'] }} {{ pillar['failed_version'] }} > /opt/app/failed
