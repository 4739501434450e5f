// Functions that configuration and reactor files call: schedules, mine functions, reactions.
import { join } from 'node:path'
import { rawOption, sourcesOf } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, textOf, type Value } from '../../data/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import { type FunctionKind, isFunctionName, isKnownFunction, nearName } from '../known-functions.ts'
import { readBounded } from '../site/read-bounded.ts'
import type { Site, SiteDaemon } from '../site/site.ts'
import { keysIn } from '../template/static-keys.ts'
import { checkText } from './templates.ts'

export const calls: Check = {
  name: 'configured calls',
  codes: ['function-missing', 'runner-missing', 'source-missing', 'template-invalid'],
  run: (site, ctx) => {
    for (const daemon of site.daemons) {
      if (!daemon.isConfigured) continue
      checkSchedule(daemon, site, ctx)
      checkMine(daemon, site, ctx)
      for (const file of reactorFiles(daemon.opts)) checkReactor(file, daemon, site, ctx)
    }
  },
}

function tell(
  kinds: readonly FunctionKind[],
  name: string,
  at: Place,
  what: string,
  site: Site,
  ctx: CheckContext,
): void {
  if (!isFunctionName(name) || kinds.some((kind) => isKnownFunction(kind, name, site))) return
  const code = kinds[0] === 'function' ? 'function-missing' : 'runner-missing'
  ctx.report(code, { message: `${what} calls '${name}', which is not there`, at, hint: nearName(kinds[0]!, name) })
}

type Place = { file?: string | undefined; line?: number | undefined } | undefined

function checkSchedule({ opts, role }: SiteDaemon, site: Site, ctx: CheckContext): void {
  const jobs = rawOption(opts, 'schedule')
  for (const [name, job] of isDict(jobs) ? jobs : []) {
    const fun = isDict(job) ? textOf(job.get('function') ?? null) : undefined
    const at = sourcesOf(opts).get('schedule')
    // a master schedules runners, and has execution functions besides
    const kinds: FunctionKind[] = role === 'master' ? ['runner', 'wheel', 'function'] : ['function']
    if (fun !== undefined) tell(kinds, fun, at, `The scheduled job '${str(name)}'`, site, ctx)
  }
}

function checkMine({ opts }: SiteDaemon, site: Site, ctx: CheckContext): void {
  const mine = rawOption(opts, 'mine_functions')
  for (const [name, settings] of isDict(mine) ? mine : []) {
    const parts = isList(settings) ? settings.filter(isDict) : isDict(settings) ? [settings] : []
    const other = parts.map((part) => part.get('mine_function')).find((fun) => fun !== undefined)
    tell(['function'], str(other ?? name), sourcesOf(opts).get('mine_functions'), 'mine_functions', site, ctx)
  }
}

function reactorFiles(opts: Dict): string[] {
  const rules = rawOption(opts, 'reactor')
  const files = (value: Value): Value[] => (isList(value) ? value : [value])
  const named = isList(rules) ? rules.filter(isDict).flatMap((rule) => [...rule.values()].flatMap(files)) : []
  return named.flatMap((file) => textOf(file) ?? [])
}

/**
 * The kind of function for the first word of a reaction; `caller` and `cmd` are other names for execution functions.
 */
const KINDS: Readonly<Record<string, FunctionKind>> = {
  local: 'function',
  tgt: 'function',
  cmd: 'function',
  caller: 'function',
  runner: 'runner',
  wheel: 'wheel',
}

function checkReactor(name: string, { opts }: SiteDaemon, site: Site, ctx: CheckContext): void {
  const at = sourcesOf(opts).get('reactor')
  const inTree = name.startsWith('salt://') ? site.states.find(name.slice('salt://'.length), 'base')?.file : undefined
  if (name.startsWith('salt://') && inTree === undefined) {
    if (!site.states.isPartial)
      ctx.report('source-missing', { message: `The reactor names ${name}, which is not there`, at })
    return
  }
  if (/[*?[]/.test(name)) return
  const file = inTree ?? join(site.request.root, name)
  const bytes = readBounded(file)
  if (typeof bytes === 'string') {
    ctx.report('source-missing', { message: `The reactor names ${name}: ${bytes}`, at })
    return
  }
  if (!ctx.enter(file)) return
  const text = bytes.toString('utf8')
  checkText(text, file, site, ctx)
  for (const { key, line } of keysIn(text)) {
    const [first = '', ...rest] = key.split('.')
    const kind = KINDS[first]
    if (kind === undefined || rest.length !== 2) continue
    tell([kind], rest.join('.'), { file, line }, 'A reaction', site, ctx)
  }
}
