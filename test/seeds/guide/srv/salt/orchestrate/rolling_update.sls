{% set batch_size = salt['pillar.get']('update:batch_size', '25%') %}
{% set target = salt['pillar.get']('update:target', 'web*') %}

stage_1_update:
  salt.state:
    - tgt: {{ target }}
    - tgt_type: compound
    - batch: {{ batch_size }}
    - sls:
      - updates.system
      - updates.application
    - fail_minions: 5%

stage_1_verify:
  salt.function:
    - name: cmd.run
    - tgt: {{ target }}
    - arg:
      - /usr/local/bin/health_check.sh
    - require:
      - salt: stage_1_update

stage_2_update:
  salt.state:
    - tgt: {{ target }}
    - tgt_type: compound
    - batch: {{ batch_size }}
    - subset: 2  # Second batch
    - sls:
      - updates.system
      - updates.application
    - require:
      - salt: stage_1_verify

final_verification:
  salt.runner:
    - name: custom.verify_cluster_health
    - require:
      - salt: stage_2_update
