// The actions of salt-cloud for each combination of options. Actions that change machines are shown first and need a
// confirmation.
import type { Log } from '../../base/mod.ts'
import type { Cloud } from '../../cloud/mod.ts'
import { type Dict, SaltError, str } from '../../data/mod.ts'
import type { CloudOutcome, CloudPlan } from '../../sdk/mod.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Asking } from '../questions.ts'
import type { Streams } from '../streams.ts'
import { bootstrapRequest } from './bootstrap.ts'
import type { CloudOptions } from './cloud-options.ts'
import { keywordsIn } from './keywords.ts'

export interface WorkParts {
  cloud: Cloud
  options: CloudOptions
  streams: Streams
  questions: Asking
  log: Log
}

/** Return the data to print, if any, and whether something failed. */
export type CloudWork = (parts: WorkParts) => Promise<Partial<CloudOutcome> & { failed: boolean }>

const QUERIES = [
  ['query', 'list_nodes'],
  ['full_query', 'list_nodes_full'],
  ['select_query', 'list_nodes_select'],
] as const

const LISTINGS = ['locations', 'images', 'sizes'] as const

/** Return the action for the options; throw if they request none. */
export function workOf(options: CloudOptions): CloudWork {
  if (options.flag('list_providers')) {
    if (options.args.length > 0) throw new UsageError('--list-providers takes no arguments')
    return async ({ cloud }) => ({ value: cloud.providers(), failed: false })
  }
  const profiles = options.text('list_profiles')
  if (profiles !== undefined) return async ({ cloud }) => ({ value: cloud.profiles(profiles), failed: false })
  const query = QUERIES.find(([name]) => options.flag(name))
  if (query) return options.text('map') === undefined ? ({ cloud }) => cloud.query(query[1]) : mapQuery(query[1])
  for (const kind of LISTINGS) {
    const provider = options.text(`list_${kind}`)
    if (provider !== undefined) return ({ cloud }) => cloud.listing(kind, provider)
  }
  return changingWork(options)
}

function changingWork(options: CloudOptions): CloudWork {
  const map = options.text('map')
  if (options.flag('destroy') && (options.args.length > 0 || map !== undefined)) return destroy
  const action = options.text('action')
  if (action !== undefined) return act
  if (options.words('function').length > 0) return callFunction
  const profile = options.text('profile')
  if (profile !== undefined && options.args.length > 0) {
    return ({ cloud }) => cloud.profile(profile, options.args, { parallel: options.flag('parallel') })
  }
  if (map !== undefined) return applyMap
  if (options.text('bootstrap') !== undefined) {
    const { provider, id, settings } = bootstrapRequest(options)
    return ({ cloud }) => cloud.create(provider, [id], { overrides: settings })
  }
  throw new UsageError('Nothing was done. Using the proper arguments?')
}

/** Query, limited to the machines of a map. */
const mapQuery =
  (kind: 'list_nodes' | 'list_nodes_full' | 'list_nodes_select'): CloudWork =>
  async ({ cloud, options }) => {
    const plan = await cloud.plan(options.text('map')!, { isHard: false })
    const { value, failed } = await cloud.query(kind)
    const wanted = new Set([...plan.existing.keys(), ...plan.create.keys()])
    const shown: Dict = new Map()
    for (const [alias, drivers] of value as Dict) {
      const kept = new Map(
        [...(drivers as Dict)].map(([driver, nodes]) => [driver, onlyOf(nodes as Dict, wanted)] as const),
      )
      if ([...kept.values()].some((nodes) => nodes.size > 0)) shown.set(alias, kept as Dict)
    }
    for (const name of plan.create.keys()) shown.set(name, 'Absent')
    return { value: shown, failed }
  }

const onlyOf = (nodes: Dict, names: ReadonlySet<string>): Dict =>
  new Map([...nodes].filter(([name]) => names.has(str(name))))

