// A YAML text as sites have them: states with requisites, nested pillar data, quoted strings, block scalars, comments.

const FILE_STATE = (i: number): string[] => [
  `site_${i}:`,
  '  file.managed:',
  `    - name: /etc/nginx/sites-enabled/site${i}.conf`,
  '    - source: salt://nginx/files/site.conf.j2',
  '    - template: jinja',
  '    - user: root',
  "    - mode: '0644'",
  '    - context:',
  `        port: ${8000 + i}`,
  `        server_name: "www${i}.example.com"`,
  `        ratio: 0.${i}`,
  '        enabled: true',
  '    - require:',
  `      - pkg: nginx_${i}`,
  '      - file: /etc/nginx/nginx.conf',
  '    - watch_in:',
  '      - service: nginx',
]

const PILLAR = (i: number): string[] => [
  `users_${i}:`,
  `  alice${i}: {uid: ${1000 + i}, gid: ${1000 + i}, groups: [wheel, docker, 'www-data'], shell: /bin/bash}`,
  `  bob${i}:`,
  `    fullname: 'Bob O''Brien ${i}'`,
  `    email: "bob${i}@example.com"`,
  '    password: ~',
  '    keys:',
  `      - ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ${i} bob@host`,
  `      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${i}`,
  '    # kept for the audit',
  `    home: /home/bob${i}`,
  '',
]

const SCRIPT = (i: number): string[] => [
  `script_${i}:`,
  '  cmd.run:',
  '    - name: |',
  '        set -e',
  '        for f in /etc/*.conf; do',
  '          echo "$f: $(wc -l < $f)"',
  '        done',
  `    - unless: test -f /var/lib/done-${i}`,
  '    - env:',
  '      - PATH: "/usr/local/bin:/usr/bin"',
  '    - description: >-',
  '        A long text that is folded',
  '        over several lines and ends here',
]

const PACKAGES = (i: number): string[] => [
  `packages_${i}:`,
  '  pkg.installed:',
  '    - pkgs:',
  '      - curl',
  "      - vim-nox: '2:9.0.1378-2'",
  '      - htop',
  '    - refresh: False',
  `    - version: 1.${i}`,
  '    - timeout: 30',
]

const CYCLE = [FILE_STATE, PILLAR, FILE_STATE, SCRIPT, FILE_STATE, PILLAR, PACKAGES]

/** At least that many lines, up to the end of an entry. */
export function siteYaml(lines: number): string {
  const out: string[] = []
  for (let i = 0; out.length < lines; i++) out.push(...CYCLE[i % CYCLE.length]!(i))
  return `${out.join('\n')}\n`
}
