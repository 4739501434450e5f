# the printed orchestration leaves it to others who is deployed to
{% set target_minion = pillar['deploy']['target'] %}
{% include 'orchestrate/deploy.sls' %}
