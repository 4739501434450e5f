// Zones and records of Route 53 as states, with parameters by the names of AWS.
import { compareText, type Dict, dictFrom, isDict, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  optionalText,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { askerOf } from '../common/ask.ts'
import { LOGIN } from '../common/login.ts'
import { dictsIn } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'
import { withDot } from './requests.ts'
import { networksOf, zoneSteps } from './zone-state.ts'

const ask = askerOf('boto3_route53')
const NAME = arg.text('Name of the state')
const ZONE = {
  HostedZoneId: optionalText('Id of the zone'),
  DomainName: optionalText('Name of the zone, in place of its id'),
  PrivateZone: arg.boolean('Whether the private or the public zone of that name is meant', { default: false }),
  Name: optionalText('Name of the record; the name of the state unless given'),
  Type: optionalText('Type, such as `A`'),
  SetIdentifier: optionalText('What tells record sets of the same name and type apart'),
}
const RECORD = {
  name: NAME,
  ...ZONE,
  Weight: arg.any('Share of a weighted record set', { optional: true }),
  Region: optionalText('Region of a record set by latency'),
  GeoLocation: arg.dict('`ContinentCode`, `CountryCode` and `SubdivisionCode`', { optional: true }),
  Failover: optionalText('`PRIMARY` or `SECONDARY`'),
  TTL: arg.any('Seconds that answers are kept', { optional: true }),
  ResourceRecords: arg.words('Values', { optional: true }),
  AliasTarget: arg.dict('`HostedZoneId`, `DNSName` and `EvaluateTargetHealth`', { optional: true }),
  HealthCheckId: optionalText('Id of the health check'),
  TrafficPolicyInstanceId: optionalText('Id of the instance of a traffic policy'),
  ...LOGIN,
}
const ABSENT = { name: NAME, ...ZONE, ...LOGIN }

type Found = { id: string; sets: Dict[] } | string

/** Return the zone and the record sets of a state; a text if the zone does not exist. */
async function find(ctx: StateContext, given: Bound<typeof ABSENT>): Promise<Found> {
  const { HostedZoneId: Id, DomainName, PrivateZone, Type, SetIdentifier, name } = given
  if (!Type) throw misuse("'Type' is a required parameter for states about resource records.")
  const choice = { Id, Name: DomainName, PrivateZone }
  const [zone] = dictsIn(await ask(ctx, 'find_hosted_zone', given, choice))
  if (zone === undefined) {
    return `Route 53 ${PrivateZone ? 'private' : 'public'} hosted zone ${DomainName ?? Id} not found`
  }
  const id = str((zone.get('HostedZone') as Dict).get('Id') ?? '')
  const records = { HostedZoneId: id, StartRecordName: given.Name || name, StartRecordType: Type }
  const all = dictsIn(await ask(ctx, 'get_resource_records', given, records))
  return { id, sets: SetIdentifier ? all.filter((set) => set.get('SetIdentifier') === SetIdentifier) : all }
}

const change = (
  ctx: StateContext,
  given: Bound<typeof ABSENT>,
  { id, action, set }: { id: string; action: string; set: Dict },
): Promise<Value> => {
  const Changes = [dictFrom({ Action: action, ResourceRecordSet: set })]
  return ask(ctx, 'change_resource_record_sets', given, {
    HostedZoneId: id,
    ChangeBatch: new Map([['Changes', Changes]]),
  })
}

const whole = (value: Value): Value => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)

/** Return an alias as AWS shows it. */
const alias = (target: Dict): Dict =>
  new Map([...target, ['DNSName', withDot(str(target.get('DNSName') ?? '')).toLowerCase()]])

/** Return the record set of a state. */
function recordSet(given: Bound<typeof RECORD>): Dict {
  const { Type, ResourceRecords, AliasTarget } = given
  const values = (ResourceRecords ?? []).map((value) => {
    if (value.startsWith('magic:')) throw misuse(`'${value}': give the value itself in place of a magic one`)
    // a text is in quotes
    return Type === 'TXT' ? `"${value}"` : value
  })
  const records = values.sort(compareText).map((value): Dict => new Map([['Value', value]]))
  const parts: [Value, Value][] = [
    ['Name', given.Name || given.name],
    ['Type', Type],
    ['SetIdentifier', given.SetIdentifier],
    ['Weight', whole(given.Weight)],
    ['Region', given.Region],
    ['GeoLocation', given.GeoLocation],
    ['Failover', given.Failover],
    ['TTL', whole(given.TTL)],
    ['ResourceRecords', records.length > 0 ? records : null],
    ['AliasTarget', AliasTarget === null ? null : alias(AliasTarget)],
    ['HealthCheckId', given.HealthCheckId],
    ['TrafficPolicyInstanceId', given.TrafficPolicyInstanceId],
  ]
  return new Map(parts.filter(([, value]) => value !== null && value !== ''))
}

