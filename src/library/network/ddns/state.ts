// States of DNS records.
import { str, truthy } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, settled, state } from '../../../sdk/mod.ts'

const name = arg.string('Record name in the zone')
const zone = arg.text('DNS zone')
const kwargs = arg.open('nameserver, timeout, port, replace, keyfile, keyname and keyalgorithm')

export default defineState({
  name: 'ddns',
  doc: 'Manage DNS records.',
  when: async ({ host }) =>
    ((await host.which('dig')) !== undefined && (await host.which('nsupdate')) !== undefined) ||
    'ddns module could not be loaded',
  functions: {
    present: state({
      doc: 'Ensure that a record exists.',
      args: {
        name,
        zone,
        ttl: arg.any('Time to live in seconds, as number or text; reported as given'),
        data: arg.any('Record value, as text or number; reported as given'),
        rdtype: arg.text('Record type', { default: 'A' }),
        kwargs,
      },
      run: (ctx, { name, zone, ttl, data, rdtype, kwargs }) =>
        ensure(ctx, {
          name,
          look: () => 'unknown',
          foresee: () => `${rdtype} record "${name}" will be updated`,
          act: async () => {
            const answer = await ctx.call('ddns.update', [zone, name, ttl, rdtype, data], kwargs)
            if (answer === null) return settled(`${rdtype} record "${name}" already present with ttl of ${str(ttl)}`)
            if (!truthy(answer)) return failed(`Failed to create or update ${rdtype} record for "${name}"`)
            return changed(`Updated ${rdtype} record for "${name}"`, { name, zone, ttl, rdtype, data })
          },
        }),
    }),
    absent: state({
      doc: 'Ensure that a record is absent.',
      args: {
        name,
        zone,
        data: arg.text('Record value; all values by default', { optional: true }),
        rdtype: arg.text('Record type; all types by default', { optional: true }),
        kwargs,
      },
      run: (ctx, { name, zone, data, rdtype, kwargs }) =>
        ensure(ctx, {
          name,
          look: () => 'unknown',
          foresee: () => `${str(rdtype)} record "${name}" will be deleted`,
          act: async () => {
            const answer = await ctx.call('ddns.delete', [zone, name, rdtype, data], kwargs)
            if (answer === null) return settled('No matching DNS record(s) present')
            if (!truthy(answer)) return failed('Failed to delete DNS record(s)')
            return changed('Deleted DNS record(s)', { Deleted: { name, zone } })
          },
        }),
    }),
  },
})
