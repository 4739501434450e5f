base:
  '*':
    - motd
  'roles:web':
    - match: grain
    - app
    - app.nginx
  'roles:loadbalancer':
    - match: grain
    - lb
  'web-asg-*':
    - scaled
