import { describe, expect, it } from 'vitest'
import type { BrineError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import {
  builtinFilters,
  builtinTests,
  Environment,
  type EnvironmentOptions,
  HostFunction,
  type NativeFunction,
  saltGlobals,
  TemplateFailure,
} from './mod.ts'

const dialect = { filters: builtinFilters, tests: builtinTests, waiting: new Set<string>() }

function environment(files: Record<string, string> = {}, options: Partial<EnvironmentOptions> = {}): Environment {
  const loader = {
    load: (name: string) => (files[name] === undefined ? undefined : { source: files[name], path: `/srv/${name}` }),
  }
  return new Environment({ dialect, loader, ...options })
}

async function text(source: string, variables: Record<string, Value> = {}, env = environment()): Promise<string> {
  return (await env.render(source, new Map(Object.entries(variables)))).text
}

async function failure(
  source: string,
  variables: Record<string, Value> = {},
  env = environment(),
): Promise<TemplateFailure> {
  const outcome = await env.render(source, new Map(Object.entries(variables))).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(TemplateFailure)
  return outcome as TemplateFailure
}

const hintOf = (failed: TemplateFailure): string | undefined => (failed.error as BrineError).hint

describe('host functions', () => {
  const later = new HostFunction('later', async (args) => {
    await new Promise((resolve) => setImmediate(resolve))
    return args[0] ?? null
  })
  const now = new HostFunction('now', (args, kwargs) => kwargs.get('x') ?? args[0] ?? null)

  it.each([
    ['{{ later(3) + now(4) }}', '7'],
    ["{{ (later('a') ~ later('b'))|upper }}", 'AB'],
    ['{% for i in later([1, 2]) if later(i) > 1 %}{{ later(i) }}{% endfor %}', '2'],
    ['{% for i in [1, 2] %}{{ loop.index }}{{ later(i) }}{% endfor %}', '1122'],
    ['{% macro m(a=later(5)) %}[{{ later(a) }}]{% endmacro %}{{ m() }}{{ m(6)|length }}', '[5]3'],
    ['{% set x = later({"k": now(x=1)}) %}{{ x.k }}', '1'],
    ['{% if later(true) and later(0) == 0 %}yes{% endif %}', 'yes'],
    ['{% filter upper %}{{ later("in") }}{% endfilter %}', 'IN'],
    ['{% set b %}{{ later("in") }}{% endset %}{{ b }}', 'in'],
    ['{% macro outer() %}<{{ caller(1) }}>{% endmacro %}{% call(n) outer() %}{{ later(n) }}{% endcall %}', '<1>'],
    ['{% for t in [[1, [2]]] recursive %}{{ later("r") if t is number else loop(t) }}{% endfor %}', 'rr'],
    ['{{ later(1) if later(false) else later(2) }}', '2'],
    ['{% block b %}{{ later("b") }}{% endblock %}{{ self.b() }}', 'bb'],
  ])('are awaited where they stand: %s', async (source, expected) => {
    expect(await text(source, { later, now })).toBe(expected)
  })

  it('are called once each, in the order they are written', async () => {
    const calls: Value[] = []
    const note = new HostFunction('note', async (args) => {
      calls.push(args[0]!)
      return args[0]!
    })
    await text('{{ note(1) + note(2) }}{% for i in [note(3), note(4)] %}{{ note(i * 10) }}{% endfor %}', { note })
    expect(calls).toEqual([1, 2, 3, 4, 30, 40])
  })

  it('that fail stop the template at their line', async () => {
    const broken = new HostFunction('broken', async () => {
      throw new Error('no route to host')
    })
    const failed = await failure('a\n{% for i in [1] %}\n{{ broken() }}\n{% endfor %}', { broken })
    expect(failed.error.message).toBe('no route to host')
    expect(failed.frames).toMatchObject([{ line: 3, kind: 'root' }])
  })
})

describe('errors', () => {
  it('name the template, the line and every template line on the way', async () => {
    const env = environment({ 'lib.jinja': '{% macro port(c) %}\n\n{{ c.prot }}\n{% endmacro %}' })
    const failed = await failure("{% from 'lib.jinja' import port %}\n{{ port({'port': 80}) }}", {}, env)
    expect(failed.message).toBe("'dict object' has no attribute 'prot'")
    expect(failed.at).toEqual({ file: '/srv/lib.jinja', line: 3 })
    expect(failed.frames.map(({ origin, line, kind }) => [origin.path, line, kind])).toEqual([
      ['/srv/lib.jinja', 3, 'macro'],
      [undefined, 2, 'root'],
    ])
  })

  it.each([
    ['{{ pilar.x }}', "Did you mean 'pillar'?"],
    ['{{ pillar.ngnix }}', "Did you mean 'nginx'?"],
    ["{{ pillar['zz'] }}", "It has 'nginx', 'mysql'"],
    ['{% set servers = [1] %}{{ server }}', "Did you mean 'servers'?"],
    ["{% from 'lib.jinja' import mapp %}{{ mapp }}", "Did you mean 'map'?"],
    ['{% for i in [1] %}{{ loop.indx }}{% endfor %}', "Did you mean 'index'?"],
    ['{{ 1 | lenght }}', "Did you mean 'length'?"],
    ["{{ [1] | map('uper') | list }}", "Did you mean 'upper'?"],
    ['{{ 1 is devined }}', "Did you mean 'defined'?"],
    ["{{ {'port': 1}['prot' | escape] }}", "Did you mean 'port'?"],
    ['{% iff 1 %}', "Did you mean 'if'?"],
    ['{% for i in [1] %}{% endfro %}', "Did you mean 'endfor'?"],
  ])('suggest similar names: %s', async (source, hint) => {
    const pillar = new Map<Value, Value>([
      ['nginx', 1],
      ['mysql', 2],
    ])
    const failed = await failure(source, { pillar }, environment({ 'lib.jinja': '{% set map = 1 %}' }))
    expect(hintOf(failed)).toBe(hint)
  })

  it.each([
    ['a\n{% if x %}\nb', 2, 'Unexpected end of template.'],
    ['{{ 1 +\n }}', 2, 'unexpected'],
    ['\n\n{% nope %}', 3, "Encountered unknown tag 'nope'."],
    ['{{ "x" | nope }}', 1, "No filter named 'nope'."],
    ['{# never closed', 1, 'Missing end of comment tag'],
    ['{{ [1 }}', 1, "unexpected '}', expected ']'"],
  ])('in the text itself carry their line: %j', async (source, line, message) => {
    const failed = await failure(source, { x: 1 })
    expect(failed.message).toContain(message)
    expect(failed.at?.line).toBe(line)
  })
})

describe('the line map', () => {
  it('leads from a rendered line to the template line that wrote it', async () => {
    const source = '{% set n = 2 %}\nfirst: 1\n{% for i in range(n) %}\nitem{{ i }}:\n  - a\n{% endfor %}\nlast: 1\n'
    const rendered = await environment().render(source)
    const lines = rendered.text.split('\n')
    const from = (wanted: string): number => rendered.lines.lineOf(rendered.text, lines.indexOf(wanted) + 1)
    expect(from('first: 1')).toBe(2)
    expect(from('item0:')).toBe(4)
    expect(from('item1:')).toBe(4)
    expect(rendered.lines.lineOf(rendered.text, lines.lastIndexOf('  - a') + 1)).toBe(5)
    expect(from('last: 1')).toBe(7)
  })
})

describe('templates', () => {
  it('are compiled once for equal text, whatever the environment', async () => {
    // only the compiler asks whether a filter exists
    let asked = 0
    class Counting extends Map<string, NativeFunction> {
      override has(name: string): boolean {
        asked++
        return super.has(name)
      }
    }
    const counted = { ...dialect, filters: new Counting(builtinFilters) }
    for (const suffix of ['', '', ' other', '']) {
      expect(await text(`{{ 'x'|upper }}${suffix}`, {}, new Environment({ dialect: counted }))).toBe(`X${suffix}`)
    }
    expect(asked).toBe(2)
  })

  it('imported without context are rendered once and shared', async () => {
    let loads = 0
    const env = new Environment({
      dialect,
      loader: {
        load: () => {
          loads++
          return { source: '{% set x = 1 %}' }
        },
      },
    })
    expect(await text("{% import 'a' as a %}{% import 'a' as b %}{{ a.x + b.x }}", {}, env)).toBe('2')
    expect(loads).toBe(1)
  })

  it('may be rendered at the same time without mixing their output', async () => {
    const wait = new HostFunction('wait', async (args) => {
      await new Promise((resolve) => setTimeout(resolve, Number(args[0]) % 3))
      return args[0]!
    })
    const env = environment()
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => text('{% for i in range(5) %}{{ wait(n) }},{% endfor %}', { wait, n }, env)),
    )
    results.forEach((result, n) => {
      expect(result).toBe(`${n},`.repeat(5))
    })
  })
})

describe('show_full_context', () => {
  it('sees what the template was given and what it has set so far', async () => {
    const env = environment({}, { globals: saltGlobals })
    const source =
      "{% set later = 2 %}{% set all = show_full_context() %}{{ all.given }}{{ all.later }}{{ 'after' in all }}"
    expect(await text(`${source}{% set after = 3 %}`, { given: 1 }, env)).toBe('12False')
  })
})

describe('an assignment', () => {
  it('sets several attributes of namespaces and names together', async () => {
    const source = '{% set ns = namespace(a=0) %}{% set ns.a, ns.b, c = 1, 2, 3 %}{{ ns.a }}{{ ns.b }}{{ c }}'
    expect(await text(source)).toBe('123')
  })

  it('sets no attribute of what is no namespace', async () => {
    await expect(text('{% set d = {} %}{% set d.a, b = 1, 2 %}')).rejects.toThrow(
      'cannot assign attribute on non-namespace object',
    )
  })
})
