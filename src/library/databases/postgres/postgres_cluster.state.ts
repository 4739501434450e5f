// Clusters of a Debian system: servers, each with a version, a name and a port.
import { equals, isDict, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

interface Cluster {
  version: string
  name: string
  port: Value
  datadir: string | null
  [option: string]: Value
}

function present(ctx: StateContext, given: Cluster): Promise<StateReturn> {
  const { name, port, datadir } = given
  const cluster = `${given.version}/${name}`
  return ensure(ctx, {
    name,
    look: async () => {
      const found: Value = await ctx.call('postgres.cluster_list', [], { verbose: true })
      const facts = isDict(found) ? (found.get(cluster) ?? null) : null
      if (!isDict(facts)) return 'missing'
      const differs = (wanted: Value, fact: string) => truthy(wanted) && !equals(wanted, facts.get(fact) ?? null)
      if (differs(port, 'port') || differs(datadir, 'datadir')) {
        return failed(`Cluster ${cluster} has wrong parameters which couldn't be changed on fly.`)
      }
      return settled(`Cluster ${cluster} is already present`)
    },
    foresee: () => `Cluster ${cluster} is set to be created`,
    act: async () => {
      if (!truthy(await ctx.call('postgres.cluster_create', [], given))) {
        return failed(`Failed to create cluster ${cluster}`)
      }
      return changed(`The cluster ${cluster} has been created`, { [cluster]: 'Present' })
    },
  })
}

function absent(ctx: StateContext, version: string, name: string): Promise<StateReturn> {
  const cluster = `${version}/${name}`
  const missing = settled(`Cluster ${cluster} is not present, so it cannot be removed`)
  return ensure(ctx, {
    name,
    look: async () => (truthy(await ctx.call('postgres.cluster_exists', [version, name])) ? 'there' : missing),
    foresee: () => `Cluster ${cluster} is set to be removed`,
    act: async () => {
      if (!truthy(await ctx.call('postgres.cluster_remove', [version, name, true]))) return missing
      return changed(`Cluster ${cluster} has been removed`, { [name]: 'Absent' })
    },
  })
}

const cluster = { version: arg.text('Version of the server'), name: arg.text('Name of the cluster') }

export default defineState({
  name: 'postgres_cluster',
  doc: 'Manage clusters of PostgreSQL on Debian systems.',
  when: async ({ host }) =>
    (await host.which('pg_createcluster')) !== undefined ||
    'Unable to load postgres module.  Make sure `postgres.bins_dir` is set.',
  functions: {
    present: state({
      doc: 'Ensure that a cluster exists.',
      args: {
        ...cluster,
        port: arg.any('Port of the cluster; compared with the number that the system shows', { optional: true }),
        encoding: arg.text('Encoding of characters', { optional: true }),
        locale: arg.text('Locale', { optional: true }),
        datadir: arg.text('Data directory', { optional: true }),
        allow_group_access: arg.any('True lets the group read the files', { optional: true }),
        data_checksums: arg.any('True gives pages checksums', { optional: true }),
        wal_segsize: arg.text('Segment size of the write-ahead log, in megabytes', { optional: true }),
      },
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a cluster does not exist.',
      args: cluster,
      run: (ctx, { version, name }) => absent(ctx, version, name),
    }),
  },
})
