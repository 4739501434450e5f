// The cluster as the master on this machine sees it.
import { type Dict, failure } from '../../../data/mod.ts'
import { defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

async function facts(ctx: MasterContext, name: string): Promise<readonly Dict[]> {
  const found = (await ctx.facts(name)) ?? []
  if (found.length === 0 && name !== 'cluster_leases')
    throw failure('This master is not one of a cluster: cluster_id is not set')
  return found
}

async function first(ctx: MasterContext, name: string): Promise<Dict> {
  return (await facts(ctx, name))[0]!
}

export default defineRunner({
  name: 'cluster',
  doc: 'Show the masters of a cluster, and take one out before it is stopped.',
  functions: {
    members: masterFn({
      doc: 'Return the masters of the cluster by address: whether each is alive, its id, version, and its place in the log.',
      examples: ['salt-run cluster.members'],
      run: async (ctx) =>
        new Map(
          (await facts(ctx, 'cluster_members')).map((member) => [
            member.get('address')!,
            new Map([...member].filter(([name]) => name !== 'address')),
          ]),
        ),
    }),
    health: masterFn({
      doc: 'Return whether this master reaches a majority of the cluster, and why it is not ready for requests.',
      examples: ['salt-run cluster.health'],
      run: (ctx) => first(ctx, 'cluster_health'),
    }),
    leases: masterFn({
      doc: 'Return the work that runs on one master at a time, each with the master that does it.',
      examples: ['salt-run cluster.leases'],
      run: async (ctx) =>
        new Map((await facts(ctx, 'cluster_leases')).map((lease) => [lease.get('name')!, lease.get('holder')!])),
    }),
    drain: masterFn({
      doc: 'Prepare this master for a stop: it gives up its leases and /readyz says that it is not ready. Minions stay connected.',
      examples: ['salt-run cluster.drain'],
      run: (ctx) => first(ctx, 'cluster_drain'),
    }),
    undrain: masterFn({
      doc: 'Let this master take part again after cluster.drain.',
      examples: ['salt-run cluster.undrain'],
      run: (ctx) => first(ctx, 'cluster_undrain'),
    }),
  },
})
