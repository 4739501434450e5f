import { describe, expect, test } from 'vitest'
import { type Dict, dictFrom, SaltError, type Value } from '../data/mod.ts'
import type { RenderError } from './errors.ts'
import { type JinjaOptions, renderJinja } from './jinja.ts'
import type { FunctionSource } from './salt-functions.ts'

const functions: FunctionSource = {
  has: (name) => ['test.echo', 'test.later', 'test.refuse', 'grains.get'].includes(name),
  hasModule: (name) => name === 'test' || name === 'grains',
  names: () => ['test.echo', 'test.later', 'test.refuse', 'grains.get'],
  call: (name, args) => {
    if (name === 'test.later') return Promise.resolve(args[0]!)
    if (name === 'test.refuse') throw new SaltError('CommandExecutionError', 'no such disk')
    return args[0]!
  },
}

const render = async (source: string, options: Partial<JinjaOptions> & { files?: Record<string, string> } = {}) => {
  const { files = {}, ...rest } = options
  const { text } = await renderJinja(source, {
    opts: new Map<Value, Value>([
      ['id', 'web1'],
      ['cachedir', '/cache'],
    ]),
    grains: new Map<Value, Value>([['os', 'Debian']]),
    pillar: new Map<Value, Value>([['a', new Map([['b', [1]]])]]),
    functions,
    saltenv: 'base',
    sls: '',
    tree: {
      read: async (path) => {
        const found = files[path]
        return found === undefined ? undefined : { text: found, file: `/srv/${path}` }
      },
    },
    ...rest,
  })
  return text
}

const failure = (source: string, options: Parameters<typeof render>[1] = {}): Promise<RenderError> =>
  render(source, options).then(
    () => expect.unreachable(),
    (error) => error,
  )

