// A template is untrusted data: it has access only to the value model, never to JavaScript.
import { describe, expect, it } from 'vitest'
import { PyObject, type Value } from '../data/mod.ts'
import { builtinFilters, builtinTests, Environment, HostFunction, TemplateFailure } from './mod.ts'

const dialect = { filters: builtinFilters, tests: builtinTests, waiting: new Set<string>() }

/** A host object with things that JavaScript would happily hand out. */
class Host extends PyObject {
  readonly typeName = 'Host'
  readonly secret = 's3cret'
  get tempting(): string {
    throw new Error('a getter of a host object was read')
  }
  steal(): string {
    return this.secret
  }
  override getAttr(name: string): Value | undefined {
    return name === 'open' ? 'yes' : undefined
  }
}

const variables = new Map<string, Value>([
  ['text', 'abc'],
  ['list', [1, 2]],
  ['dict', new Map<Value, Value>([['a', 1]])],
  ['number', 5],
  ['host', new Host()],
  ['fn', new HostFunction('fn', () => 1)],
])

const env = new Environment({ dialect, strict: true })

async function attempt(source: string): Promise<string | TemplateFailure> {
  try {
    return (await env.render(source, variables)).text
  } catch (error) {
    if (error instanceof TemplateFailure) return error
    throw error
  }
}

const OBJECTS = [
  'text',
  'list',
  'dict',
  'number',
  'host',
  'fn',
  'range',
  'namespace()',
  'none',
  'true',
  '(1, 2)',
  '1.5',
]
const NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  '__defineGetter__',
  '__lookupGetter__',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'call',
  'apply',
  'bind',
  'caller',
  'arguments',
  'body',
  'invoke',
  'secret',
  'steal',
  'tempting',
  'size',
  'push',
  'charCodeAt',
  'getAttr',
  'typeName',
  'then',
]

describe('a template', () => {
  it.each(OBJECTS.flatMap((object) => NAMES.map((name) => [object, name])))(
    'gets nothing of JavaScript from %s.%s',
    async (object, name) => {
      for (const source of [
        `{{ ${object}.${name} }}`,
        `{{ ${object}['${name}'] }}`,
        `{{ ${object}|attr('${name}') }}`,
      ]) {
        const outcome = await attempt(source)
        expect(outcome, source).toBeInstanceOf(TemplateFailure)
        expect(['UndefinedError', 'SecurityError']).toContain((outcome as TemplateFailure).error.name)
      }
    },
  )

  it('sees only what a host object offers', async () => {
    expect(await attempt('{{ host.open }}')).toBe('yes')
  })

  it.each([
    `{{ ''.constructor.constructor('return process')() }}`,
    `{{ [].constructor.constructor('return 1')() }}`,
    `{{ fn.constructor('return process')() }}`,
    `{{ range.constructor }}`,
    `{% set x = dict.__proto__ %}{% do x.update({'polluted': 1}) %}`,
    `{{ ''.__class__.__mro__[1].__subclasses__() }}`,
    `{{ fn.__globals__ }}`,
    `{{ '{0.__class__}'.format(1) }}`,
    `{{ '%(__class__)s' % dict }}`,
    `{{ list|map(attribute='constructor')|join }}`,
    `{{ [dict]|map(attribute='__proto__.polluted')|join }}`,
    `{{ list|selectattr('constructor')|list }}`,
    `{{ self.__init__ }}`,
    `{% macro m() %}{% endmacro %}{{ m.constructor }}`,
    `{% macro m() %}{% endmacro %}{{ m.body('x') }}`,
    `{% for i in [1] %}{{ loop.constructor }}{% endfor %}`,
    `{% set ns = namespace() %}{{ ns.constructor }}`,
    '{{ `x` }}',
    `{{ process }}`,
    `{{ globalThis }}`,
    `{{ require('fs') }}`,
    `{{ rt.env }}`,
    `{{ ctx }}`,
    `{{ S }}{{ K }}{{ L }}{{ TPL }}`,
  ])('cannot escape with %s', async (source) => {
    expect(await attempt(source)).toBeInstanceOf(TemplateFailure)
  })

  it('may use names of JavaScript as plain names and keys', async () => {
    const source = `{% set constructor = 1 %}{% set __proto__ = {'constructor': 2, '__proto__': 3} %}{{ constructor }}{{ __proto__.constructor }}{{ __proto__['__proto__'] }}`
    expect(await attempt(source)).toBe('123')
    expect(
      await attempt(
        `{% set await = 1 %}{% set function = 2 %}{% set o = 3 %}{% set rt = 4 %}{{ await }}{{ function }}{{ o }}{{ rt }}`,
      ),
    ).toBe('1234')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('cannot smuggle code in names, strings or block names', async () => {
    expect(await attempt(`{% set x = "\\"+process.exit()+\\"" %}{{ x }}`)).toBe('"+process.exit()+"')
    expect(await attempt(`{% block constructor %}b{% endblock %}{% block __proto__ %}p{% endblock %}`)).toBe('bp')
    expect(await attempt('{{ "\\u2028\\u2029`${1}" }}')).toBe('\u2028\u2029`${1}')
    expect(await attempt(`{% macro __proto__(toString=1) %}{{ toString }}{% endmacro %}{{ __proto__() }}`)).toBe('1')
  })
})
