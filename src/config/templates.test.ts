// Configuration files that are templates: which are rendered, in what order, and how errors are handled. The renderer
// here replaces `{{ name }}` by values; the real one is tested in test/integration/config-templates.test.ts.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogLevel } from '../base/mod.ts'
import { load } from '../yaml/mod.ts'
import { ConfigError } from './errors.ts'
import { isForClients, type MasterConfigRequest, masterConfig, minionConfig } from './mod.ts'
import { noteTemplateSecrets } from './source.ts'
import { type ConfigRenderer, optionNames } from './templates.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-config-templates-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
    chmodSync(join(root, name), 0o644)
  }
}

/** Replaces `{{ option }}`; an option that is not set is an error. */
function replacing(tried: string[] = []): ConfigRenderer {
  return async ({ path, text, pipe }, opts) => {
    tried.push(`${path.slice(root.length + 1)} ${pipe}`)
    const rendered = text.replace(/\{\{ (\w+) \}\}/g, (_all, name: string) => {
      const value = opts.get(name)
      if (value === undefined) throw new ConfigError('ConfigTemplateFailed', `${path}: no ${name}`)
      noteTemplateSecrets([String(value)])
      return String(value)
    })
    return { value: load(rendered, { positions: true }), sourceLine: (line) => line + 100 }
  }
}

const master = (more: MasterConfigRequest = {}) =>
  masterConfig({ path: join(root, 'master'), render: replacing(), ...more })

describe('a configuration file', () => {
  it('is rendered when it is no YAML and holds Jinja', async () => {
    write({ master: 'seen: quince-jam\n', 'master.d/a.conf': 'timeout: 7\nown: {{ seen }}\n' })
    const opts = await master()
    expect(opts.get('own')).toBe('quince-jam')
    expect(opts.get('timeout')).toBe(7)
  })

  it('that is YAML is not rendered unasked', async () => {
    write({ master: 'own: "{{ seen }}"\nother: x{{ seen }}\n' })
    const tried: string[] = []
    const opts = await master({ render: replacing(tried) })
    expect(opts.get('own')).toBe('{{ seen }}')
    expect(tried).toEqual([])
  })

  it('is rendered when its first line names a pipe', async () => {
    write({ master: 'seen: quince-jam\n', 'master.d/a.conf': '#!jinja|yaml\nown: "{{ seen }}"\n' })
    expect((await master()).get('own')).toBe('quince-jam')
  })

  it('may have a comment that looks like a pipe', async () => {
    write({ master: '#!important\n#!jinja|yaml\nown: "{{ seen }}"\n' })
    expect((await master()).get('own')).toBe('{{ seen }}')
  })

  it('is rendered when the main file sets config_renderer, which stays plain itself', async () => {
    const tried: string[] = []
    write({
      minion: "config_renderer: jinja|yaml\nid: m\nseen: quince-jam\nmine: '{{ seen }}'\n",
      'minion.d/a.conf': "own: '{{ seen }}'\ninclude: more/*.inc\n",
      'minion.d/more/b.inc': "deep: '{{ seen }}'\n",
      'minion.d/z.conf': "#!yaml\nlast: '{{ seen }}'\n",
    })
    const opts = await minionConfig({ path: join(root, 'minion'), render: replacing(tried) })
    expect(['mine', 'own', 'deep', 'last'].map((name) => opts.get(name))).toEqual([
      '{{ seen }}',
      'quince-jam',
      'quince-jam',
      '{{ seen }}',
    ])
    expect(tried).toEqual(['minion.d/a.conf jinja|yaml', 'minion.d/more/b.inc jinja|yaml'])
  })

  it('is never rendered under config_renderer: yaml', async () => {
    write({ master: 'config_renderer: yaml\n', 'master.d/a.conf': 'own: {{ seen }}\n' })
    const lines: string[] = []
    const log = (level: LogLevel, text: string) => void (level === 'error' && lines.push(text))
    expect((await master({ log })).has('own')).toBe(false)
    expect(lines).toEqual([expect.stringContaining(`Error parsing configuration file: ${root}/master.d/a.conf`)])
  })
})

