import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from './render.ts'

let folder: string
let out: string
let err: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-render-'))
  out = ''
  err = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text
    return true
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('brine render', () => {
  test('prints the data of an SLS as YAML, keys in their order', async () => {
    expect(await run([file('a.sls', 'b: {{ 1 + 1 }}\na: [x]\n')])).toBe(0)
    expect(out).toBe('b: 2\na:\n- x\n')
  })

  test('prints JSON on request', async () => {
    expect(await run([file('a.sls', 'b: 1.0\na: [x, null]\n'), '--out', 'json'])).toBe(0)
    expect(JSON.parse(out)).toEqual({ b: 1, a: ['x', null] })
    expect(out).toContain('1.0')
  })

  test('prints the aggregated data of yamlex', async () => {
    expect(await run([file('a.sls', '#!yamlex\na: !aggregate [1]\na: !aggregate [2]\n')])).toBe(0)
    expect(out).toBe('a:\n- 1\n- 2\n')
  })

  test('prints text as it is', async () => {
    expect(await run([file('a.conf', 'x = {{ 6 * 7 }}\n'), '--renderer', 'jinja'])).toBe(0)
    expect(out).toBe('x = 42\n')
  })

  test('gives templates grains, rendered pillar, context and the SLS name', async () => {
    const grains = file('grains.yaml', 'id: web1\n')
    const pillar = file('pillar.sls', 'who: {{ grains.id }}\n')
    const context = file('context.yaml', 'n: 3\n')
    const sls = file('a.sls', "a: {{ sls }} {{ pillar.who }} {{ salt['pillar.get']('who') }} {{ n }}\n")
    const options = ['--grains', grains, '--pillar', pillar, '--context', context, '--file-root', folder]
    expect(await run([sls, ...options])).toBe(0)
    expect(out).toBe('a: a web1 web1 3\n')
  })

  test('imports from the file root', async () => {
    file('map.jinja', '{% set port = 80 %}')
    const sls = file('a.sls', "{% from 'map.jinja' import port %}port: {{ port }}\n")
    expect(await run([sls, '--file-root', folder])).toBe(0)
    expect(out).toBe('port: 80\n')
  })

  test('shows an error with its line and exits 1', async () => {
    expect(await run([file('a.sls', 'a: 1\nb: {{ nope }}\n')])).toBe(1)
    expect(err).toBe(
      `${folder}/a.sls:2: Jinja variable 'nope' is undefined\n\n` +
        '---\na: 1\nb: {{ nope }}    <======================\n---\n',
    )
    expect(out).toBe('')
  })

  test.each<[string, string, string]>([
    [
      'a: 1\n{% set n = 1 %}\na: 2\n',
      ":3: Cannot load YAML: found conflicting ID 'a' while constructing a mapping",
      '',
    ],
    ['a:\n\tb: 1\n', ':2: Cannot load YAML: found character that cannot start any token', 'Indent with spaces'],
    ['x: "\x01"\n', ':1: Cannot load YAML: unacceptable character #x0001', ''],
    [
      '\n{% load_yaml as d %}\na: 1\na: 2\n{% endload %}',
      ":2: Jinja error: Cannot load YAML: found conflicting ID 'a'",
      '',
    ],
    ["{% load_json as d %}{'a'}{% endload %}", ':1: Jinja syntax error: Cannot load JSON from the text: Expecting', ''],
    ["{% from 'b.jinja' import c %}", ":1: Jinja error: Template 'b.jinja' not found", 'Looked in '],
    [
      "{% import_yaml 'bad.yaml' as d %}",
      ":1: Jinja error: Cannot load YAML: found conflicting ID 'k'",
      "of 'bad.yaml'",
    ],
    ['{{ 1 | lenght }}', ":1: Jinja syntax error: No filter named 'lenght'.", "Did you mean 'length'?"],
    ['#!jinja|yml\na: 1\n', ':1: The renderer "jinja|yml" is not available', "Did you mean 'yaml'?"],
    ['#!jinja -x|yaml\na: 1\n', ':1: Unknown renderer option: -x', ''],
    ['#!cheetah\nx\n', ":1: The renderer 'cheetah' needs a library of Python, and is not there", ''],
  ])('leads with the place and the reason: %j', async (text, reason, hint) => {
    file('bad.yaml', 'k: 1\nk: 2\n')
    expect(await run([file('a.sls', text), '--file-root', folder])).toBe(1)
    expect(err).toContain(hint)
    expect(err.startsWith(`${folder}/a.sls${reason}`), err).toBe(true)
  })

  test('names the file of grains that cannot be read as YAML', async () => {
    expect(await run([file('a.sls', 'a: 1\n'), '--grains', file('grains.yaml', 'a: [1\n')])).toBe(1)
    expect(err).toContain(`${folder}/grains.yaml:2: did not find expected ',' or ']'`)
  })

  test.each<[string, string[]]>([
    ['no file', []],
    ['two files', ['a', 'b']],
    ['an unknown option', ['a', '--nope']],
    ['a form there is none of', ['a', '--out', 'xml']],
    ['grains that are not there', ['a', '--grains', '/nonexistent/grains.yaml']],
    ['a file that is not there', ['/nonexistent/a.sls']],
  ])('refuses %s with exit 64', async (_name, argv) => {
    expect(await run(argv)).toBe(64)
    expect(err).toMatch(/^Usage: brine render FILE/)
  })

  test('describes its options', async () => {
    expect(await run(['--help'])).toBe(0)
    expect(out).toContain('--file-root=DIR')
  })
})
