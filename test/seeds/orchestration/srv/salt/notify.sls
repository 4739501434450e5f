notify_deploy_complete:
  module.run:
    - name: event.send
    - tag: myapp/deploy/complete
    - data:
        version: {{ pillar['app_version'] }}
        status: ok