describe('the order of templates', () => {
  it('lets a file use options of a later one, and merges in the order of files', async () => {
    const tried: string[] = []
    write({
      master: 'seen: quince-jam\n',
      'master.d/a.conf': 'own: {{ vault }}\nboth: first\n',
      'master.d/b.conf': 'vault: {{ seen }}\nboth: second\nnever: {{ seen }}\n',
    })
    const opts = await master({ render: replacing(tried) })
    expect([opts.get('own'), opts.get('both')]).toEqual(['quince-jam', 'second'])
    expect(tried.map((text) => text.split(' ')[0])).toEqual(['master.d/a.conf', 'master.d/b.conf', 'master.d/a.conf'])
  })

  it('ends with the error of the first file that cannot be rendered', async () => {
    write({ master: 'a: 1\n', 'master.d/a.conf': 'x: {{ y }}\n', 'master.d/b.conf': 'y: {{ x }}\n' })
    await expect(master()).rejects.toThrow(`${root}/master.d/a.conf: no y`)
  })

  it('reports each file once', async () => {
    write({
      master: 'seen: quince-jam\n',
      'master.d/a.conf': 'own: {{ seen }}\n',
      'master.d/b.conf': 'c: {{ seen }}\n',
    })
    const lines: string[] = []
    await master({ log: (_level, text) => void (text.startsWith('Including') && lines.push(text)) })
    expect(lines).toHaveLength(2)
  })
})

describe('a template', () => {
  it('is refused where nothing can render it', async () => {
    write({ master: 'x: {{ y }}\n' })
    await expect(masterConfig({ path: join(root, 'master') })).rejects.toThrow(
      `Configuration file ${root}/master is a template, which cannot be rendered here`,
    )
  })

  it.each([0o666, 0o664])('that others can write to is refused (mode %o)', async (mode) => {
    write({ master: 'a: 1\n', 'master.d/a.conf': 'x: {{ a }}\n' })
    chmodSync(join(root, 'master.d/a.conf'), mode)
    await expect(master()).rejects.toThrow('users other than its owner can write to it')
  })

  it('gives warnings the line of the template', async () => {
    write({ master: 'a: rowan-tree\n', 'master.d/a.conf': 'x: {{ a }}\ntimout: 3\n' })
    const lines: string[] = []
    await master({ log: (_level, text) => void lines.push(text) })
    expect(lines).toContain(`Unknown option 'timout' in ${root}/master.d/a.conf, line 102; did you mean 'timeout'?`)
  })

  it('masks results of functions in warnings', async () => {
    write({ master: 'a: tiger-lily\n', 'master.d/a.conf': 'file_roots: {{ a }}\npeer: {{ a }}\n' })
    const lines: string[] = []
    await master({ log: (_level, text) => void lines.push(text) }).catch((error) => lines.push(String(error)))
    expect(lines.filter((line) => line.includes("'peer'"))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('tiger'))).toEqual([])
  })

  it('without options for a client is not rendered by it', async () => {
    const tried: string[] = []
    const vault = '# Vault\nvault:\n  url: {{ nothing }}\n'
    write({ master: 'a: 1\n', 'master.d/a.conf': 'timeout: {{ a }}\n', 'master.d/vault.conf': vault })
    const opts = await master({ render: replacing(tried), needs: isForClients })
    expect(opts.get('timeout')).toBe(1)
    expect(tried).toEqual(['master.d/a.conf jinja|yaml'])
  })
})

describe('the options that a template sets', () => {
  it.each([
    ['a: 1\n# remark\n\nb.c:\n- x\n- {{ y }}\n"d e": {{ z }}\n', ['a', 'b.c', 'd e']],
    ['{% set x = 1 %}\n{%- if x %}\na: 1\n{% endif %}\n{# b: #}\n', ['a']],
    ['{{ name }}: 1\n', undefined],
    ["{% include 'x' %}\n", undefined],
    ['a{{ b }}: 1\n', undefined],
  ])('of %j are %j', (text, names) => expect(optionNames(text)).toEqual(names))
})
