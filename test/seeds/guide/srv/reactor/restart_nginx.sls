{% set minion_id = data['id'] %}

restart_nginx_on_minion:
  local.service.restart:
    - tgt: {{ minion_id }}
    - arg:
      - nginx

notify_ops:
  local.smtp.send_msg:
    - tgt: 'salt-master'
    - arg:
      - ops@example.com
      - "Nginx restarted on {{ minion_id }}"
      - "Nginx service was stopped and automatically restarted"
