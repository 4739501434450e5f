// Clusters of a Debian system: servers with a version, a name and a port of their own.
import { type Dict, equals, str, truthy } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { type Given, optional, report } from './state/connection.ts'

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const cluster = `${str(given['version']!)}/${name}`
  const found = (await ctx.call('postgres.cluster_list', [], { verbose: true })) as Dict
  const facts = found.get(cluster) as Dict | undefined
  if (facts) {
    const differs = ['port', 'datadir'].some((fact) => {
      const wish = given[fact] ?? null
      return truthy(wish) && !equals(wish, facts.get(fact)!)
    })
    if (!differs) return report(name, `Cluster ${cluster} is already present`)
    return report(name, `Cluster ${cluster} has wrong parameters which couldn't be changed on fly.`, false)
  }
  if (ctx.test) return report(name, `Cluster ${cluster} is set to be created`, null)
  if (truthy(await ctx.call('postgres.cluster_create', [], given))) {
    return report(name, `The cluster ${cluster} has been created`, true, { [cluster]: 'Present' })
  }
  return report(name, `Failed to create cluster ${cluster}`, false)
}

async function absent(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { version = null } = given
  const name = str(given['name']!)
  const cluster = `${str(version)}/${name}`
  if (truthy(await ctx.call('postgres.cluster_exists', [version, name]))) {
    if (ctx.test) return report(name, `Cluster ${cluster} is set to be removed`, null)
    if (truthy(await ctx.call('postgres.cluster_remove', [version, name, true]))) {
      return report(name, `Cluster ${cluster} has been removed`, true, { [name]: 'Absent' })
    }
  }
  return report(name, `Cluster ${cluster} is not present, so it cannot be removed`)
}

const cluster = { version: arg.any('The version of the server'), name: arg.any('The name of the cluster') }

export default defineState({
  name: 'postgres_cluster',
  doc: 'Keep clusters of PostgreSQL on Debian systems.',
  when: async ({ host }) =>
    (await host.which('pg_createcluster')) !== undefined ||
    'Unable to load postgres module.  Make sure `postgres.bins_dir` is set.',
  functions: {
    present: state({
      doc: 'A cluster is there.',
      args: {
        ...cluster,
        port: optional('Its port'),
        encoding: optional('The encoding of characters'),
        locale: optional('The locale'),
        datadir: optional('Where its files are'),
        allow_group_access: optional('Whether the group may read the files'),
        data_checksums: optional('Whether pages have checksums'),
        wal_segsize: optional('The size of segments of the write-ahead log'),
      },
      run: (ctx, given) => present(ctx, given as Given),
    }),
    absent: state({
      doc: 'A cluster is not there.',
      args: cluster,
      run: (ctx, given) => absent(ctx, given as Given),
    }),
  },
})
