import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { arg, type MasterContext, masterFn } from '../sdk/mod.ts'
import { checkRules } from './check.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reactor-check-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const accept = masterFn({ doc: '', args: { match: arg.any('') }, run: () => null })

/** Return the problems of a file, without the part that all of them share. */
async function problems(sls: string | undefined): Promise<string[]> {
  const file = join(folder, 'x.sls')
  if (sls !== undefined) writeFileSync(file, sls)
  const conf = join(folder, 'master')
  writeFileSync(conf, `\nreactor:\n  - 'a/*':\n    - ${file}\n`)
  const rules: Value[] = [new Map<Value, Value>([['a/*', [file]]])]
  const opts: Dict = new Map<Value, Value>([
    ['reactor', rules],
    ['conf_file', conf],
  ])
  const ctx = {
    opts,
    log: silentLog,
    files: { files: async () => ['_modules/mine.py', '_modules/pack/__init__.py'] },
  } as unknown as MasterContext
  const found = await checkRules(ctx, async (_kind, fun) =>
    fun === 'key.accept' || fun === 'state.orchestrate' ? { declaration: accept, isBuiltIn: true } : undefined,
  )
  const end = ` (the reactor for 'a/*' at ${conf}:3)`
  expect(found.filter((text) => !text.endsWith(end))).toEqual([])
  return found.map((text) => text.slice(0, -end.length).replace(file, 'x.sls'))
}

test.each<[string, string | undefined, string[]]>([
  ['a file that is not there', undefined, ['x.sls does not exist']],
  [
    'a template that is not closed',
    'a:\n{% if data.x %}\n  local.test.ping:\n    - tgt: x\n',
    [
      "x.sls:2: Jinja syntax error: Unexpected end of template. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'.",
    ],
  ],
  ['a filter there is not', 'a: {{ data.x | nope }}\n', ["x.sls:1: Jinja syntax error: No filter named 'nope'."]],
  [
    'a misspelt variable',
    'a:\n  local.test.ping:\n    - tgt: {{ dta.id }}\n',
    ["x.sls:3: Jinja variable 'dta' is undefined"],
  ],
  [
    'text that is no YAML, counted in the template',
    '{% set a = 1 %}\n{# two #}\na:\n\tb: c\n',
    ['x.sls:4: Cannot load YAML: found character that cannot start any token while scanning for the next token'],
  ],
  [
    'an unknown runner',
    'a:\n  runner.state.orchestrat:\n    - args:\n      - mods: x\n',
    ["x.sls:2: there is no runner function 'state.orchestrat'"],
  ],
  [
    'an unknown wheel function in a branch that is not taken',
    "{% if data.act == 'pend' %}\na:\n  wheel.key.acept:\n    - args:\n      - match: x\n{% endif %}\n",
    ["x.sls:3: there is no wheel function 'key.acept'"],
  ],
  [
    'an unknown function of minions',
    'a:\n  local.service.restrat:\n    - tgt: x\n',
    ["x.sls:2: there is no function 'service.restrat'. Did you mean 'service.restart'?"],
  ],
  [
    'a kind of reaction there is not',
    '{# head #}\na:\n  loacl.test.ping:\n    - tgt: x\n',
    ["x.sls:2: 'loacl' is no kind of reaction: these are local, runner, wheel, caller"],
  ],
  [
    'a job for nobody',
    'a:\n  local.test.ping: []\n',
    ['x.sls:1: salt.exceptions.SaltInvocationError: local takes at least 2 arguments (1 given)'],
  ],
  [
    'arguments that are none',
    'a:\n  runner.state.orchestrate:\n    - args: nothing\n',
    [
      "x.sls:1: Reactor 'a' failed to execute runner 'state.orchestrate': Incorrect argument format, check the Reactor System documentation for the correct format.",
    ],
  ],
])('%s is found', async (_name, sls, expected) => {
  expect(await problems(sls)).toEqual(expected)
})

test.each([
  [
    'what only an event can decide',
    `{% if data['result'] and data.id.startswith('web') %}
{{ data['id'] }}_accept:
  wheel.key.accept:
    - args:
      - match: {{ data['id'] }}
{% endif %}
{% set body = data.body | load_json %}
x:
  local.state.apply:
    - tgt: {{ data.data.id }}
    - args:
      - mods: {{ body.mods | join(',') }}
`,
  ],
  [
    'IDs that differ with their events',
    "{{ data.a }}_x:\n  local.test.ping:\n    - tgt: '*'\n{{ data.b }}_x:\n  local.test.ping:\n    - tgt: '*'\n",
  ],
  ["a module of one's own", "a:\n  local.mine.thing:\n    - tgt: '*'\nb:\n  local.pack.thing:\n    - tgt: '*'\n"],
  [
    'calls of functions, which are not made',
    `{% do salt['cmd.run']('touch ${tmpdir()}/never') %}\na:\n  local.test.ping:\n    - tgt: '*'\n`,
  ],
  ['a file in Python, which is not run', '#!py\nraise Exception("run")\n'],
  ['loops', "{% for one in data['items'] %}\n{{ one }}:\n  local.test.ping:\n    - tgt: {{ one }}\n{% endfor %}\n"],
])('%s is no problem', async (_name, sls) => {
  expect(await problems(sls)).toEqual([])
})
