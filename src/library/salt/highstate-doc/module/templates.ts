// The templates of a document: one heading for each state, with an introduction, and with data of the
// machine. Their variables are `lowstates`, `grains`, `opts`, `pillar`, `salt`, `config` and `kwargs`.

export const BASIC = `
{% for s in lowstates %}
\`{{ s.id_full }}\`
-----------------------------------------------------------------
 * state: {{ s.state_function }}
 * name: \`{{ s.name }}\`

{{ s.markdown.requisites }}
{{ s.markdown.details }}

{%- endfor %}
`

const PREFACE = `
Configuration
===============================================================================

\`\`\`
fqdn: {{ grains.get('fqdn') }}
os: {{ grains.get('os') }}
osfinger: {{ grains.get('osfinger') }}
mem_total: {{ grains.get('mem_total') }}MB
num_cpus: {{ grains.get('num_cpus') }}
ipv4: {{ grains.get('ipv4') }}
master: {{ opts.get('master') }}
\`\`\`

Salt manages this machine. What it keeps in place follows, in the order in which it is done.

`

export const DEFAULT: string = PREFACE + BASIC

/** Commands whose output is shown if the program exists. */
const COMMANDS: ReadonlyArray<readonly [program: string, command: string]> = [
  ['ip', 'ip address show'],
  ['ip', 'ip route list table all'],
  ['iptables', 'iptables --list-rules'],
  ['ip6tables', 'ip6tables --list-rules'],
  ['firewall-cmd', 'firewall-cmd --list-all'],
  ['mount', 'mount'],
]

const shown = COMMANDS.map(
  ([program, command]) => `{% if salt['cmd.has_exec']('${program}') %}
# ${command}
-----------------------------------------------------------------
{{ salt['cmd.run']('${command}') }}
{% endif %}`,
)

export const FULL = `${DEFAULT}
The machine itself
===============================================================================

\`\`\`
grain: ip_interfaces
-----------------------------------------------------------------
{{ grains.get('ip_interfaces', {}) | dictsort }}

grain: hwaddr_interfaces
-----------------------------------------------------------------
{{ grains.get('hwaddr_interfaces', {}) | dictsort }}
${shown.join('\n')}
\`\`\`
`