/** Return whether two record sets of the same name are the same. */
function isSame(wanted: Dict, present: Dict): boolean {
  const rest = (set: Dict): Dict => {
    const target = set.get('AliasTarget') ?? null
    const without = new Map([...set].filter(([key]) => key !== 'Name'))
    return isDict(target) ? without.set('AliasTarget', alias(target)) : without
  }
  return unordered(rest(wanted)) === unordered(rest(present))
}

const SEVERAL = 'Given criteria matched more than one ResourceRecordSet.'

export default defineState({
  name: 'boto3_route53',
  doc: 'Manage zones and records of Route 53.',
  functions: {
    hosted_zone_present: state({
      doc: 'Ensure that a zone exists, and that networks see it if it is private.',
      args: {
        name: NAME,
        Name: optionalText('Name of the zone, with a dot at its end; the name of the state unless given'),
        PrivateZone: arg.boolean('Whether only networks see it', { default: false }),
        CallerReference: optionalText('Token by which a repeated request is known'),
        Comment: optionalText('What it is for; not changed unless given'),
        VPCs: arg.any('Networks of a private zone: dicts with `VPCId` or `VPCName`, and `VPCRegion`', {
          optional: true,
        }),
        ...LOGIN,
      },
      run: async (ctx, { name, Name: own, PrivateZone, CallerReference, Comment, VPCs, ...login }) => {
        if (!PrivateZone && truthy(VPCs)) throw misuse("Parameter 'VPCs' is invalid when creating a public zone.")
        if (PrivateZone && !truthy(VPCs)) throw misuse("Parameter 'VPCs' is required when creating a private zone.")
        const networks = await networksOf(ctx, VPCs, login)
        if (typeof networks === 'string') return failed(networks).on(name)
        const zone = { Name: own || name, PrivateZone, CallerReference, Comment, networks }
        return ensure(ctx, { name, ...zoneSteps(ctx, zone, login) })
      },
    }),
    hosted_zone_absent: state({
      doc: 'Ensure that a zone does not exist.',
      args: {
        name: NAME,
        Name: optionalText('Name of the zone, with a dot at its end; the name of the state unless given'),
        PrivateZone: arg.boolean('Whether the private or the public zone of that name is meant', { default: false }),
        ...LOGIN,
      },
      run: (ctx, { name, Name: own, PrivateZone, ...login }) => {
        const Name = own || name
        const zone = `Route 53 ${PrivateZone ? 'private' : 'public'} hosted zone ${Name}`
        return ensure<Dict>(ctx, {
          name,
          look: async () => {
            const [found] = dictsIn(await ask(ctx, 'find_hosted_zone', login, { Name, PrivateZone }))
            return found ?? settled(`${zone} already absent`)
          },
          foresee: () => `${zone} would be deleted`,
          act: async (found) => {
            const Id = (found.get('HostedZone') as Dict).get('Id') ?? null
            return truthy(await ask(ctx, 'delete_hosted_zone', login, { Id }))
              ? changed(`${zone} deleted`, { old: found, new: null })
              : failed(`Failed to delete ${zone}`)
          },
        })
      },
    }),
    rr_present: state({
      doc: 'Ensure that a record exists with the given values.',
      args: RECORD,
      run: (ctx, given) => {
        const { name, Type } = given
        const wanted = recordSet(given)
        const record = `Route 53 resource record ${str(wanted.get('Name') ?? '')} with type ${str(Type)}`
        return ensure<{ id: string; present: Dict | undefined }>(ctx, {
          name,
          look: async () => {
            const found = await find(ctx, given)
            if (typeof found === 'string') return failed(found)
            const [present, ...others] = found.sets
            if (others.length > 0) return failed(SEVERAL)
            if (present !== undefined && isSame(wanted, present))
              return settled(`${record} is already in the desired state.`)
            return { id: found.id, present }
          },
          foresee: ({ present }) => `${record} would be ${present === undefined ? 'added' : 'updated'}.`,
          act: async ({ id, present }) => {
            const [verb, done] = present === undefined ? ['create', 'created'] : ['update', 'updated']
            return truthy(await change(ctx, given, { id, action: 'UPSERT', set: wanted }))
              ? changed(`${record} ${done}.`, { old: present ?? null, new: wanted })
              : failed(`Failed to ${verb} ${record}.`)
          },
        })
      },
    }),
    rr_absent: state({
      doc: 'Ensure that a record does not exist.',
      args: ABSENT,
      run: (ctx, given) => {
        const record = `Route 53 resource record ${given.Name || given.name} with type ${str(given.Type)}`
        return ensure<{ id: string; present: Dict }>(ctx, {
          name: given.name,
          look: async () => {
            const found = await find(ctx, given)
            if (typeof found === 'string') return settled(found)
            const [present, ...others] = found.sets
            if (others.length > 0) return failed(SEVERAL)
            return present === undefined ? settled(`${record} already absent.`) : { id: found.id, present }
          },
          foresee: () => `${record} would be deleted.`,
          act: async ({ id, present }) =>
            truthy(await change(ctx, given, { id, action: 'DELETE', set: present }))
              ? changed(`${record} deleted.`, { old: present, new: null })
              : failed(`Failed to delete ${record}.`),
        })
      },
    }),
  },
})
