# What the master does about an event shop/deploy: it applies the states of the shop to the web servers.
apply shop:
  local.state.apply:
    - tgt: 'role:web'
    - tgt_type: grain
    - arg:
      - shop
