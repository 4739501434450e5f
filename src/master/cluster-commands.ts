// The operations of the running master for functions of the runner `cluster`.
import type { Cluster } from '../cluster/mod.ts'
import { type Dict, dictFrom, isDict, str, type Value } from '../data/mod.ts'
import type { MasterStores } from '../sdk/mod.ts'
import { isAnswerKey, isSessionKey, SESSION_BANK } from '../store/mod.ts'
import type { SharedRuns } from './shared-runs.ts'

type Facts = () => Dict[]

/** A command for programs of the master's owner. */
export type OwnersCommand = (load: Dict) => unknown

function members(cluster: Cluster): Dict[] {
  const known = new Map((cluster.membership?.members() ?? []).map((member) => [member.name, member]))
  return cluster.settings.members.map((address) => {
    const member = known.get(address.replaceAll(/[^\w-]/g, '_'))
    const { facts = new Map<Value, Value>() } = member ?? {}
    return dictFrom({
      address,
      alive: member?.isAlive ?? false,
      own: address === cluster.settings.address,
      id: facts.get('id') ?? null,
      version: facts.get('version') ?? null,
      draining: facts.get('draining') ?? false,
      place: facts.get('place') ?? null,
    })
  })
}

function health(cluster: Cluster): Dict {
  const all = members(cluster)
  return dictFrom({
    cluster: cluster.settings.name,
    member: cluster.settings.address,
    quorum: cluster.hasQuorum,
    problem: cluster.problem() ?? null,
    alive: all.filter((member) => member.get('alive') === true).length,
    members: all.length,
    place: cluster.logPlace,
    server: cluster.serverText,
  })
}

/** Store or remove the record of a session of the REST API, which `salt-api` beside this master made. */
async function noteSession(stores: Pick<MasterStores, 'cache' | 'settled'>, load: Dict): Promise<boolean> {
  const name = str(load.get('name') ?? '')
  if (!isSessionKey(name)) return false
  const bank = stores.cache.bank(SESSION_BANK)
  const record = load.get('record') ?? null
  if (record === null) bank.flush(name)
  else bank.store(name, record)
  await stores.settled()
  return true
}

/** Claim, store or remove the answer to a request with an `Idempotency-Key`, for `salt-api` beside this master. */
async function noteAnswer(cluster: Cluster | undefined, load: Dict): Promise<Dict> {
  const [name = '', what = ''] = ['name', 'what'].map((field) => str(load.get(field) ?? ''))
  const record = load.get('record') ?? null
  if (!cluster || !isAnswerKey(name)) return dictFrom({ done: false })
  const { claims } = cluster
  if (what === 'remove') await claims.remove(name)
  else if (!isDict(record)) return dictFrom({ done: false })
  else if (what === 'claim') return dictFrom({ done: true, there: (await claims.claim(name, record)) ?? null })
  else if (what === 'store') await claims.store(name, record)
  else return dictFrom({ done: false })
  return dictFrom({ done: true })
}

/** The owner's commands by name; without a cluster, those about it return nothing. */
export function clusterCommands(
  cluster: Cluster | undefined,
  stores: MasterStores,
  runs?: SharedRuns,
): Record<string, OwnersCommand> {
  const facts =
    (read: (cluster: Cluster) => Dict[]): Facts =>
    () =>
      cluster ? read(cluster) : []
  const draining = (isDraining: boolean): Facts =>
    facts((each) => {
      each.drain(isDraining)
      return [health(each)]
    })
  return {
    cluster_members: facts(members),
    cluster_health: facts((each) => [health(each)]),
    cluster_leases: facts((each) =>
      (each.membership?.leases() ?? []).map(({ name, holder }) => dictFrom({ name, holder })),
    ),
    cluster_drain: draining(true),
    cluster_undrain: draining(false),
    orchestration_change: (load) => runs?.change(load.get('change') ?? null) ?? false,
    note_session: (load) => noteSession(stores, load),
    note_answer: (load) => noteAnswer(cluster, load),
  }
}
