import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { consoleLog } from '../base/mod.ts'
import { type Dict, repr, type Value } from '../data/mod.ts'
import { positionOf } from '../yaml/mod.ts'
import type { RenderError } from './errors.ts'
import { type RenderOptions, renderFile, renderText } from './pipeline.ts'
import { renewPillarForTemplates } from './wrapped-data.ts'

const options = (more: Partial<RenderOptions> = {}): RenderOptions => ({
  opts: new Map(),
  grains: new Map<Value, Value>([['os', 'Debian']]),
  pillar: new Map(),
  ...more,
})

const rendered = async (text: string, more: Partial<RenderOptions> = {}): Promise<string> =>
  repr((await renderText(text, options(more))).value)

const failure = (text: string, more: Partial<RenderOptions> = {}): Promise<RenderError> =>
  renderText(text, options(more)).then(
    () => expect.unreachable(),
    (error) => error,
  )

describe('a file by itself', () => {
  test('names no renderer in its first line', async () => {
    expect(await rendered('#!yaml\n{{ 1 + 1 }}\n', { renderer: 'jinja', asFile: true })).toBe("'#!yaml\\n2\\n'")
  })

  test.each(['sls', 'slspath', 'proxy'])('knows no %s', async (name) => {
    const error = await failure(`{{ ${name} }}`, { renderer: 'jinja', asFile: true })
    expect(error.error).toBe(`Jinja variable '${name}' is undefined`)
  })
})

test('pillar that was read again is what templates see', async () => {
  const pillar: Dict = new Map([['v', 1]])
  expect(await rendered('{{ pillar.v }}', { renderer: 'jinja', pillar })).toBe("'1'")
  pillar.set('v', 2)
  renewPillarForTemplates(pillar)
  expect(await rendered('{{ pillar.v }}', { renderer: 'jinja', pillar })).toBe("'2'")
})

