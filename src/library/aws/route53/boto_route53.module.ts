// Zones and records of Route 53 by Salt's names.
import { randomUUID } from 'node:crypto'
import { type Dict, misuse, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  awsEscaped,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { AwsCaller } from '../common/caller.ts'
import { LOGIN } from '../common/login.ts'
import { hostedZoneFunctions } from './hosted-zone-functions.ts'
import { get, isSynced, nameText, post, remove, routeOf, withDot, type Xml } from './requests.ts'

const ZONE = arg.text('Name of the zone')
const RETRIES = {
  retry_on_rate_limit: arg.any('Not needed: a busy service is always asked again', { optional: true }),
  rate_limit_retries: arg.any('Not needed', { optional: true }),
  retry_on_errors: arg.any('Not needed', { default: true }),
  error_retries: arg.any('Not needed', { default: 5 }),
}
const CHOICE = {
  split_dns: arg.flag('Whether a public and a private zone have that name', { default: false }),
  private_zone: arg.flag('Whether the private zone is meant, with `split_dns`', { default: false }),
}
const RECORD = {
  name: arg.text('Name of the record'),
  value: arg.text('Value; several have commas between them'),
  zone: ZONE,
  record_type: arg.text('Type, such as `A`'),
  identifier: arg.any('List of an identifier and a weight, for weighted records', { optional: true }),
  ttl: arg.textOrNumber('Seconds that answers are kept', { optional: true }),
  ...LOGIN,
  wait_for_sync: arg.flag('Whether to wait until all servers have the change', { default: true }),
  ...CHOICE,
  ...RETRIES,
}

interface ZoneChoice {
  split_dns?: boolean
  private_zone?: boolean
}

/** Return the id of a zone; undefined if it does not exist. */
async function zoneId(
  route53: AwsCaller,
  zone: string,
  { split_dns, private_zone = false }: ZoneChoice = {},
): Promise<string | undefined> {
  const query = { dnsname: withDot(zone), maxitems: 100 }
  const answer = await get(route53, 'ListHostedZonesByName', '/hostedzonesbyname', query)
  const found = answer.rows('HostedZones').filter((row) => row.text('Name') === withDot(zone))
  const chosen = split_dns ? found.find((row) => row.flag('Config.PrivateZone') === private_zone) : found[0]
  return chosen?.text('Id')?.split('/').pop()
}

interface RecordChoice {
  name: string
  type: string
  identifier: Value
}

const identifierOf = (identifier: Value): string | null =>
  identifier === null ? null : str(Array.isArray(identifier) ? (identifier[0] as Value) : identifier)

async function findRecord(
  route53: AwsCaller,
  zone: string,
  { name, type, identifier }: RecordChoice,
): Promise<AwsAnswer | undefined> {
  const wanted = withDot(name).toLowerCase()
  const path = `/hostedzone/${awsEscaped(zone)}/rrset`
  const answer = await get(route53, 'ListResourceRecordSets', path, { name: wanted, type, maxitems: 100 })
  return answer.rows('ResourceRecordSets').find((row) => {
    const isNamed = nameText(row.text('Name') ?? '').toLowerCase() === wanted
    const isMeant = identifier === null || row.text('SetIdentifier') === identifierOf(identifier)
    return isNamed && row.text('Type') === type && isMeant
  })
}

interface Change {
  action: 'CREATE' | 'UPSERT' | 'DELETE'
  name: string
  type: string
  values: string[]
  ttl: string
  identifier: Value
  wait: boolean
}

async function change(
  route53: AwsCaller,
  zone: string,
  { action, name, type, values, ttl, identifier, wait }: Change,
): Promise<boolean> {
  const weight = Array.isArray(identifier) ? ((identifier[1] as Value | undefined) ?? null) : null
  const own = identifierOf(identifier)
  const set: Xml[] = [
    ['Name', withDot(name)],
    ['Type', type],
    ...(own === null ? [] : [['SetIdentifier', own] as Xml]),
    ...(weight === null ? [] : [['Weight', str(weight)] as Xml]),
    ['TTL', ttl],
    ['ResourceRecords', values.map((value): Xml => ['ResourceRecord', [['Value', value]]])],
  ]
  const batch: Xml[] = [
    [
      'Changes',
      [
        [
          'Change',
          [
            ['Action', action],
            ['ResourceRecordSet', set],
          ],
        ],
      ],
    ],
  ]
  const path = `/hostedzone/${awsEscaped(zone)}/rrset/`
  const answer = await post(route53, 'ChangeResourceRecordSets', path, [['ChangeBatch', batch]])
  return !wait || isSynced(route53, answer)
}

const SPLIT_TYPES = new Set(['A', 'MX', 'AAAA', 'TXT', 'SRV', 'SPF', 'NS'])

const valuesOf = (value: string, type: string): string[] => (SPLIT_TYPES.has(type) ? value.split(',') : [value])

const shown = (row: AwsAnswer): Dict => {
  const record = new Map<Value, Value>([
    ['name', nameText(row.text('Name') ?? '')],
    [
      'value',
      row
        .rows('ResourceRecords')
        .map((one) => one.text('Value') ?? '')
        .join(','),
    ],
    ['record_type', row.text('Type')],
    ['ttl', row.text('TTL')],
  ])
  if (row.text('SetIdentifier')) record.set('identifier', [row.text('SetIdentifier'), row.text('Weight')])
  return record
}

async function putRecord(ctx: FunctionContext, given: Bound<typeof RECORD>, isNew: boolean): Promise<boolean> {
  const { name, value, zone, identifier, ttl, wait_for_sync: wait } = given
  const route53 = routeOf(ctx, given)
  const id = await zoneId(route53, zone, given)
  if (id === undefined) {
    ctx.log('error', `Failed to retrieve zone ${zone}`)
    return false
  }
  const type = given.record_type.toUpperCase()
  const old = isNew ? undefined : await findRecord(route53, id, { name, type, identifier })
  if (!isNew && old === undefined) return false
  const seconds = ttl === null ? (old?.text('TTL') ?? '60') : str(ttl)
  const values = valuesOf(value, type)
  return change(route53, id, {
    action: isNew ? 'CREATE' : 'UPSERT',
    name,
    type,
    values,
    ttl: seconds,
    identifier,
    wait,
  })
}

export default defineModule({
  name: 'boto_route53',
  doc: 'Manage zones and records of Route 53.',
  functions: {
    zone_exists: reads({
      doc: 'Return whether a zone exists.',
      example: 'boto_route53.zone_exists example.org',
      args: { zone: ZONE, ...LOGIN, ...RETRIES },
      returns: ret.boolean('Whether it exists'),
      run: async (ctx, { zone, ...login }) => (await zoneId(routeOf(ctx, login), zone)) !== undefined,
    }),
    create_zone: changes({
      doc: 'Create a zone; return False where it exists already.',
      example: 'boto_route53.create_zone example.org',
      args: {
        zone: ZONE,
        private: arg.flag('Whether only networks see it', { default: false }),
        vpc_id: arg.text('Network that sees it', { optional: true }),
        vpc_region: arg.text('Region of that network', { optional: true }),
        ...LOGIN,
      },
      returns: ret.boolean('Whether it was created'),
      run: async (ctx, { zone, private: isPrivate, vpc_id, vpc_region, ...login }) => {
        if (isPrivate && (!vpc_id || !vpc_region))
          throw misuse('vpc_id and vpc_region must be specified for a private zone')
        const route53 = routeOf(ctx, login)
        if ((await zoneId(route53, zone)) !== undefined) return false
        const network: Xml[] = isPrivate
          ? [
              [
                'VPC',
                [
                  ['VPCRegion', vpc_region!],
                  ['VPCId', vpc_id!],
                ],
              ],
            ]
          : []
        const config: Xml[] = isPrivate ? [['HostedZoneConfig', [['PrivateZone', 'true']]]] : []
        const content: Xml[] = [['Name', withDot(zone)], ...network, ['CallerReference', randomUUID()], ...config]
        await post(route53, 'CreateHostedZone', '/hostedzone', content)
        return true
      },
    }),
    delete_zone: changes({
      doc: 'Delete a zone; return False where there is none.',
      example: 'boto_route53.delete_zone example.org',
      args: { zone: ZONE, ...LOGIN },
      returns: ret.boolean('Whether it was deleted'),
      run: async (ctx, { zone, ...login }) => {
        const route53 = routeOf(ctx, login)
        const id = await zoneId(route53, zone)
        if (id === undefined) return false
        await remove(route53, 'DeleteHostedZone', `/hostedzone/${awsEscaped(id)}`)
        return true
      },
    }),
    get_record: reads({
      doc: 'Return a record: an empty dict where there is none, and None where there is no zone.',
      example: 'boto_route53.get_record test.example.org example.org A',
      args: {
        name: RECORD.name,
        zone: ZONE,
        record_type: RECORD.record_type,
        fetch_all: arg.flag('Not looked at', { default: false }),
        ...LOGIN,
        ...CHOICE,
        identifier: RECORD.identifier,
        ...RETRIES,
      },
      returns: ret.optional(ret.dict('`name`, `value`, `record_type` and `ttl`')),
      run: async (ctx, { name, zone, record_type, identifier, ...given }) => {
        const route53 = routeOf(ctx, given)
        const id = await zoneId(route53, zone, given)
        if (id === undefined) {
          ctx.log('error', `Failed to retrieve zone ${zone}`)
          return null
        }
        const found = await findRecord(route53, id, { name, type: record_type.toUpperCase(), identifier })
        return found === undefined ? new Map() : shown(found)
      },
    }),
    add_record: changes({
      doc: 'Add a record.',
      example: 'boto_route53.add_record test.example.org 192.0.2.1 example.org A',
      args: RECORD,
      returns: ret.boolean('Whether it was added'),
      run: (ctx, given) => putRecord(ctx, given, true),
    }),
    update_record: changes({
      doc: 'Change a record that exists.',
      example: 'boto_route53.update_record test.example.org 192.0.2.1 example.org A',
      args: RECORD,
      returns: ret.boolean('Whether it was changed'),
      run: (ctx, given) => putRecord(ctx, given, false),
    }),
    delete_record: changes({
      doc: 'Delete a record.',
      example: 'boto_route53.delete_record test.example.org example.org A',
      args: {
        name: RECORD.name,
        zone: ZONE,
        record_type: RECORD.record_type,
        identifier: RECORD.identifier,
        all_records: arg.flag('Not looked at', { default: false }),
        ...LOGIN,
        wait_for_sync: RECORD.wait_for_sync,
        ...CHOICE,
        ...RETRIES,
      },
      returns: ret.boolean('Whether it was deleted'),
      run: async (ctx, { name, zone, record_type, identifier, wait_for_sync: wait, ...given }) => {
        const route53 = routeOf(ctx, given)
        const id = await zoneId(route53, zone, given)
        const type = record_type.toUpperCase()
        const old = id === undefined ? undefined : await findRecord(route53, id, { name, type, identifier })
        if (id === undefined || old === undefined) return false
        const values = old.rows('ResourceRecords').map((one) => one.text('Value') ?? '')
        const weight = old.text('SetIdentifier') ? [old.text('SetIdentifier'), old.text('Weight')] : null
        const ttl = old.text('TTL') ?? '60'
        return change(route53, id, { action: 'DELETE', name, type, values, ttl, identifier: weight, wait })
      },
    }),
    ...hostedZoneFunctions,
  },
})
