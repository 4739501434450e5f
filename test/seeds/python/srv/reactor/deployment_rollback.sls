rollback_failed_deploy:
  runner.state.orchestrate:
    - args:
      - mods: orchestration.rollback
      - pillar:
          app_name: {{ data['app_name'] }}
          failed_version: {{ data['version'] }}