const destroy: CloudWork = async (parts) => {
  const { cloud, options, streams } = parts
  const map = options.text('map')
  if (map !== undefined && options.args.length > 0) {
    throw new UsageError(`Supplying a mapfile, '${map}', in addition to instance names with --destroy is not supported`)
  }
  const names = map === undefined ? options.args : [...(await cloud.plan(map, { isHard: false })).existing.keys()]
  const found = await cloud.running(names)
  if (found.size === 0) {
    streams.out('No machines were found to be destroyed\n')
    return { failed: map === undefined }
  }
  let text = 'The following virtual machines are set to be destroyed:\n'
  for (const [alias, drivers] of found) {
    text += `  ${str(alias)}:\n`
    for (const [driver, nodes] of drivers as Dict) {
      text += `    ${str(driver)}:\n`
      for (const name of (nodes as Dict).keys()) text += `      ${str(name)}\n`
    }
  }
  if (!(await isConfirmed(parts, text))) return { failed: false }
  return cloud.destroy(names)
}

const act: CloudWork = async (parts) => {
  const { cloud, options } = parts
  const action = options.text('action')!
  const { names, kwargs } = keywordsIn(options.args)
  const map = options.text('map')
  const meant = map === undefined ? names : [...(await cloud.plan(map, { isHard: false })).existing.keys()]
  if (meant.length === 0) throw new UsageError(`Name the machines of the action '${action}'`)
  const text = `The following virtual machines are set to be actioned with "${action}":\n${meant.map((name) => `  ${name}\n`).join('')}`
  if (!(await isConfirmed(parts, text))) return { failed: false }
  return cloud.action(action, meant, kwargs)
}

const callFunction: CloudWork = ({ cloud, options }) => {
  const [fun = '', provider = ''] = options.words('function')
  const { names, kwargs } = keywordsIn(options.args)
  if (names.length > 0) {
    throw new UsageError(
      `Any arguments passed to --function need to be passed as kwargs. Ex: image=ami-54cf5c3d. Remaining arguments: ${names.join(' ')}`,
    )
  }
  return cloud.function(fun, provider, kwargs)
}

const applyMap: CloudWork = async (parts) => {
  const { cloud, options, streams } = parts
  const all = await cloud.plan(options.text('map')!, { isHard: options.flag('hard') })
  const plan = options.args.length === 0 ? all : onlyNamed(all, options.args)
  if (plan.create.size + plan.existing.size + plan.destroy.size === 0) {
    streams.err('No nodes defined in this map\n')
    return { failed: true }
  }
  if (plan.create.size + plan.destroy.size > 0 && !(await isConfirmed(parts, planText(plan)))) return { failed: false }
  return cloud.carryOut(plan, options.flag('parallel'))
}

function onlyNamed(plan: CloudPlan, names: readonly string[]): CloudPlan {
  const only = <T>(all: Map<string, T>): Map<string, T> => new Map([...all].filter(([name]) => names.includes(name)))
  return { create: only(plan.create), existing: only(plan.existing), destroy: only(plan.destroy) }
}

function planText({ create, existing, destroy }: CloudPlan): string {
  const part = (title: string, names: Iterable<string>): string => {
    const lines = [...names].map((name) => `  ${name}\n`)
    return lines.length === 0 ? '' : `The following virtual machines ${title}:\n${lines.join('')}`
  }
  const surplus = [...destroy].map(([name, where]) => `${name} (${where})`)
  return [
    part('already exist', existing.keys()),
    part('are set to be created', create.keys()),
    part('are set to be destroyed', surplus),
  ].join('')
}

async function isConfirmed({ options, streams, questions }: WorkParts, text: string): Promise<boolean> {
  if (options.flag('assume_yes')) return true
  streams.out(`${text}\n`)
  const answer = await questions.ask({ text: 'Proceed? [N/y] ', say: streams.out })
  if (answer === undefined) {
    streams.out('\n')
    throw new SaltError('SaltCloudSystemExit', 'Nothing was changed: the question got no answer. Use -y to ask nothing')
  }
  if (!/^y/i.test(answer)) return false
  streams.out('... proceeding\n')
  return true
}
