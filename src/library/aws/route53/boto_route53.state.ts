// Records of Route 53 as states.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { hostedZoneStates } from './hosted-zone-states.ts'

interface Record extends AwsLogin {
  name: string
  zone: string
  record_type: string
  identifier: Value
  split_dns: boolean
  private_zone: boolean
}

const RECORD = {
  zone: arg.text('Name of the zone'),
  record_type: arg.text('Type, such as `A`'),
}
const CHOICE = {
  identifier: arg.any('List of an identifier and a weight, for weighted records', { optional: true }),
  ...LOGIN,
  wait_for_sync: arg.flag('Whether to wait until all servers have the change', { default: true }),
  split_dns: arg.flag('Whether a public and a private zone have that name', { default: false }),
  private_zone: arg.flag('Whether the private zone is meant, with `split_dns`', { default: false }),
}

const keysOf = ({ name, zone, record_type, identifier, split_dns, private_zone, ...login }: Record) => ({
  name,
  zone,
  record_type,
  identifier,
  split_dns,
  private_zone,
  ...loginOf(login),
})

async function recordOf(ctx: StateContext, record: Record): Promise<Dict | null> {
  const found: Value = await ctx.call('boto_route53.get_record', [], keysOf(record))
  return isDict(found) ? found : null
}

const sorted = (value: string): string =>
  value
    .split(',')
    .map((one) => one.replace(/\.$/, ''))
    .sort()
    .join(',')

const present = state({
  doc: 'Ensure that a record exists with a value.',
  args: {
    name: arg.text('Name of the record'),
    value: arg.any('Value, or a list of values'),
    ...RECORD,
    ttl: arg.textOrNumber('Seconds that answers are kept', { optional: true }),
    ...CHOICE,
  },
  run: (ctx, { value: given, ttl, wait_for_sync, ...record }) => {
    const { name } = record
    const value = isList(given) ? given.map(str).join(',') : str(given)
    return ensure<Dict>(ctx, {
      name,
      look: async () => {
        if (/^(private|public):/.test(value))
          return failed('Error: give the address itself in place of the name of an instance')
        const now = await recordOf(ctx, record)
        if (now === null) return failed(`Error: there is no zone ${record.zone}`)
        if (now.size === 0) return now
        const isSame =
          sorted(str(now.get('value')!)) === sorted(value) && (ttl === null || str(ttl) === str(now.get('ttl')!))
        return isSame ? settled(`${name} exists.`) : now
      },
      foresee: (now) => `Route53 record ${name} set to be ${now.size === 0 ? 'added' : 'updated'}.`,
      act: async (now) => {
        const [fun, done, verb] =
          now.size === 0 ? ['add_record', 'Added', 'add'] : ['update_record', 'Updated', 'update']
        const answer: Value = (await ctx.call(`boto_route53.${fun}`, [], {
          ...keysOf(record),
          value,
          ttl,
          wait_for_sync,
        })) as Value
        if (!truthy(answer)) return failed(`Failed to ${verb} ${name} Route53 record.`)
        const { record_type, identifier } = record
        return changed(`${done} ${name} Route53 record.`, {
          old: now.size === 0 ? null : now,
          new: { name, value, record_type, ttl, identifier },
        })
      },
    })
  },
})

const absent = state({
  doc: 'Ensure that a record does not exist.',
  args: { name: arg.text('Name of the record'), ...RECORD, ...CHOICE },
  run: (ctx, { wait_for_sync, ...record }) => {
    const { name } = record
    return ensure<Dict>(ctx, {
      name,
      look: async () => {
        const now = await recordOf(ctx, record)
        return now === null || now.size === 0 ? settled(`${name} does not exist.`) : now
      },
      foresee: () => `Route53 record ${name} set to be deleted.`,
      act: async (now) =>
        truthy(await ctx.call('boto_route53.delete_record', [], { ...keysOf(record), wait_for_sync }))
          ? changed(`Deleted ${name} Route53 record.`, { old: now, new: null })
          : failed(`Failed to delete ${name} Route53 record.`),
    })
  },
})

export default defineState({
  name: 'boto_route53',
  doc: 'Manage records and zones of Route 53.',
  functions: { present, rr_present: present, absent, rr_absent: absent, ...hostedZoneStates },
})
