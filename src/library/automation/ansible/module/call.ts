// One module of Ansible, run on this machine alone.
import { decodeBytes, dumpJson, loadJson, str, type Value } from '../../../../data/mod.ts'
import { type CommandResult, type FunctionContext, option } from '../../../../sdk/mod.ts'

const PLAIN = { ensureAscii: false }
export const QUIET = new Map([['ANSIBLE_DEPRECATION_WARNINGS', '0']])

type Answer = Map<string, Value>

export async function callModule(
  ctx: FunctionContext,
  module: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Answer> {
  const inventory = await ctx.host.tempFile()
  const words = [
    'localhost',
    '--limit',
    '127.0.0.1',
    '-m',
    module,
    '-a',
    moduleArguments(args, kwargs),
    '-i',
    inventory,
  ]
  const argv = [(await ctx.host.which('ansible')) ?? 'ansible', ...words]
  try {
    const timeout = option(ctx.opts, 'ansible_timeout')
    return answerOf(argv, await ctx.host.run({ argv, env: QUIET, timeout }))
  } finally {
    await ctx.host.remove(inventory)
  }
}

/** Return the keywords of the call, as published if it was published. */
function moduleArguments(args: readonly Value[], kwargs: ReadonlyMap<string, Value>): string {
  const published = kwargs.get('__pub_arg') ?? []
  const dict = Array.isArray(published) ? published.find((value) => value instanceof Map) : undefined
  const named = dict instanceof Map ? [...dict] : [...kwargs].filter(([name]) => !name.startsWith('__pub'))
  return [
    ...args.map((value) => dumpJson(value, PLAIN)),
    ...named.filter(([name]) => name !== '__kwarg__').map(([name, value]) => `${str(name)}=${dumpJson(value, PLAIN)}`),
  ].join(' ')
}

function answerOf(argv: readonly string[], { retcode, stdout, stderr }: CommandResult): Answer {
  const [output, errors] = [decodeBytes(stdout), decodeBytes(stderr)]
  if (retcode !== 0) {
    const shown = `Command '[${argv.map((word) => `'${word}'`).join(', ')}]' returned non-zero exit status ${retcode}.`
    const failed: Answer = new Map<string, Value>([
      ['Exitcode', retcode],
      ['Error', errors || shown],
    ])
    return output === '' ? failed : failed.set('Given JSON output', output)
  }
  const [first = '', ...rest] = output.replace(/\n$/, '').split('\n')
  if (first.endsWith('>>')) return new Map([['output', rest.join('\n')]])
  if (!first.endsWith('{')) return new Map([['output', output]])
  try {
    const answer = loadJson(['{', ...rest].join('\n')) as Answer
    for (const name of ['invocation', 'changed']) answer.delete(name)
    return answer
  } catch (error) {
    return new Map([
      ['Error', errors || (error as Error).message],
      ['Output', output],
    ])
  }
}
