// Services of OpenRC, on Gentoo and Alpine: init scripts, and `rc-update` for their runlevels.
import { isList, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import { defineModule, type FunctionContext, isBootedWithSystemd, outputOf, ret, succeeds } from '../../../sdk/mod.ts'
import { action, listing, question, status, switching, switchQuestion } from './declare.ts'

/** Return all services with the runlevels that start them. */
async function runlevels(ctx: FunctionContext): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const line of splitLines(await outputOf(ctx, 'rc-update -v show'))) {
    const [name, levels] = line.split('|').map((part) => part.trim())
    if (levels !== undefined) found.set(name!, splitWords(levels).sort())
  }
  return found
}

async function enabledServices(ctx: FunctionContext): Promise<Map<string, string[]>> {
  return new Map([...(await runlevels(ctx))].filter(([, levels]) => levels.length > 0))
}

async function disabledServices(ctx: FunctionContext): Promise<string[]> {
  return [...(await runlevels(ctx))]
    .filter(([, levels]) => levels.length === 0)
    .map(([name]) => name)
    .sort()
}

const allNames = async (ctx: FunctionContext): Promise<string[]> => [...(await runlevels(ctx)).keys()]

const script = (ctx: FunctionContext, name: string, verb: string, quiet = false): Promise<boolean> =>
  succeeds(ctx, `/etc/init.d/${name} ${verb}`, { ignore_retcode: quiet })

const verb = (verb: 'start' | 'stop' | 'restart' | 'reload' | 'zap') =>
  action(verb, (ctx, name) => script(ctx, name, verb))

/** Return the runlevels of the keyword, or undefined. */
function wanted(kwargs: ReadonlyMap<string, Value>): string[] | undefined {
  const levels = kwargs.get('runlevels')
  if (levels === undefined) return undefined
  return isList(levels) ? levels.map(str) : [str(levels)]
}

const update = (ctx: FunctionContext, verb: 'add' | 'delete', name: string, levels: readonly string[] = []) =>
  succeeds(ctx, ['rc-update', verb, name, ...[...levels].sort()].join(' '))

async function enable(ctx: FunctionContext, name: string, kwargs: ReadonlyMap<string, Value>): Promise<boolean> {
  const levels = wanted(kwargs)
  if (levels === undefined) return update(ctx, 'add', name)
  const now = (await enabledServices(ctx)).get(name) ?? []
  const surplus = now.filter((level) => !levels.includes(level))
  const lacking = levels.filter((level) => !now.includes(level))
  if (surplus.length > 0 && !(await update(ctx, 'delete', name, surplus))) return false
  return lacking.length === 0 || update(ctx, 'add', name, lacking)
}

async function disable(ctx: FunctionContext, name: string, kwargs: ReadonlyMap<string, Value>): Promise<boolean> {
  const levels = wanted(kwargs)
  if (levels === undefined) return update(ctx, 'delete', name)
  const now = (await enabledServices(ctx)).get(name) ?? []
  const surplus = now.filter((level) => levels.includes(level))
  return surplus.length === 0 || update(ctx, 'delete', name, surplus)
}

const RUNLEVELS = ret.dict('Runlevels by service name')

export default defineModule({
  name: 'gentoo_service',
  doc: 'Manage services of OpenRC.',
  virtual: 'service',
  when: async ({ grains, host }) => {
    const os = grains.get('os')
    if (os === 'Alpine' || (os === 'Gentoo' && !(await isBootedWithSystemd(host)))) return true
    return 'The gentoo_service execution module cannot be loaded: only available on Gentoo/Open-RC systems.'
  },
  functions: {
    get_enabled: listing('get_enabled', async (ctx) => Object.fromEntries(await enabledServices(ctx)), RUNLEVELS),
    get_disabled: listing('get_disabled', disabledServices),
    available: question('available', async (ctx, name) => (await runlevels(ctx)).has(name)),
    missing: question('missing', async (ctx, name) => !(await runlevels(ctx)).has(name)),
    get_all: listing('get_all', async (ctx) => Object.fromEntries(await runlevels(ctx)), RUNLEVELS),
    start: verb('start'),
    stop: verb('stop'),
    restart: verb('restart'),
    reload: verb('reload'),
    zap: verb('zap'),
    status: status({ all: allNames, isRunning: (ctx, name) => script(ctx, name, 'status', true) }),
    enable: switching('enable', enable),
    disable: switching('disable', disable),
    enabled: switchQuestion('enabled', async (ctx, name, kwargs) => {
      const now = (await enabledServices(ctx)).get(name)
      return now !== undefined && (wanted(kwargs) ?? []).every((level) => now.includes(level))
    }),
    disabled: question('disabled', async (ctx, name) => (await disabledServices(ctx)).includes(name)),
  },
})
