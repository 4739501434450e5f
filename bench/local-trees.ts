// The trees of the local bench: trivial states, templated files, and states with requisites, as many as asked for.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

function trivial(count: number): string {
  return numbers(count)
    .map((i) => `state ${i}:\n  test.nop: []\n`)
    .join('')
}

function managed(count: number, target: string): string {
  const state = (i: number): string =>
    [
      `${target}/file-${i}.conf:`,
      '  file.managed:',
      '    - source: salt://site.conf.jinja',
      '    - template: jinja',
      "    - mode: '0644'",
      `    - context: {number: ${i}, name: site-${i}}`,
      '',
    ].join('\n')
  return numbers(count).map(state).join('')
}

/** Each state requires the one before it in its group of ten, watches the group's first, and every fifth is required in. */
function related(count: number): string {
  const state = (i: number): string => {
    const lines = [`state ${i}:`, '  test.nop:']
    if (i % 10 === 0) lines.push(`    - order: ${(i % 97) + 1}`)
    else lines.push('    - require:', `      - test: state ${i - 1}`)
    if (i % 10 > 4) lines.push('    - watch:', `      - test: state ${i - (i % 10)}`)
    if (i % 10 === 9 && i + 10 < count) lines.push('    - require_in:', `      - test: state ${i + 1}`)
    return `${lines.join('\n')}\n`
  }
  return numbers(count).map(state).join('')
}

/** The template of a file; `id` is the expression that names the machine. */
export const siteTemplate = (id: string): string => `# {{ name }} on {{ ${id} }}
server {
    listen {{ 8000 + number }};
    server_name {{ name }}.example.com;
{%- for kind in ['access', 'error'] %}
    {{ kind }}_log /var/log/{{ name | replace('-', '_') }}.{{ kind }}.log;
{%- endfor %}
}
`

export const SIZES = { trivial: [10, 100, 1000, 10_000], managed: [10, 1000], related: [1000, 10_000] }

export interface BenchMinion {
  home: string
  /** Remove the files of earlier runs. */
  reset(): void
}

/** Create a separate minion below `folder`, with every tree; `name` separates the files of the two programs. */
export function benchMinion(folder: string, name: string): BenchMinion {
  const home = join(folder, name)
  const [tree, target, config] = [join(home, 'salt'), join(home, 'target'), join(home, 'etc')]
  rmSync(home, { recursive: true, force: true })
  for (const dir of [tree, target, config, join(home, 'pillar')]) mkdirSync(dir, { recursive: true })
  const roots = `file_roots: {base: [${tree}]}\npillar_roots: {base: [${home}/pillar]}\n`
  writeFileSync(join(config, 'minion'), `id: bench\nfile_client: local\nroot_dir: ${home}/root\n${roots}`)
  writeFileSync(join(tree, 'site.conf.jinja'), siteTemplate('grains.id'))
  for (const count of SIZES.trivial) writeFileSync(join(tree, `trivial-${count}.sls`), trivial(count))
  for (const count of SIZES.managed) writeFileSync(join(tree, `managed-${count}.sls`), managed(count, target))
  for (const count of SIZES.related) {
    const own = join(home, `related-${count}`)
    mkdirSync(own)
    writeFileSync(join(own, 'top.sls'), "base: {'*': [related]}\n")
    writeFileSync(join(own, 'related.sls'), related(count))
  }
  const reset = (): void => {
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target)
  }
  return { home, reset }
}
