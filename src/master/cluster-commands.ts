// What the functions of the runner `cluster` ask of the running master.
import type { Cluster } from '../cluster/mod.ts'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'

type Facts = () => Dict[]

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

/** Commands of the owner by name; without a cluster they answer with nothing. */
export function clusterCommands(cluster: Cluster | undefined): Record<string, Facts> {
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
  }
}
