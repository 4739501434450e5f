// Users' own outputters: files with a function `output`, selected by name like built-in ones. Data that such an
// outputter cannot show is shown as by `nested`.
import { type Log, silentLog, toError } from '../base/mod.ts'
import { type Dict, isDict, str, textOf, type Value } from '../data/mod.ts'
import { type DisplayCall, display, outputters, selectOutputter } from '../output/mod.ts'
import { answersOf, mayHaveModules, type Scope } from '../python/mod.ts'
import { userPlugins } from './plugins.ts'

const scopeOf = (opts: Dict, log: Log): Scope => {
  const grains = opts.get('grains')
  return {
    opts,
    grains: grains !== undefined && isDict(grains) ? grains : new Map(),
    pillar: new Map(),
    memory: new Map(),
    log,
    answers: answersOf(
      {},
      { output: ([data, out]) => display(str(out!), data!, new Map([...opts, ['output', str(out!)]])) },
    ),
  }
}

/** Return the text for the data, by users' own outputters or built-in ones. */
export async function displayed(out: string | null, data: Value, opts: Dict, call: DisplayCall = {}): Promise<string> {
  if (!mayHaveModules(opts, 'output')) return display(out, data, opts, call)
  const { kwargs = new Map(), log = silentLog } = call
  const scope = scopeOf(opts, log)
  const name = selectOutputter(out, opts)
  const plugin = (await userPlugins(scope, 'output', [name], [...outputters.keys()])).get(name)
  if (!plugin?.has('output')) return display(out, data, opts, call)
  const wanted = new Set(plugin.parameters('output'))
  const takesAll = wanted.has('kwargs')
  try {
    const given: Dict = new Map([...kwargs].filter(([key]) => takesAll || wanted.has(str(key))))
    const text = await plugin.call(scope, 'output', [data], given)
    return (textOf(text) ?? str(text)).trimEnd()
  } catch (error) {
    log('error', `The outputter ${name} failed: ${toError(error).message}`)
    return display('nested', data, new Map([...opts, ['output', null]]), call)
  }
}
