# Add error handling
deploy_app:
  cmd.run:
    - name: /opt/deploy.sh
    - retry:
        attempts: 3
        until: True
        interval: 10
    - success_retcodes:
      - 0
      - 1  # Acceptable warning