describe('templates in Salt', () => {
  test.each<[string, string]>([
    ["{{ salt['test.echo']('x') }}", 'x'],
    ["{{ salt.test.echo('x') }} {{ salt['test'].echo('y') }}", 'x y'],
    ["{{ salt['test.later']('x') }}{{ salt.get('test.later')('y') }}", 'xy'],
    ["{{ 'test.echo' in salt }} {{ 'test' in salt }} {{ salt.get('no.fun', 'none') }}", 'True False none'],
    ["{{ salt['test.echo'] }} {{ salt.test }}", "<LoadedFunc name='test.echo'> <LoadedMod module='salt.loaded.test'>"],
    ['{{ grains.os }} {{ opts.id }} {{ saltenv }} {{ pillar.a.b }} [{{ sls }}]', 'Debian web1 base [1] []'],
    ['line\n', 'line\n'],
    ['line\n\n', 'line\n\n'],
  ])('%s', async (source, wanted) => {
    expect(await render(source)).toBe(wanted)
  })

  test('log the time that a profile block took', async () => {
    const lines: string[] = []
    await render("{% profile as 'part' %}x{% endprofile %}", { log: (level, text) => lines.push(`${level}: ${text}`) })
    expect(lines).toEqual([expect.stringMatching(/^profile: Time \(in seconds\) to render profile block 'part': \d/)])
  })

  test('see further variables before their own', async () => {
    const context = new Map<string, Value>([
      ['grains', 'shadowed'],
      ['tpldir', 'mine'],
    ])
    expect(await render('{{ grains }} {{ tpldir }}', { context, sls: 'a.b', path: '/srv/a/b.sls' })).toBe(
      'shadowed mine',
    )
  })

  test('change a copy of the pillar, which later templates share', async () => {
    const pillar: Dict = new Map<Value, Value>([['a', 1]])
    await render("{% do pillar.update({'b': 2}) %}", { pillar })
    expect(await render('{{ pillar.b }}', { pillar })).toBe('2')
    expect(pillar.has('b')).toBe(false)
  })

  test('have the pillar of functions itself where these render a file', async () => {
    const pillar: Dict = new Map<Value, Value>([['a', 1]])
    const opts: Dict = new Map([['pillar', pillar]])
    await render("{% do pillar.update({'b': 2}) %}{% do opts.update({'c': 3}) %}", { opts, pillar })
    const shown = '{{ pillar.b }} {{ opts.pillar.b }} {{ opts.c }}'
    expect(await render(shown, { opts, pillar })).toBe('2 2 3')
    const file = { opts, pillar, asFile: true }
    expect(await render("{{ 'b' in pillar }} {{ 'c' in opts }}", file)).toBe('False False')
    await render("{% do pillar.update({'b': 4}) %}", file)
    expect(pillar.get('b')).toBe(4)
    expect(await render('{{ opts.pillar.b }}', file)).toBe('4')
    expect(await render(shown, { opts, pillar })).toBe('2 2 3')
  })

  test.each<[string, string]>([
    ['{{ pillar.nope }}', "Jinja variable 'salt.utils.optsdict.DictProxy object' has no attribute 'nope'"],
    ['{{ opts.nope }}', "Jinja variable 'salt.utils.optsdict.OptsDict object' has no attribute 'nope'"],
    [
      "{{ salt['test.nope']() }}",
      "Jinja variable 'salt.utils.templates.AliasedLoader object' has no attribute 'test.nope'",
    ],
    ['{{ salt.test.nope() }}', "Jinja variable 'salt.loader.lazy.LoadedMod object' has no attribute 'nope'"],
    ['{{ salt.nope.fun() }}', "Jinja variable 'salt.utils.templates.AliasedLoader object' has no attribute 'nope'"],
    ['{% if %}', "Jinja syntax error: Expected an expression, got 'end of statement block'"],
    ["{{ salt['test.refuse']() }}", 'Problem running salt function in Jinja template: no such disk'],
    ['{{ 1 // 0 }}', 'Jinja error: integer division or modulo by zero'],
    ["{% include 'nope.jinja' %}", 'Jinja error: nope.jinja'],
  ])('%s fails', async (source, wanted) => {
    const error = await failure(`first\n${source}\n`)
    expect([error.code, error.error, error.line]).toEqual(['SaltRenderError', wanted, 2])
  })

  test('quote the faulty line', async () => {
    expect((await failure('a\n{{ nope }}\nb')).message).toBe(
      "Jinja variable 'nope' is undefined; line 2\n\n---\na\n{{ nope }}    <======================\nb\n---",
    )
  })

  test('give a hint at close names', async () => {
    expect((await failure("{{ salt['test.ecco']() }}")).hint).toContain("'test.echo'")
  })

  test('quote an imported file, by its cache path, if the error is there', async () => {
    const files = { 'lib/bad.jinja': 'ok\n{{ nope }}\n' }
    const error = await failure("top\n{% include 'lib/bad.jinja' %}\n", { sls: 'app', path: '/srv/app.sls', files })
    expect(error.message).toBe(
      "Jinja variable 'nope' is undefined\n/cache/files/base/lib/bad.jinja(2):\n---\nok\n{{ nope }}    <======================\n---",
    )
    expect([error.line, error.at]).toEqual([0, { file: '/srv/lib/bad.jinja', line: 2 }])
  })

  test('name the file and line for programs', async () => {
    expect((await failure('a\n{{ nope }}', { sls: 'x', path: '/srv/x.sls' })).at).toEqual({
      file: '/srv/x.sls',
      line: 2,
    })
  })
})

describe('imports', () => {
  const files = {
    'app/map.jinja': '{{ tplfile }}|{{ tpldir }}|{{ tpldot }}',
    'app/sub/deep.jinja': '{{ tplfile }}|{{ tpldir }}',
    'top.jinja': '{{ tplfile }}|{{ tpldir }}|{{ tpldot }}',
  }
  const at = { sls: 'app.web', path: '/srv/app/web.sls', files }

  test.each<[string, string]>([
    ["{% import 'app/map.jinja' as m %}{{ m }}", 'app/map.jinja|app|app'],
    ["{% import './map.jinja' as m %}{{ m }}", './map.jinja|app|app'],
    ["{% import '../top.jinja' as m %}{{ m }}", '../top.jinja|app|app'],
    ["{% import 'top.jinja' as m %}{{ m }}", 'top.jinja|.|'],
    ["{% import './sub/deep.jinja' as m %}{{ m }}", './sub/deep.jinja|app'],
  ])('%s', async (source, wanted) => {
    expect(await render(source, at)).toBe(wanted)
  })

  test('do not leave the tree', async () => {
    expect((await failure("{% include '../../etc/passwd' %}", at)).error).toBe('Jinja error: ../../etc/passwd')
  })

  test('relative to nothing fail', async () => {
    expect((await failure("{% include './map.jinja' %}", { files })).error).toBe('Jinja error: ./map.jinja')
  })
})

