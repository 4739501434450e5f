// Web pages that do not answer as expected.
import { type Dict, isDict, isList, numberOf, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption } from '../../../sdk/mod.ts'

function validate(config: Dict): string | undefined {
  if (!config.has('sites')) return 'Configuration for http_status beacon must contain sites option.'
  for (const options of dictOption(config, 'sites').values()) {
    if (!isDict(options) || !options.has('url')) return 'Configuration for http_status beacon sites must contain url.'
  }
  return isDict(config.get('sites')!) ? undefined : 'Sites for http_status beacon must be a dictionary.'
}

/** Options that are passed to `http.query`. */
const OF_QUERY = ['method', 'header_dict', 'username', 'password', 'verify_ssl', 'ca_bundle']

async function answerOf(ctx: BeaconContext, options: Dict): Promise<Dict> {
  const wanted: Record<string, Value> = { status: true, text: true, timeout: options.get('timeout') ?? 30 }
  for (const name of OF_QUERY) if (options.has(name)) wanted[name] = options.get(name)!
  try {
    const answer = await ctx.call('http.query', [options.get('url')!], wanted)
    return isDict(answer) ? answer : new Map()
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return new Map([['error', error.message]])
  }
}

function problemsOf(options: Dict, answer: Dict): Value[] {
  const accepted = options.get('status') ?? 200
  const codes = (isList(accepted) ? [...accepted] : [accepted]).map((code) => numberOf(code))
  const status = answer.get('status') ?? null
  const problems: Value[] = []
  if (status === null || !codes.includes(numberOf(status))) problems.push(`status is ${str(status)}`)
  const content = options.get('content') ?? null
  if (truthy(content) && !str(answer.get('text') ?? answer.get('body') ?? '').includes(str(content))) {
    problems.push('content is missing')
  }
  return problems
}

export default defineBeacon({
  name: 'http_status',
  doc: 'Report web pages whose status is not `status` (a code or a list, default 200), or that lack the text `content`. Each entry of `sites` has a `url`, and may have `timeout`, `method`, `header_dict`, `username`, `password`, `verify_ssl` and `ca_bundle`.',
  when: (ctx) => ctx.has('http.query') || 'http.query is missing.',
  validate,
  beacon: async (ctx, config) => {
    const reports: Dict[] = []
    for (const [name, options] of dictOption(config, 'sites')) {
      if (!isDict(options)) continue
      const answer = await answerOf(ctx, options)
      const problems = problemsOf(options, answer)
      if (problems.length === 0) continue
      reports.push(
        new Map<Value, Value>([
          ['tag', str(name)],
          ['url', options.get('url')!],
          ['status', answer.get('status') ?? null],
          ['error', answer.get('error') ?? null],
          ['problems', problems],
        ]),
      )
    }
    return reports
  },
})
