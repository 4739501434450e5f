{% set version = salt['pillar.get']('deploy:version', 'latest') %}

prepare_deployment:
  salt.state:
    - tgt: 'roles:web'
    - tgt_type: grain
    - sls:
      - deployment.backup
      - deployment.healthcheck

remove_from_lb:
  salt.function:
    - name: haproxy.disable_server
    - tgt: 'roles:loadbalancer'
    - tgt_type: grain
    - arg:
      - web-backend
      - {{ target_minion }}
    - require:
      - salt: prepare_deployment

deploy_application:
  salt.state:
    - tgt: {{ target_minion }}
    - sls:
      - deployment.app
    - pillar:
        app_version: {{ version }}
    - require:
      - salt: remove_from_lb

verify_deployment:
  salt.function:
    - name: http.query
    - tgt: {{ target_minion }}
    - arg:
      - http://localhost:8080/health
    - kwarg:
        status: 200
    - retry:
        attempts: 10
        interval: 5
    - require:
      - salt: deploy_application

add_to_lb:
  salt.function:
    - name: haproxy.enable_server
    - tgt: 'roles:loadbalancer'
    - tgt_type: grain
    - arg:
      - web-backend
      - {{ target_minion }}
    - require:
      - salt: verify_deployment
