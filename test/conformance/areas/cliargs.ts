// Arguments: how what people type reaches a function (cases/cliargs/README.md). Whole command lines come with the
// commands.
import { BrineError } from '../../../src/base/mod.ts'
import type { Signature, Value } from '../../../src/data/mod.ts'
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
