// States of SELinux: mode, booleans, modules and policies.
import { compareDicts, type Dict, isDict, str, truthy, tuple, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  chunkTag,
  defineState,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'
import { fileAbsent, fileApplied, filePresent, portAbsent, portPresent } from './state/policies.ts'

function modeOf(name: string): string | undefined {
  const text = name.toLowerCase()
  if (text.startsWith('e') || text === '1' || text === 'on') return 'Enforcing'
  if (text.startsWith('p') || text === '0' || text === 'off') return 'Permissive'
  return text.startsWith('d') ? 'Disabled' : undefined
}

async function mode(ctx: StateContext, name: string): Promise<StateReturn> {
  const wanted = modeOf(name)
  const report = reportOn(name)
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

/** Combine booleans of a dict, or of a list of names and dicts. */
function combined(into: Map<Value, Value>, value: Value, booleans: Value): Map<Value, Value> {
  for (const item of isDict(booleans) ? [booleans] : ((booleans ?? []) as Value[])) {
    if (isDict(item)) for (const [name, own] of item) into.set(name, own)
    else into.set(item, value)
  }
  return into
}

type BooleanRequest = Bound<typeof booleanArgs>

async function boolean(ctx: StateContext, { name, value, booleans, persist }: BooleanRequest): Promise<StateReturn> {
  const requested: Dict = truthy(booleans) ? combined(new Map(), value, booleans) : new Map([[name, value]])
  const known = await ctx.call('selinux.list_sebool')
  const [old, fresh, wanted]: [Dict, Dict, Dict] = [new Map(), new Map(), new Map()]
  const correct: string[] = []
  const report = reportOn(name)
  for (const [which, given] of requested) {
    const entry = known.get(which) as Dict | undefined
    if (entry === undefined) return report(false, `Boolean ${str(which)} is not available`)
    const aim = switched(given)
    if (aim === undefined) return report(false, `${str(given)} is not a valid value for the boolean ${str(which)}`)
    const [now, later] = [entry.get('State')!, entry.get('Default')!]
    if (now === aim && (later === aim || !persist)) {
      correct.push(str(which))
      continue
    }
    old.set(which, persist ? tuple([now, later]) : now)
    fresh.set(which, persist ? tuple([aim, aim]) : aim)
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
  return report(false, `Failed to set the following booleans: ${str(requested)}`)
}

const enabledOrNot = (value: Value): 'enabled' | 'disabled' | undefined => {
  const text = str(value).toLowerCase()
  if (['1', 'on', 'yes', 'true', 'enabled'].includes(text)) return 'enabled'
  return ['0', 'off', 'no', 'false', 'disabled'].includes(text) ? 'disabled' : undefined
}

async function moduleInstall(ctx: StateContext, name: string): Promise<StateReturn> {
  const report = reportOn(name)
  if (ctx.test) return report(null, `Module ${name} is set to be installed`)
  const done = truthy(await ctx.call('selinux.install_semod', [name]))
  return report(done, done ? `Module ${name} has been installed` : `Failed to install module ${name}`)
}

async function moduleRemove(ctx: StateContext, name: string): Promise<StateReturn> {
  const report = reportOn(name)
  const modules = await ctx.call('selinux.list_semod')
  if (!modules.has(name)) return report(false, `Module ${name} is not available`)
  if (ctx.test) return report(null, `Module ${name} is set to be removed`)
  const done = truthy(await ctx.call('selinux.remove_semod', [name]))
  return report(done, done ? `Module ${name} has been removed` : `Failed to remove module ${name}`)
}

type ModuleRequest = Bound<typeof moduleArgs>

async function module(ctx: StateContext, { name, module_state, version, opts }: ModuleRequest): Promise<StateReturn> {
  const report = reportOn(name)
  const flag = (key: string): boolean => truthy(opts.get(key) ?? false)
  if (flag('install') && flag('remove')) return report(false, 'Cannot install and remove at the same time')
  if (flag('remove')) return moduleRemove(ctx, name)
  if (flag('install')) {
    const installed = await moduleInstall(ctx, str(opts.get('source') ?? name))
    if (installed.result !== true) return installed
  }
  const entry = (await ctx.call('selinux.list_semod')).get(name) as Dict | undefined
  if (entry === undefined) return report(false, `Module ${name} is not available`)
  const wanted = enabledOrNot(module_state)
  if (wanted === undefined) {
    return report(false, `${module_state} is not a valid state for the ${name} module.`)
  }
  const installed = entry.get('Version') ?? null
  if (version !== 'any' && installed !== version) {
    const mismatch = `Module version is ${str(installed)} and does not match the desired version of ${version}`
    return report(false, `${mismatch} or you are using semodule >= 2.4`)
  }
  if (enabledOrNot(entry.get('Enabled')!) === wanted) {
    return report(true, `Module ${name} is in the desired state`)
  }
  if (ctx.test) return report(null, `Module ${name} is set to be toggled to ${module_state}`)
  const done = truthy(await ctx.call('selinux.setsemod', [name, wanted]))
  return report(
    done,
    done ? `Module ${name} has been set to ${module_state}` : `Failed to set the Module ${name} to ${module_state}`,
  )
}

/** Set booleans of later states with the same persistence in the same call. */
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

const name = arg.text('Mode: enforcing, permissive or disabled')
const file = {
  name: arg.string('File specification'),
  filetype: arg.text('Letter of the file type, such as f or d', { default: 'a' }),
  sel_type: arg.text('SELinux type', { optional: true }),
  sel_user: arg.text('SELinux user', { optional: true }),
  sel_level: arg.text('MLS range', { optional: true }),
}
const port = {
  name: arg.string('Protocol and port such as tcp/8080, or any name'),
  sel_type: arg.text('SELinux type', { optional: true }),
  protocol: arg.text('Protocol, if it is not in the name', { optional: true }),
  port: arg.text('Port, if it is not in the name', { optional: true }),
}

const booleanArgs = {
  name: arg.text('Boolean'),
  value: arg.any('on or off, as text, number or boolean', { optional: true }),
  booleans: arg.any('Booleans: a dict of values, or a list of names and dicts', { optional: true }),
  persist: arg.flag('Whether the value persists after a reboot', { default: false }),
}

const moduleArgs = {
  name: arg.text('Module'),
  module_state: arg.text('Enabled or Disabled', { default: 'Enabled' }),
  version: arg.text('Required version; `any` accepts all', { default: 'any' }),
  opts: arg.open('`install` with `source`, or `remove`'),
}

export default defineState({
  name: 'selinux',
  doc: 'Manage mode, booleans, modules and policies of SELinux.',
  when: async ({ host, grains }) => {
    const commands = await Promise.all(['semanage', 'setsebool', 'semodule'].map((command) => host.which(command)))
    return (grains.get('kernel') === 'Linux' && !commands.includes(undefined)) || 'selinux module could not be loaded'
  },
  functions: {
    mode: state({ doc: 'Ensure the mode of SELinux.', args: { name }, run: (ctx, args) => mode(ctx, args.name) }),
    boolean: state({ doc: 'Ensure the value of one or more booleans.', args: booleanArgs, run: boolean }),
    module: state({ doc: 'Ensure that a module is enabled or disabled.', args: moduleArgs, run: module }),
    module_install: state({
      doc: 'Ensure that a module is installed from a file.',
      args: { name: arg.text('Path of the module') },
      run: (ctx, args) => moduleInstall(ctx, args.name),
    }),
    module_remove: state({
      doc: 'Ensure that a module is removed.',
      args: { name: arg.text('Module') },
      run: (ctx, args) => moduleRemove(ctx, args.name),
    }),
    fcontext_policy_present: state({
      doc: 'Ensure that a file specification has a policy.',
      args: {
        name: file.name,
        sel_type: arg.text('SELinux type'),
        filetype: file.filetype,
        sel_user: file.sel_user,
        sel_level: file.sel_level,
      },
      run: filePresent,
    }),
    fcontext_policy_absent: state({
      doc: 'Ensure that a file specification has no policy.',
      args: file,
      run: fileAbsent,
    }),
    fcontext_policy_applied: state({
      doc: 'Ensure that files are labelled according to their policy.',
      args: {
        name: arg.string('Path'),
        recursive: arg.flag('Whether to include everything below the path', { default: false }),
      },
      run: (ctx, { name, recursive }) => fileApplied(ctx, name, recursive),
    }),
    port_policy_present: state({
      doc: 'Ensure that a port has a policy.',
      args: { ...port, sel_type: arg.text('SELinux type'), sel_range: arg.text('MLS range', { optional: true }) },
      run: portPresent,
    }),
    port_policy_absent: state({ doc: 'Ensure that a port has no policy.', args: port, run: portAbsent }),
  },
  modAggregate: (_ctx, low, chunks, running) => aggregate(low, chunks, running),
})
