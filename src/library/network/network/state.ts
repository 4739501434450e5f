// States of interfaces, routes and global network settings.
import { BrineError } from '../../../base/mod.ts'
import {
  equals,
  isDict,
  isList,
  PyError,
  splitLines,
  splitWords,
  str,
  truthy,
  unifiedDiff,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  defineState,
  outputOf,
  type Result,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

type Options = Map<string, Value>

interface Report {
  result: boolean | null
  comment: string
  changes: Record<string, Result>
}

const linesIn = (value: Value): string[] => {
  if (typeof value === 'string') return splitLines(value)
  return isList(value) ? value.map(str) : []
}

const difference = (old: Value, fresh: Value): string =>
  unifiedDiff(linesIn(old), linesIn(fresh), { lineEnd: '' }).join('\n')

/** Run a step; report settings that the module refuses as the comment. */
async function orComment(
  report: Report,
  run: () => Promise<void>,
  catches: (error: BrineError) => boolean,
): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    if (!(error instanceof BrineError) || !catches(error)) throw error
    Object.assign(report, { result: false, comment: error.message })
    return false
  }
}

const isMisuse = (error: BrineError): boolean => error instanceof PyError && error.code === 'AttributeError'

interface Compared {
  subject: string
  /** Key of the change, and its text for a new configuration. */
  key: string
  added: string
}

/** Compare the old and the new configuration, and report; return true if something changed. */
function compare(report: Report, dry: boolean, old: Value, fresh: Value, { subject, key, added }: Compared): boolean {
  const isNew = !truthy(old) && truthy(fresh)
  if (!isNew && equals(old, fresh)) return false
  if (dry) {
    report.result = null
    report.comment = isNew ? `${subject} set to be added.` : `${subject} set to be updated:\n${difference(old, fresh)}`
    return false
  }
  report.changes[key] = isNew ? added : difference(old, fresh)
  return true
}

/** Return whether an interface is up, or an address has its name as a label. */
async function isUp(ctx: StateContext, name: string): Promise<boolean> {
  const all = await ctx.call('network.interfaces')
  const own = all.get(name)
  if (own instanceof Map) return truthy(own.get('up') ?? false)
  const labelled = (list: Value | undefined): boolean =>
    list !== undefined && isList(list) && list.some((fact) => isDict(fact) && fact.get('label') === name)
  return [...all].some(([iface, facts]) => {
    if (!isDict(facts)) return false
    if (labelled(facts.get('secondary'))) return true
    return iface === 'lo' && ['inet', 'inet6'].some((family) => labelled(facts.get(family)))
  })
}

/** Start, stop or restart an interface. */
async function changeLink(
  ctx: StateContext,
  report: Report,
  name: string,
  type: string,
  enabled: boolean,
): Promise<boolean> {
  const wasUp = await isUp(ctx, name)
  const changed = Object.keys(report.changes).length > 0
  if (enabled && wasUp && changed) {
    await ctx.call('ip.down', [name, type])
    await ctx.call('ip.up', [name, type])
    report.changes['status'] = `Interface ${name} restart to validate`
  } else if (enabled && !wasUp) {
    await ctx.call('ip.up', [name, type])
    report.changes['status'] = `Interface ${name} is up`
  } else if (!enabled && wasUp) {
    await ctx.call('ip.down', [name, type])
    report.changes['status'] = `Interface ${name} down`
  }
  return wasUp
}

async function enslave(ctx: StateContext, report: Report, name: string, slaves: Value): Promise<void> {
  const current = splitWords(await outputOf(ctx, ['cat', `/sys/class/net/${name}/bonding/slaves`]))
  const wanted = isList(slaves) ? slaves.map(str) : splitWords(str(slaves))
  const missing = wanted.filter((slave) => !current.includes(slave))
  if (missing.length === 0 || ctx.grains.get('os_family') === 'Suse') return
  const program = await ctx.host.which('ifenslave')
  if (program === undefined) ctx.log('error', "Command 'ifenslave' not found")
  else await outputOf(ctx, [program, name, ...missing])
  report.changes['enslave'] = `Added slaves '${missing.join(' ')}' to master '${name}'`
}

interface Interface {
  name: string
  enabled: boolean
  type: string
  options: Options
  dry: boolean
}

/** Write the configuration; return true if it changed. */
async function configure(
  ctx: StateContext,
  report: Report,
  { name, enabled, type, options, dry }: Interface,
): Promise<boolean> {
  const old = await ctx.call('ip.get_interface', [name])
  const fresh = await ctx.call('ip.build_interface', [name, type, enabled], options)
  const words = { subject: `Interface ${name} is`, key: 'interface', added: 'Added network interface.' }
  let changed = compare(report, dry, old, fresh, words)
  if (changed) report.comment = `Interface ${name} ${truthy(old) ? 'updated' : 'added'}.`
  if (type !== 'bond' || !ctx.has('ip.get_bond')) return changed
  const before = await ctx.call('ip.get_bond', [name])
  const after = await ctx.call('ip.build_bond', [name], options)
  const bond = { subject: `Bond interface ${name} is`, key: 'bond', added: `Added bond ${name}.` }
  if (compare(report, dry, before, after, bond)) {
    report.comment = `Bond interface ${name} ${truthy(before) ? 'updated' : 'added'}.`
    changed = true
  }
  return changed
}

