// What each combination of options of salt-cloud does. What changes machines is shown first, and asked about.
import type { Log } from '../../base/mod.ts'
import type { Cloud } from '../../cloud/mod.ts'
import { type Dict, SaltError, str } from '../../data/mod.ts'
import type { CloudOutcome, CloudPlan } from '../../sdk/mod.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Asking } from '../questions.ts'
import type { Streams } from '../streams.ts'
import { bootstrapRequest } from './bootstrap.ts'
import { keywordsIn } from './keywords.ts'
import type { CloudWish } from './wish.ts'

export interface WorkParts {
  cloud: Cloud
  wish: CloudWish
  streams: Streams
  questions: Asking
  log: Log
}

/** What is printed, if anything is, and whether something failed. */
export type CloudWork = (parts: WorkParts) => Promise<Partial<CloudOutcome> & { failed: boolean }>

const QUERIES = [
  ['query', 'list_nodes'],
  ['full_query', 'list_nodes_full'],
  ['select_query', 'list_nodes_select'],
] as const

const LISTINGS = ['locations', 'images', 'sizes'] as const

/** Return what the options ask for; throw where they ask for nothing. */
export function workOf(wish: CloudWish): CloudWork {
  if (wish.flag('list_providers')) {
    if (wish.args.length > 0) throw new UsageError('--list-providers takes no arguments')
    return async ({ cloud }) => ({ value: cloud.providers(), failed: false })
  }
  const profiles = wish.text('list_profiles')
  if (profiles !== undefined) return async ({ cloud }) => ({ value: cloud.profiles(profiles), failed: false })
  const query = QUERIES.find(([name]) => wish.flag(name))
  if (query) return wish.text('map') === undefined ? ({ cloud }) => cloud.query(query[1]) : mapQuery(query[1])
  for (const kind of LISTINGS) {
    const provider = wish.text(`list_${kind}`)
    if (provider !== undefined) return ({ cloud }) => cloud.listing(kind, provider)
  }
  return changingWork(wish)
}

function changingWork(wish: CloudWish): CloudWork {
  const map = wish.text('map')
  if (wish.flag('destroy') && (wish.args.length > 0 || map !== undefined)) return destroy
  const action = wish.text('action')
  if (action !== undefined) return act
  if (wish.words('function').length > 0) return callFunction
  const profile = wish.text('profile')
  if (profile !== undefined && wish.args.length > 0) {
    return ({ cloud }) => cloud.profile(profile, wish.args, { parallel: wish.flag('parallel') })
  }
  if (map !== undefined) return applyMap
  if (wish.text('bootstrap') !== undefined) {
    const { provider, id, settings } = bootstrapRequest(wish)
    return ({ cloud }) => cloud.create(provider, [id], { overrides: settings })
  }
  throw new UsageError('Nothing was done. Using the proper arguments?')
}

/** Machines of a map among those of a query. */
const mapQuery =
  (kind: 'list_nodes' | 'list_nodes_full' | 'list_nodes_select'): CloudWork =>
  async ({ cloud, wish }) => {
    const plan = await cloud.plan(wish.text('map')!, { isHard: false })
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
  const { cloud, wish, streams } = parts
  const map = wish.text('map')
  if (map !== undefined && wish.args.length > 0) {
    throw new UsageError(`Supplying a mapfile, '${map}', in addition to instance names with --destroy is not supported`)
  }
  const names = map === undefined ? wish.args : [...(await cloud.plan(map, { isHard: false })).existing.keys()]
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
  const { cloud, wish } = parts
  const action = wish.text('action')!
  const { names, kwargs } = keywordsIn(wish.args)
  const map = wish.text('map')
  const meant = map === undefined ? names : [...(await cloud.plan(map, { isHard: false })).existing.keys()]
  if (meant.length === 0) throw new UsageError(`Name the machines of the action '${action}'`)
  const text = `The following virtual machines are set to be actioned with "${action}":\n${meant.map((name) => `  ${name}\n`).join('')}`
  if (!(await isConfirmed(parts, text))) return { failed: false }
  return cloud.action(action, meant, kwargs)
}

const callFunction: CloudWork = ({ cloud, wish }) => {
  const [fun = '', provider = ''] = wish.words('function')
  const { names, kwargs } = keywordsIn(wish.args)
  if (names.length > 0) {
    throw new UsageError(
      `Any arguments passed to --function need to be passed as kwargs. Ex: image=ami-54cf5c3d. Remaining arguments: ${names.join(' ')}`,
    )
  }
  return cloud.function(fun, provider, kwargs)
}

const applyMap: CloudWork = async (parts) => {
  const { cloud, wish, streams } = parts
  const all = await cloud.plan(wish.text('map')!, { isHard: wish.flag('hard') })
  const plan = wish.args.length === 0 ? all : onlyNamed(all, wish.args)
  if (plan.create.size + plan.existing.size + plan.destroy.size === 0) {
    streams.err('No nodes defined in this map\n')
    return { failed: true }
  }
  if (plan.create.size + plan.destroy.size > 0 && !(await isConfirmed(parts, planText(plan)))) return { failed: false }
  return cloud.carryOut(plan, wish.flag('parallel'))
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

async function isConfirmed({ wish, streams, questions }: WorkParts, text: string): Promise<boolean> {
  if (wish.flag('assume_yes')) return true
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
