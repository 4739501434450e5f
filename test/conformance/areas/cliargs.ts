// Arguments: how what people type reaches a function, and what whole command lines mean (cases/cliargs/README.md).
import { BrineError } from '../../../src/base/mod.ts'
import { EX_USAGE, PROGRAMS, ProgramExit, readCommandLine, UsageError, usageComplaint } from '../../../src/cli/mod.ts'
import { equals, type Signature, type Value } from '../../../src/data/mod.ts'
import { bindPublished, parseInput, publishedArguments, readArgument } from '../../../src/sdk/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { decodeTyped } from '../typed-json.ts'

const values = (json: unknown): Value[] => decodeTyped((json ?? []) as Json) as Value[]

/** From `f(a, b=None, *args, **kwargs)`. */
function signatureOf(text: string): Signature {
  const parameters = text
    .slice(2, -1)
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  const named = parameters.filter((parameter) => !parameter.startsWith('*'))
  return {
    name: 'f',
    positional: named.map((parameter) => parameter.split('=')[0]!),
    required: named.filter((parameter) => !parameter.includes('=')).length,
    keywordOnly: [],
    requiredKeywords: [],
    rest: parameters.some((parameter) => /^\*[^*]/.test(parameter)),
    open: parameters.some((parameter) => parameter.startsWith('**')),
  }
}

function dict(entries: Record<string, Value>): Value {
  return new Map<Value, Value>(Object.entries(entries))
}

/** Settings that the recordings show where they are not as in a plain call. */
const SHOWN = new Set(
  `async batch cli_summary doc eauth file_root grains_run id local log_level master module_dirs module_executors
  no_color output output_indent pillar_root preview_target refresh_grains_cache return selected_target_option show_jid
  skip_grains state_output static subset timeout verbose`.split(/\s+/),
)

function commandLine(testCase: Case): Value {
  const program = PROGRAMS.get(testCase['cli'] as string)!
  const read = (argv: string[]) => readCommandLine(program, argv, { version: '' })
  const plain = read(program.name === 'salt' ? ['*', 'test.ping'] : ['test.ping'])
  try {
    const line = read(testCase['argv'] as string[])
    const wanted = testCase['result'] as Record<string, Json>
    const found: Record<string, Value> = {}
    for (const [name, value] of [...line.meaning, ...line.values]) {
      const isPlain = equals(value, plain.meaning.get(name) ?? plain.values.get(name) ?? null)
      const isWord = name === 'tgt' || name === 'fun' || name === 'arg'
      if (name in wanted || isWord || (SHOWN.has(name) && !isPlain)) found[name] = value
    }
    // the order of settings means nothing
    const names = [...Object.keys(wanted).filter((name) => name in found), ...Object.keys(found)]
    return dict(Object.fromEntries(names.map((name) => [name, found[name]!])))
  } catch (error) {
    if (error instanceof UsageError) return ended(EX_USAGE, '', usageComplaint(program, error))
    if (error instanceof ProgramExit) return ended(error.status, error.stdout, error.stderr)
    throw error
  }
}

function ended(exit: number, stdout: string, stderr: string): Value {
  return dict({ exit, stderr_last: stderr.trim().split('\n').at(-1)!, stdout_lines: stdout !== '' })
}

function answer(testCase: Case): Value {
  switch (testCase['group']) {
    case 'yamlify':
      return dict({ value: readArgument(testCase['input'] as string) })
    case 'parse_input': {
      const parsed = parseInput(values(testCase['argv']), new Set((testCase['no_parse'] as string[] | undefined) ?? []))
      const conditioned = 'conditioned' in testCase ? { conditioned: publishedArguments(parsed) } : {}
      return dict({ args: parsed.args, kwargs: new Map(parsed.kwargs), ...conditioned })
    }
    case 'bind': {
      const argv = values(testCase['argv'])
      const published = testCase['from_cli'] ? publishedArguments(parseInput(argv)) : argv
      const { args, kwargs } = bindPublished(signatureOf(testCase['signature'] as string), published)
      return dict({ args, kwargs: new Map(kwargs) })
    }
    case 'cmdline':
      return commandLine(testCase)
    default:
      throw new Error(`There is no answer yet to cases of '${String(testCase['group'])}'`)
  }
}

const area: Area = {
  name: 'cliargs',
  recorded(testCase) {
    if (typeof testCase.error === 'string') {
      return { error: { class: testCase.error, message: testCase['message'] as string } }
    }
    if (testCase['group'] === 'cmdline') return { expect: testCase['result'] as Json }
    const expect: Record<string, Json> = {}
    for (const field of ['value', 'args', 'kwargs', 'conditioned']) {
      if (field in testCase) expect[field] = testCase[field] as Json
    }
    return { expect }
  },
  run(testCase: Case): Outcome {
    try {
      return { expect: answer(testCase) }
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      return { error: { class: error.code, message: error.message } }
    }
  },
}

export default area