/** Restart the network service, which starts a range of interfaces. */
async function restartRange(ctx: StateContext, report: Report, changed: boolean): Promise<void> {
  if (!changed) Object.assign(report, { result: true, comment: 'no change, passing it' })
  else {
    const run = async (): Promise<void> => {
      report.result = truthy(await ctx.call('service.restart', ['network']))
      report.comment = 'network restarted for change of ranged interfaces'
    }
    await orComment(report, run, () => true)
  }
}

async function managed(ctx: StateContext, request: Interface, warnings: string[]): Promise<StateReturn> {
  const { name, enabled, type, options, dry } = request
  const report: Report = { result: true, comment: `Interface ${name} is up to date.`, changes: {} }
  const outcome = (): StateReturn => ({ name, ...report, ...(warnings.length > 0 ? { warnings } : {}) })
  let changed = false
  const configured = await orComment(
    report,
    async () => {
      changed = await configure(ctx, report, request)
    },
    isMisuse,
  )
  if (!configured || type === 'source' || dry) return outcome()
  if (name.includes('range')) {
    await restartRange(ctx, report, changed)
    return outcome()
  }
  let wasUp = false
  const changesLink = !options.has('noifupdown')
  const switched = await orComment(
    report,
    async () => {
      wasUp = changesLink ? await changeLink(ctx, report, name, type, enabled) : await isUp(ctx, name)
    },
    () => true,
  )
  if (!switched) return outcome()
  const slaves = options.get('slaves') ?? null
  if (type === 'bond' && changesLink && truthy(slaves)) await enslave(ctx, report, name, slaves)
  if (!enabled || !wasUp) await ctx.call('saltutil.refresh_grains')
  return outcome()
}

async function routes(ctx: StateContext, name: string, options: Options): Promise<StateReturn> {
  const report: Report = { result: true, comment: `Interface ${name} routes are up to date.`, changes: {} }
  const dry = truthy(options.get('test') ?? false)
  const run = async (): Promise<void> => {
    const old = await ctx.call('ip.get_routes', [name])
    const fresh = await ctx.call('ip.build_routes', [name], options)
    const subject = `Interface ${name} routes`
    const words = { subject: `${subject} are`, key: 'network_routes', added: `Added interface ${name} routes.` }
    if (!compare(report, dry, old, fresh, words)) return
    report.comment = `${subject} ${truthy(old) ? 'updated' : 'added'}.`
    await ctx.call('ip.apply_network_settings', [], options)
  }
  await orComment(report, run, isMisuse)
  return { name, ...report }
}

async function system(ctx: StateContext, name: string, options: Options): Promise<StateReturn> {
  const report: Report = { result: true, comment: 'Global network settings are up to date.', changes: {} }
  const run = async (): Promise<void> => {
    const old = await ctx.call('ip.get_network_settings')
    const fresh = await ctx.call('ip.build_network_settings', [], options)
    const subject = 'Global network settings are'
    const words = { subject, key: 'network_settings', added: 'Added global network settings.' }
    if (compare(report, ctx.test, old, fresh, words)) await ctx.call('ip.apply_network_settings', [], options)
  }
  await orComment(report, run, (error) => isMisuse(error) || (error instanceof PyError && error.code === 'KeyError'))
  return { name, ...report }
}

/** Rename `addr`, an old name of `hwaddr`, and warn. */
function renameAddress(options: Options, warnings: string[]): void {
  const address = options.get('addr')
  if (address === undefined) return
  options.delete('addr')
  const taken = options.has('hwaddr')
  if (!taken) options.set('hwaddr', address)
  const what = taken ? "it has been ignored in favor of 'hwaddr'." : "its value has been assigned to 'hwaddr' instead."
  warnings.push(`'addr' is not a valid argument name, ${what} Update your SLS file to get rid of this warning.`)
}

const kwargs = arg.open('Settings')

export default defineState({
  name: 'network',
  doc: 'Manage interfaces, routes and global network settings.',
  when: ({ grains }) =>
    grains.get('kernel') === 'Windows'
      ? 'Only supported on non-Windows OSs'
      : ['Debian', 'RedHat'].includes(str(grains.get('os_family') ?? '')) || 'ip module could not be loaded',
  functions: {
    managed: state({
      doc: 'Ensure that an interface is configured, and up or down.',
      args: {
        name: arg.string('Interface name'),
        enabled: arg.flag('Whether the interface is up', { default: true }),
        kwargs: arg.open('`type`, and the settings of the interface'),
      },
      run: (ctx, { name, enabled, kwargs }) => {
        const options: Options = new Map(kwargs)
        if (!options.has('test')) options.set('test', ctx.test)
        const type = str(options.get('type') ?? 'eth')
        options.delete('type')
        const warnings: string[] = []
        renameAddress(options, warnings)
        const dry = truthy(options.get('test')!)
        return managed(ctx, { name, enabled, type, options, dry }, warnings)
      },
    }),
    routes: state({
      doc: 'Ensure that an interface has routes.',
      args: { name: arg.string('Interface name'), kwargs },
      run: (ctx, { name, kwargs }) => routes(ctx, name, new Map([['test', ctx.test], ...kwargs])),
    }),
    system: state({
      doc: 'Ensure the global network settings.',
      args: { name: arg.string('Name of the state, used in reports'), kwargs },
      run: (ctx, { name, kwargs }) => system(ctx, name, new Map([...kwargs, ['test', ctx.test]])),
    }),
  },
})
