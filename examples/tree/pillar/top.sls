base:
  '*':
    - shop
