// Any text either renders as a template or fails with an error that has a line; it never hangs or crashes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BrineError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { builtinFilters, builtinTests, Environment, TemplateFailure } from './mod.ts'

const dialect = { filters: builtinFilters, tests: builtinTests, waiting: new Set<string>() }
const variables = new Map<string, Value>([
  ['a', 1],
  ['b', 'text'],
  ['c', ['x', 'y']],
  ['d', new Map<Value, Value>([['k', 'v']])],
])

const WORDS =
  `{{ }} {% %} {# #} {%- -%} {{- -}} for in if else elif endif endfor set endset macro endmacro call endcall block endblock
 extends include import from as with endwith without context filter endfilter raw endraw do break continue recursive is not and or
 a b c d loop self super caller range namespace dict ( ) [ ] { } , . : | ~ + - * / // % ** == != < > <= >= = 1 2.5 'q' "r" \\ upper
 length default join map select sort defined none load_yaml endload autoescape endautoescape scoped required \n`.split(
    / +/,
  )

const soup = fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join(' '))
const anything = fc.string({ unit: 'binary', maxLength: 200 })
const wrapped = fc
  .array(fc.constantFrom(...WORDS.slice(6)), { maxLength: 25 })
  .map((words) => `{{ ${words.join(' ')} }}`)
const statement = fc
  .array(fc.constantFrom(...WORDS.slice(6)), { maxLength: 25 })
  .map((words) => `{% ${words.join(' ')} %}`)

async function survives(source: string): Promise<void> {
  const env = new Environment({ dialect })
  try {
    const { text } = await env.render(source, variables)
    expect(typeof text).toBe('string')
  } catch (error) {
    expect(error, source).toBeInstanceOf(TemplateFailure)
    const failure = error as TemplateFailure
    // an error of the engine itself, and not of the template, would be a plain Error
    expect(failure.error, `${source}\n${failure.error.stack}`).toBeInstanceOf(BrineError)
    expect(failure.frames[0]?.line).toBeGreaterThan(0)
  }
}

describe('a template of random text', () => {
  it.each([
    ['soup of template words', soup],
    ['any characters', anything],
    ['random expressions', wrapped],
    ['random statements', statement],
  ])('renders or fails cleanly: %s', async (_name, source) => {
    await fc.assert(fc.asyncProperty(source, survives), { numRuns: 400 })
  })
})

describe('a template that would not end', () => {
  const failing = async (source: string): Promise<TemplateFailure> => {
    const outcome = await new Environment({ dialect }).render(source).catch((error: unknown) => error)
    expect(outcome, source.slice(0, 80)).toBeInstanceOf(TemplateFailure)
    return outcome as TemplateFailure
  }

  it.each([
    ['a macro that calls itself', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'],
    [
      'two macros that call each other',
      '{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}',
    ],
    ['a recursive loop without end', '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}'],
    ['a block that names itself', '{% block b %}{{ self.b() }}{% endblock %}'],
    ['brackets thousands deep', `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`],
    ['lists thousands deep', `{{ ${'['.repeat(5000)}${']'.repeat(5000)} }}`],
    ['signs thousands deep', `{{ ${'-'.repeat(20000)}1 }}`],
    ['not thousands deep', `{{ ${'not '.repeat(20000)}1 }}`],
    ['blocks thousands deep', '{% if a %}'.repeat(5000)],
    ['a range without end', '{% for i in range(10 ** 12) %}{% endfor %}'],
    ['a huge text', "{{ 'x' * 10 ** 12 }}"],
    ['a huge number', '{{ 9 ** (9 ** (9 ** 9)) }}'],
    [
      'text that doubles',
      "{% set ns = namespace(t='x') %}{% for i in range(100) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}",
    ],
  ])('is stopped: %s', async (_name, source) => {
    const failure = await failing(source)
    expect(failure.frames.length).toBeGreaterThan(0)
  })

  it('is stopped when it includes itself', async () => {
    const env = new Environment({ dialect, loader: { load: () => ({ source: "{% include 'again' %}" }) } })
    await expect(env.render("{% include 'again' %}")).rejects.toBeInstanceOf(TemplateFailure)
  })

  it('is stopped when a list grows while it is looped over', async () => {
    const env = new Environment({ dialect, maxRounds: 100_000 })
    const source = '{% set l = [1] %}{% for x in l %}{% do l.append(x) %}{% endfor %}'
    await expect(env.render(source)).rejects.toThrow('ran 100000 rounds')
  })
})
