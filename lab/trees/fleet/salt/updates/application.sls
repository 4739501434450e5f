application_updated:
  cmd.run:
    - name: date +%s.%N >> /var/log/updated; sleep 0.5; date +%s.%N >> /var/log/updated
