base:
  '*':
    - small
