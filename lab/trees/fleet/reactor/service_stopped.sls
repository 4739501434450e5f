# the beacon says whether services run; rules are about those that stopped
{% for name, status in data.items() if status is mapping and not status.get('running', True) %}
{{ name }}_stopped:
  runner.event.send:
    - args:
        tag: salt/minion/{{ data['id'] }}/service/{{ name }}/stopped
        data:
          id: {{ data['id'] }}
{% endfor %}
