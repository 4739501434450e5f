bootstrap_for_{{ data['name'] }}:
  local.state.apply:
    - tgt: salt-master
    - args:
      - mods: bootstrap
      - pillar:
          machine: {{ data['name'] }}
