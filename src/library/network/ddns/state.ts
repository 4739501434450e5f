// Records of the DNS are at their server or not.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wish {
  name: string
  zone: Value
  ttl: Value
  data: Value
  rdtype: Value
  kwargs: ReadonlyMap<string, Value>
}

async function present(ctx: StateContext, { name, zone, ttl, data, rdtype, kwargs }: Wish): Promise<StateReturn> {
  const type = str(rdtype)
  if (ctx.test) return { name, changes: {}, result: null, comment: `${type} record "${name}" will be updated` }
  const answer = await ctx.call('ddns.update', [zone, name, ttl, rdtype, data], kwargs)
  if (answer === null) {
    const comment = `${type} record "${name}" already present with ttl of ${str(ttl)}`
    return { name, changes: {}, result: true, comment }
  }
  if (!truthy(answer)) {
    return { name, changes: {}, result: false, comment: `Failed to create or update ${type} record for "${name}"` }
  }
  const changes = { name, zone, ttl, rdtype, data }
  return { name, changes, result: true, comment: `Updated ${type} record for "${name}"` }
}

async function absent(
  ctx: StateContext,
  { name, zone, data, rdtype, kwargs }: Omit<Wish, 'ttl'>,
): Promise<StateReturn> {
  if (ctx.test) return { name, changes: {}, result: null, comment: `${str(rdtype)} record "${name}" will be deleted` }
  const answer = await ctx.call('ddns.delete', [zone, name, rdtype, data], kwargs)
  if (answer === null) return { name, changes: {}, result: true, comment: 'No matching DNS record(s) present' }
  if (!truthy(answer)) return { name, changes: {}, result: false, comment: 'Failed to delete DNS record(s)' }
  return { name, changes: { Deleted: { name, zone } }, result: true, comment: 'Deleted DNS record(s)' }
}

const name = arg.string('The name in the zone')
const zone = arg.any('The zone')
const kwargs = arg.open('nameserver, timeout, port, replace, keyfile, keyname and keyalgorithm')

export default defineState({
  name: 'ddns',
  doc: 'Records of the DNS.',
  when: async ({ host }) =>
    ((await host.which('dig')) !== undefined && (await host.which('nsupdate')) !== undefined) ||
    'ddns module could not be loaded',
  functions: {
    present: state({
      doc: 'There is a record.',
      args: {
        name,
        zone,
        ttl: arg.any('Its lifetime, in seconds'),
        data: arg.any('Its value'),
        rdtype: arg.any('Its type', { default: 'A' }),
        kwargs,
      },
      run: present,
    }),
    absent: state({
      doc: 'There is no such record.',
      args: {
        name,
        zone,
        data: arg.any('Only this value', { optional: true }),
        rdtype: arg.text('Only this type', { optional: true }),
        kwargs,
      },
      run: absent,
    }),
  },
})
