// SELinux is in a mode; its booleans, modules and policies are as described.
import { compareDicts, type Dict, isDict, str, truthy, tuple, type Value } from '../../../data/mod.ts'
import { arg, chunkTag, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { fileAbsent, fileApplied, filePresent, portAbsent, portPresent } from './state/policies.ts'

function modeOf(wish: string): string | undefined {
  const text = wish.toLowerCase()
  if (text.startsWith('e') || text === '1' || text === 'on') return 'Enforcing'
  if (text.startsWith('p') || text === '0' || text === 'off') return 'Permissive'
  return text.startsWith('d') ? 'Disabled' : undefined
}

async function mode(ctx: StateContext, name: string): Promise<StateReturn> {
  const wanted = modeOf(name)
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  if (wanted === undefined) return report(false, `${name} is not an accepted mode`)
  const config = await ctx.call('selinux.getconfig')
  const now = await ctx.call('selinux.getenforce')
  const current = now === wanted ? config : now
  if (current === wanted) return report(true, `SELinux is already in ${wanted} mode`)
  if (ctx.test) {
    return report(null, `SELinux mode is set to be changed to ${wanted}`, { old: current, new: wanted })
  }
  const fresh = await ctx.call('selinux.setenforce', [wanted])
  const settled = fresh === wanted || (wanted === 'Disabled' && (await ctx.call('selinux.getconfig')) === wanted)
  if (!settled) return report(false, `Failed to set SELinux to ${wanted} mode`)
  return report(true, `SELinux has been set to ${wanted} mode`, { old: current, new: fresh })
}

const switched = (value: Value): 'on' | 'off' | undefined => {
  const text = str(value).toLowerCase()
  if (['1', 'on', 'yes', 'true'].includes(text)) return 'on'
  return ['0', 'off', 'no', 'false'].includes(text) ? 'off' : undefined
}

/** Booleans written as a dict, or as a list of names and dicts. */
function combined(into: Map<Value, Value>, value: Value, booleans: Value): Map<Value, Value> {
  for (const item of isDict(booleans) ? [booleans] : ((booleans ?? []) as Value[])) {
    if (isDict(item)) for (const [name, wish] of item) into.set(name, wish)
    else into.set(item, value)
  }
  return into
}

interface BooleanWish {
  name: Value
  value: Value
  booleans: Value
  persist: Value
}

async function boolean(ctx: StateContext, { name, value, booleans, persist }: BooleanWish): Promise<StateReturn> {
  const wishes = truthy(booleans) ? combined(new Map(), value, booleans) : new Map([[name, value]])
  const known = await ctx.call('selinux.list_sebool')
  const [old, fresh, wanted]: [Dict, Dict, Dict] = [new Map(), new Map(), new Map()]
  const correct: string[] = []
  const report = (result: boolean | null, comment: string, changes: Dict = new Map()): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  for (const [which, wish] of wishes) {
    const entry = known.get(which) as Dict | undefined
    if (entry === undefined) return report(false, `Boolean ${str(which)} is not available`)
    const aim = switched(wish)
    if (aim === undefined) return report(false, `${str(wish)} is not a valid value for the boolean ${str(which)}`)
    const [now, later] = [entry.get('State')!, entry.get('Default')!]
    if (now === aim && (later === aim || !truthy(persist))) {
      correct.push(str(which))
      continue
    }
    old.set(which, truthy(persist) ? tuple([now, later]) : now)
    fresh.set(which, truthy(persist) ? tuple([aim, aim]) : aim)
    wanted.set(which, aim)
  }
  const listed = (verb: string, names: Iterable<Value>): string =>
    `The following booleans ${verb}: ${[...names].map(str).sort().join(', ')}`
  const comments = correct.length > 0 ? [listed('were in the correct state', correct)] : []
  if (wanted.size === 0) return report(true, comments.join('\n'))
  const changes = compareDicts(old, fresh)
  if (ctx.test) return report(null, [...comments, listed('would be changed', wanted.keys())].join('\n'), changes)
  if (truthy(await ctx.call('selinux.setsebools', [wanted, persist]))) {
    return report(true, [...comments, listed('have been changed', wanted.keys())].join('\n'), changes)
  }
  return report(false, `Failed to set the following booleans: ${str(wishes)}`)
}

const enabledOrNot = (value: Value): 'enabled' | 'disabled' | undefined => {
  const text = str(value).toLowerCase()
  if (['1', 'on', 'yes', 'true', 'enabled'].includes(text)) return 'enabled'
  return ['0', 'off', 'no', 'false', 'disabled'].includes(text) ? 'disabled' : undefined
}

const told = (name: Value, result: boolean | null, comment: string): StateReturn => ({
  name,
  changes: {},
  result,
  comment,
})

async function moduleInstall(ctx: StateContext, name: Value): Promise<StateReturn> {
  if (ctx.test) return told(name, null, `Module ${str(name)} is set to be installed`)
  const done = truthy(await ctx.call('selinux.install_semod', [name]))
  return told(name, done, done ? `Module ${str(name)} has been installed` : `Failed to install module ${str(name)}`)
}

async function moduleRemove(ctx: StateContext, name: Value): Promise<StateReturn> {
  const modules = await ctx.call('selinux.list_semod')
  if (!modules.has(name)) return told(name, false, `Module ${str(name)} is not available`)
  if (ctx.test) return told(name, null, `Module ${str(name)} is set to be removed`)
  const done = truthy(await ctx.call('selinux.remove_semod', [name]))
  return told(name, done, done ? `Module ${str(name)} has been removed` : `Failed to remove module ${str(name)}`)
}

interface ModuleWish {
  name: Value
  module_state: Value
  version: Value
  opts: ReadonlyMap<string, Value>
}

async function module(ctx: StateContext, { name, module_state, version, opts }: ModuleWish): Promise<StateReturn> {
  const flag = (key: string): boolean => truthy(opts.get(key) ?? false)
  if (flag('install') && flag('remove')) return told(name, false, 'Cannot install and remove at the same time')
  if (flag('remove')) return moduleRemove(ctx, name)
  if (flag('install')) {
    const installed = await moduleInstall(ctx, opts.get('source') ?? name)
    if (installed.result !== true) return installed
  }
  const entry = (await ctx.call('selinux.list_semod')).get(name) as Dict | undefined
  if (entry === undefined) return told(name, false, `Module ${str(name)} is not available`)
  const wanted = enabledOrNot(module_state)
  if (wanted === undefined) {
    return told(name, false, `${str(module_state)} is not a valid state for the ${str(name)} module.`)
  }
  const installed = entry.get('Version') ?? null
  if (version !== 'any' && installed !== version) {
    const mismatch = `Module version is ${str(installed)} and does not match the desired version of ${str(version)}`
    return told(name, false, `${mismatch} or you are using semodule >= 2.4`)
  }
  if (enabledOrNot(entry.get('Enabled')!) === wanted) {
    return told(name, true, `Module ${str(name)} is in the desired state`)
  }
  const aim = str(module_state)
  if (ctx.test) return told(name, null, `Module ${str(name)} is set to be toggled to ${aim}`)
  const done = truthy(await ctx.call('selinux.setsemod', [name, wanted]))
  return told(
    name,
    done,
    done ? `Module ${str(name)} has been set to ${aim}` : `Failed to set the Module ${str(name)} to ${aim}`,
  )
}

/** Booleans of later states with the same persistence are set in the same call. */
function aggregate(low: Dict, chunks: readonly Dict[], running: Dict): Dict {
  if (low.get('fun') !== 'boolean') return low
  const later = new Map<Value, Value>()
  for (const chunk of chunks) {
    if (running.has(chunkTag(chunk)) || chunk.get('state') !== 'selinux' || chunk.has('__agg__')) continue
    if (chunk.get('fun') !== 'boolean' || (chunk.get('persist') ?? null) !== (low.get('persist') ?? null)) continue
    combined(later, chunk.get('value') ?? null, chunk.get('booleans') ?? [chunk.get('name') ?? null])
    chunk.set('__agg__', true)
  }
  if (later.size === 0) return low
  const own = combined(new Map(), low.get('value') ?? null, low.get('booleans') ?? [low.get('name') ?? null])
  return low.set('booleans', new Map([...own, ...later]))
}

const name = arg.text('The name')
const optional = (doc: string) => arg.any(doc, { optional: true })
const file = {
  name: arg.string('The file specification'),
  filetype: arg.text('The kind of file, by its letter', { default: 'a' }),
  sel_type: optional('The SELinux type'),
  sel_user: optional('The SELinux user'),
  sel_level: optional('The MLS range'),
}
const port = {
  name: arg.string('Protocol and port, as tcp/8080, or any name'),
  sel_type: optional('The SELinux type'),
  protocol: optional('The protocol, when it is not in the name'),
  port: optional('The port, when it is not in the name'),
}

export default defineState({
  name: 'selinux',
  doc: 'Mode, booleans, modules and policies of SELinux.',
  when: async ({ host, grains }) => {
    const commands = await Promise.all(['semanage', 'setsebool', 'semodule'].map((command) => host.which(command)))
    return (grains.get('kernel') === 'Linux' && !commands.includes(undefined)) || 'selinux module could not be loaded'
  },
  functions: {
    mode: state({ doc: 'SELinux is in a mode.', args: { name }, run: (ctx, args) => mode(ctx, args.name) }),
    boolean: state({
      doc: 'A boolean, or several, have a value.',
      args: {
        name: arg.any('The boolean'),
        value: optional('on or off'),
        booleans: optional('Several booleans, with values of their own or with the one given'),
        persist: arg.flag('Whether it stays after a restart', { default: false }),
      },
      run: boolean,
    }),
    module: state({
      doc: 'A module is enabled or disabled.',
      args: {
        name: arg.any('The module'),
        module_state: arg.text('Enabled or Disabled', { default: 'Enabled' }),
        version: arg.any('The version it must have', { default: 'any' }),
        opts: arg.open('`install` with `source`, or `remove`'),
      },
      run: module,
    }),
    module_install: state({
      doc: 'A module is installed from a file.',
      args: { name: arg.text('The file') },
      run: (ctx, args) => moduleInstall(ctx, args.name),
    }),
    module_remove: state({
      doc: 'A module is removed.',
      args: { name: arg.any('The module') },
      run: (ctx, args) => moduleRemove(ctx, args.name),
    }),
    fcontext_policy_present: state({
      doc: 'A file specification has a policy.',
      args: {
        name: file.name,
        sel_type: arg.any('The SELinux type'),
        filetype: file.filetype,
        sel_user: file.sel_user,
        sel_level: file.sel_level,
      },
      run: filePresent,
    }),
    fcontext_policy_absent: state({ doc: 'A file specification has no policy.', args: file, run: fileAbsent }),
    fcontext_policy_applied: state({
      doc: 'Files are labelled as their policy says.',
      args: { name: arg.string('The path'), recursive: arg.flag('With all below it', { default: false }) },
      run: (ctx, { name, recursive }) => fileApplied(ctx, name, recursive),
    }),
    port_policy_present: state({
      doc: 'A port has a policy.',
      args: { ...port, sel_type: arg.any('The SELinux type'), sel_range: optional('The MLS range') },
      run: portPresent,
    }),
    port_policy_absent: state({ doc: 'A port has no policy.', args: port, run: portAbsent }),
  },
  modAggregate: (_ctx, low, chunks, running) => aggregate(low, chunks, running),
})
