# /srv/pillar/top.sls
base:
  '*':
    - common
  
  'roles:web':
    - match: grain
    - web
    - nginx
  
  'env:production':
    - match: grain
    - production.secrets
    - production.config

