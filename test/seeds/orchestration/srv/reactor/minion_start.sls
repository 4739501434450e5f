# When a new minion comes online, automatically apply its highstate
apply_highstate:
  local.state.highstate:
    - tgt: {{ data['id'] }}
