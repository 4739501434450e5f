// Zones and records of Route 53 in the shape of boto3, which has dicts by the names of AWS.
import { domainToASCII } from 'node:url'
import { type Dict, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { nameText, type Xml } from './requests.ts'

type Entry = [Value, Value]

/** Return a dict of the entries that have a value. */
const present = (entries: Entry[]): Dict => new Map(entries.filter(([, value]) => value !== null))

const changeInfo = (row: AwsAnswer | undefined): Dict =>
  present([
    ['Id', row?.text('Id') ?? null],
    ['Status', row?.text('Status') ?? null],
    ['SubmittedAt', row?.text('SubmittedAt') ?? null],
    ['Comment', row?.text('Comment') ?? null],
  ])

export const zoneOf = (row: AwsAnswer): Dict =>
  present([
    ['Id', row.text('Id')],
    ['Name', nameText(row.text('Name') ?? '')],
    ['CallerReference', row.text('CallerReference')],
    [
      'Config',
      present([
        ['Comment', row.text('Config.Comment')],
        ['PrivateZone', row.flag('Config.PrivateZone')],
      ]),
    ],
    ['ResourceRecordSetCount', row.number('ResourceRecordSetCount')],
  ])

const networkOf = (row: AwsAnswer): Dict =>
  present([
    ['VPCRegion', row.text('VPCRegion')],
    ['VPCId', row.text('VPCId')],
  ])

/** Return an answer about one zone. */
export function zoneAnswer(answer: AwsAnswer): Dict {
  const [zone, servers] = [answer.at('HostedZone'), answer.at('DelegationSet')]
  const [networks, network] = [answer.at('VPCs'), answer.at('VPC')]
  return present([
    ['HostedZone', zone === undefined ? null : zoneOf(zone)],
    ['ChangeInfo', answer.at('ChangeInfo') ? changeInfo(answer.at('ChangeInfo')) : null],
    [
      'DelegationSet',
      servers
        ? present([
            ['Id', servers.text('Id')],
            ['NameServers', servers.texts('NameServers')],
          ])
        : null,
    ],
    ['VPCs', networks ? answer.rows('VPCs').map(networkOf) : null],
    ['VPC', network ? networkOf(network) : null],
  ])
}

const NUMBERS = new Set(['Weight', 'TTL'])

/** The parts of a record set in AWS's order. */
const PARTS = [
  'Name',
  'Type',
  'SetIdentifier',
  'Weight',
  'Region',
  'GeoLocation',
  'Failover',
  'MultiValueAnswer',
  'TTL',
  'ResourceRecords',
  'AliasTarget',
  'HealthCheckId',
  'TrafficPolicyInstanceId',
]

const INNER: Readonly<Record<string, readonly string[]>> = {
  GeoLocation: ['ContinentCode', 'CountryCode', 'SubdivisionCode'],
  AliasTarget: ['HostedZoneId', 'DNSName', 'EvaluateTargetHealth'],
}

const innerValue = (row: AwsAnswer, name: string): Value => {
  if (name === 'EvaluateTargetHealth') return row.flag(name)
  const text = row.text(name)
  return text === null ? null : nameText(text)
}

function partValue(row: AwsAnswer, name: string): Value {
  if (NUMBERS.has(name)) return row.number(name)
  if (name === 'Name') return nameText(row.text(name) ?? '')
  if (name === 'MultiValueAnswer') return row.at(name) ? row.flag(name) : null
  if (name === 'ResourceRecords') {
    const values = row.rows(name).map((one): Dict => new Map([['Value', nameText(one.text('Value') ?? '')]]))
    return values.length === 0 ? null : values
  }
  const inner = INNER[name]
  const at = row.at(name)
  if (inner === undefined) return row.text(name)
  return at === undefined ? null : present(inner.map((one): Entry => [one, innerValue(at, one)]))
}

export const recordSetOf = (row: AwsAnswer): Dict => present(PARTS.map((name): Entry => [name, partValue(row, name)]))

/** Return a name of a record or a zone as AWS takes it. */
export function nameForAws(name: string): string {
  if (/^[\x00-\x7f]*$/.test(name)) return name
  const ascii = domainToASCII(name)
  if (ascii === '') throw misuse(`'${name}' is no name of a domain`)
  return ascii
}

/** Return a value of a record as AWS takes it: a text with octal escapes, or a name. */
function valueForAws(type: string, value: string): string {
  if (/^[\x00-\x7f]*$/.test(value)) return value
  if (type !== 'TXT' && type !== 'SPF') return nameForAws(value)
  const escaped = [...Buffer.from(value)].map((byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`,
  )
  return escaped.join('')
}

function partXml(set: Dict, name: string): Xml[] {
  const value = set.get(name) ?? null
  if (value === null) return []
  if (name === 'Name') return [[name, nameForAws(str(value))]]
  if (name === 'ResourceRecords') {
    const type = str(set.get('Type') ?? '')
    const records = isList(value) ? value.filter(isDict) : []
    return [
      [
        name,
        records.map((one): Xml => ['ResourceRecord', [['Value', valueForAws(type, str(one.get('Value') ?? ''))]]]),
      ],
    ]
  }
  const inner = INNER[name]
  if (inner === undefined) return [[name, typeof value === 'boolean' ? String(value) : str(value)]]
  if (!isDict(value)) throw misuse(`'${name}' must be a dict`)
  const parts = inner.flatMap((one): Xml[] => {
    const own = value.get(one) ?? null
    if (own === null) return []
    return [[one, typeof own === 'boolean' ? String(own) : one === 'DNSName' ? nameForAws(str(own)) : str(own)]]
  })
  return [[name, parts]]
}

/** Return a batch of changes as AWS takes it. */
export function batchXml(batch: Dict): Xml {
  const changes = batch.get('Changes') ?? null
  if (!isList(changes)) throw misuse("'ChangeBatch' needs 'Changes', a list")
  const comment = batch.get('Comment') ?? null
  const entries = changes.map((change): Xml => {
    const set = isDict(change) ? (change.get('ResourceRecordSet') ?? null) : null
    if (!isDict(change) || !isDict(set)) throw misuse("Each change needs 'Action' and 'ResourceRecordSet', a dict")
    const unknown = [...set.keys()].map(str).filter((name) => !PARTS.includes(name))
    if (unknown.length > 0) throw misuse(`A record set has no '${unknown.join("', '")}'`)
    return [
      'Change',
      [
        ['Action', str(change.get('Action') ?? '')],
        ['ResourceRecordSet', PARTS.flatMap((name) => partXml(set, name))],
      ],
    ]
  })
  return ['ChangeBatch', [...(comment === null ? [] : [['Comment', str(comment)] as Xml]), ['Changes', entries]]]
}
