// A loop-heavy SLS of 1,000 lines: 100 blocks of ten lines, each over 100 hosts, so 10,000 turns a render.

const block = (i: number): string => `{%- for host in hosts %}
{%- set port = 8000 + loop.index * ${i} %}
{%- if port % 7 == 0 %}
site-${i}-{{ host.name }}:
  file.managed: [{name: /etc/site/${i}/{{ host.name|lower }}.conf}, {mode: '{{ '%04d' % (port % 512) }}'}]
{%- elif host.roles and loop.index is odd %}
# {{ host.name }} serves {{ host.roles|join(', ') }} on {{ port }}
{%- else %}
# {{ loop.index ~ '/' ~ loop.length }} {{ host.address }}
{%- endif %}{% endfor %}
`

export function loopHeavySls(): string {
  return Array.from({ length: 100 }, (_, i) => block(i + 1)).join('')
}

export function loopHosts(): object[] {
  return Array.from({ length: 100 }, (_, i) => ({
    name: `Web${String(i).padStart(3, '0')}.example.com`,
    address: `10.0.${i % 4}.${i}`,
    roles: i % 3 === 0 ? [] : ['web', 'cache', 'static'].slice(0, (i % 3) + 1),
  }))
}