describe('the pipe of renderers', () => {
  test.each<[string, string]>([
    ['os: {{ grains.os }}\n', "OrderedDict([('os', 'Debian')])"],
    ["#!yaml\na: '{{ x }}'\n", "OrderedDict([('a', '{{ x }}')])"],
    ['#!jinja\n{{ 1 + 1 }}\n', "'#!jinja\\n2\\n'"],
    ['#!jinja | yaml -o\na: 1', "OrderedDict([('a', 1)])"],
    ['#!yaml_jinja\na: {{ 1 }}', "OrderedDict([('a', 1)])"],
    ['#!jinja -s|yaml\na: {{ 1 }}', "OrderedDict([('a', 1)])"],
    ['#!yamlex\na: !aggregate x\na: !aggregate y\n', "OrderedDict([('a', ['x', 'y'])])"],
    ['#!text\nanything: [', "'anything: ['"],
    ['#!json\n{"a": [1, 2.5, null, true], "b": 1.0}', "{'a': [1, 2.5, None, True], 'b': 1.0}"],
    ['#!jinja|json\n{"os": "{{ grains.os }}"}', "{'os': 'Debian'}"],
    ['#!json\n \n', '{}'],
    ['#!json5\n{a: 1, b: [1.5,], c: 0x10, /* no */ }', "{'a': 1, 'b': [1.5], 'c': 16}"],
    [
      '#!toml\ntitle = "x"\n[a]\nn = 1\nf = 1.0\nb = true\nl = [1, 2]\nbig = 9007199254740993\nd = 2020-01-02\n',
      "{'title': 'x', 'a': {'n': 1, 'f': 1.0, 'b': True, 'l': [1, 2], 'big': 9007199254740993, 'd': '2020-01-02'}}",
    ],
    ['', '{}'],
    ['#!/bin/sh\na: 1', "OrderedDict([('a', 1)])"],
  ])('%j', async (text, wanted) => {
    expect(await rendered(text)).toBe(wanted)
  })

  test('is the configured one for a text without a shebang line', async () => {
    const opts: Dict = new Map([['renderer', 'yaml']])
    expect(await rendered("a: '{{ 1 }}'", { opts })).toBe("OrderedDict([('a', '{{ 1 }}')])")
    expect(await rendered('a: {{ 1 }}', { opts, renderer: 'jinja' })).toBe("'a: 1'")
  })

  test('with an unknown renderer gives nothing and says so in the log', async () => {
    const lines: string[] = []
    expect(await rendered('#!jinya|yaml\na: 1', { log: (level, text) => lines.push(`${level}: ${text}`) })).toBe('{}')
    expect(lines).toEqual([`error: The renderer "jinya|yaml" is not available. Did you mean 'jinja'?`])
  })

  test.each<[string, Dict]>([
    ['renderer_blacklist', new Map([['renderer_blacklist', ['jinja']]])],
    ['renderer_blacklist as text', new Map([['renderer_blacklist', 'jinja']])],
    ['renderer_whitelist', new Map([['renderer_whitelist', ['yaml']]])],
  ])('drops a renderer that %s excludes', async (_option, opts) => {
    const lines: string[] = []
    expect(await rendered("a: '{{ 1 }}'", { opts, log: consoleLog('info', (line) => lines.push(line)) })).toBe(
      "OrderedDict([('a', '{{ 1 }}')])",
    )
    expect(lines).toEqual(['[WARNING ] The renderer "jinja" is disallowed by configuration and will be skipped.\n'])
  })

  test.each<[string, string]>([
    ['#!cheetah\na', "The renderer 'cheetah' needs a library of Python, and is not there"],
    ['#!jinja -x|yaml\na: 1', 'Unknown renderer option: -x'],
    ['#!yaml|jinja\na: 1', 'The jinja renderer reads text, and the renderer before it gave data'],
    ['#!json\n{"a": }', 'Expecting value: line 1 column 7 (char 6)'],
  ])('%j fails', async (text, message) => {
    expect((await failure(text)).message).toBe(message)
  })

  test('names the template line of a fault in the data', async () => {
    const error = await failure('{% for x in [1, 2] %}\nk{{ x }}: 1\n{% endfor %}\na: b: c\n', { path: '/srv/a.sls' })
    expect([error.message, error.at]).toEqual([
      'mapping values are not allowed in this context',
      { file: '/srv/a.sls', line: 4 },
    ])
  })

  test.each(['jinja|yaml', 'jinja|yamlex'])('of %s leads from data back to the template line', async (pipe) => {
    const text = `#!${pipe}\n{% for x in [1, 2] %}\nk{{ x }}: {a: 1}\n{% endfor %}\nlast: 1\n`
    const { value, sourceLine } = await renderText(text, options({ positions: true }))
    const place = positionOf(value, 'last')!
    expect([place.line > 5, sourceLine(place.line)]).toEqual([true, 5])
  })

  test('keeps the line breaks of Windows', async () => {
    expect(await rendered('#!jinja\r\n{{ 1 }}\r\n')).toBe("'#!jinja\\r\\n1\\r\\n'")
  })

  test('takes further renderers', async () => {
    const shout = { name: 'shout', render: (input: Value) => ({ value: String(input).toUpperCase() }) }
    expect(await rendered('#!shout\nx', { renderers: [shout] })).toBe("'#!SHOUT\\nX'")
  })
})

describe('a file', () => {
  test('is rendered with its path, and gives nothing when it holds nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'brine-render-'))
    try {
      await writeFile(join(folder, 'a.sls'), 'file: {{ tplfile }}\r\nx: {{ sls }}\n')
      await writeFile(join(folder, 'blank.sls'), ' \n\n')
      const of = async (name: string) => repr((await renderFile(join(folder, name), options({ sls: 'a' }))).value)
      expect(await of('a.sls')).toBe("OrderedDict([('file', 'a.sls'), ('x', 'a')])")
      expect([await of('blank.sls'), await of('missing.sls'), await of('.')]).toEqual(['{}', '{}', '{}'])
      const broken = join(folder, 'broken.sls')
      await writeFile(broken, Buffer.from('a: 1\nb: \xff\n', 'latin1'))
      await expect(of('broken.sls')).rejects.toMatchObject({ at: { file: broken, line: 2 } })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