describe('environment options', () => {
  const source = 'a:\n  {% if true %}\n  b\n  {% endif %}\n'
  const opts = (entries: Record<string, Value>): Dict => dictFrom(entries)
  const trim = new Map<Value, Value>([
    ['trim_blocks', true],
    ['LSTRIP_BLOCKS', true],
    ['unknown', 1],
  ])

  test.each<[string, Dict, string, string]>([
    ['jinja_env for text outside any SLS', opts({ jinja_env: trim }), '', 'a:\n  b\n\n'],
    ['jinja_env not for an SLS', opts({ jinja_env: trim }), 'x', 'a:\n  \n  b\n  \n'],
    ['jinja_sls_env for an SLS', opts({ jinja_sls_env: trim }), 'x', 'a:\n  b\n\n'],
    ['the old switches for both', opts({ jinja_trim_blocks: true, jinja_lstrip_blocks: true }), 'x', 'a:\n  b\n\n'],
  ])('%s', async (_what, given, sls, wanted) => {
    expect(await render(source, { opts: given, sls })).toBe(wanted)
  })

  test('allow undefined values', async () => {
    expect(await render('[{{ nope }}]', { opts: opts({ allow_undefined: true }) })).toBe('[]')
  })

  test('refuse delimiters that cannot be distinguished', async () => {
    const same = new Map<Value, Value>([['block_start_string', '{{']])
    expect((await failure('x', { opts: opts({ jinja_env: same }) })).message).toBe(
      'block, variable and comment start strings must be different',
    )
  })
})

describe('a call on an undefined value', () => {
  test('fails before its arguments do', async () => {
    const { message } = await failure('{{ salt.no_such.fun(salt.neither.fun(1)) }}')
    expect(message).toContain("has no attribute 'no_such'")
  })
})

describe('an imported name', () => {
  test('may be none', async () => {
    const files = { 'map.jinja': '{% set app = none %}' }
    expect(await render("{% from 'map.jinja' import app %}{{ app is none }}", { files })).toBe('True')
  })
})

describe('an error that Salt did not expect', () => {
  test("is reported with Python's class name", async () => {
    const { message } = await failure("{% from 'no.jinja' import m %}")
    expect(message).toContain('\njinja2.exceptions.TemplateNotFound: no.jinja\n')
    const raised = await failure("{{ raise('no') }}")
    expect(raised.message).toContain('\nsalt.exceptions.TemplateError: no\n')
    const repeated = await failure("\n{{ salt['test.echo'](a=1, a=2) }}")
    expect(repeated.message).toContain('\nSyntaxError: keyword argument repeated: a\n\n; line 2\n')
  })

  test('reports the original YAML error first', async () => {
    const { message } = await failure("{{ 'a: 1\\na: 2' | load_yaml }}")
    expect(message).toContain('\nyaml.constructor.ConstructorError: while constructing a mapping\n')
    expect(message).toContain("found conflicting ID 'a'")
    expect(message).toContain(
      '\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n',
    )
  })

  test('shows the template lines it passed', async () => {
    const files = { 'lib.jinja': '{% macro m() %}\n{{ 1 // 0 }}\n{% endmacro %}' }
    const { message } = await failure("{% from 'lib.jinja' import m %}\n{{ m() }}", { files })
    expect(message).toBe(
      [
        'Jinja error: integer division or modulo by zero',
        'Traceback (most recent call last):',
        '  File "<template>", line 2, in top-level template code',
        '    {{ m() }}',
        '  File "/cache/files/base/lib.jinja", line 2, in template',
        '    {{ 1 // 0 }}',
        'ZeroDivisionError: integer division or modulo by zero',
        '',
        '; line 2',
        '',
        '---',
        "{% from 'lib.jinja' import m %}",
        '{{ m() }}    <======================',
        'Traceback (most recent call last):',
        '  File "<template>", line 2, in top-level template code',
        '    {{ m() }}',
        '  File "/cache/files/base/lib.jinja", line 2, in template',
        '    {{ 1 // 0 }}',
        '[...]',
        '---',
      ].join('\n'),
    )
  })
})
