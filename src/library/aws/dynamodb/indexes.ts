// Converts keys and indexes of tables from Salt's form to AWS's.
import { type Dict, isDict, isList, misuse, numberOf, str, truthy, type Value } from '../../../data/mod.ts'

/** The definition of a key: its attribute, and whether it is text (`S`), a number (`N`) or bytes (`B`). */
interface Key {
  name: string
  type: string
}

export interface Keys {
  hash: Key | undefined
  range: Key | undefined
}

const TEXT = 'S'

/** Return a key; undefined where no name is given. */
export function keyOf(name: Value, type: Value): Key | undefined {
  if (!truthy(name)) return undefined
  return { name: str(name), type: truthy(type) ? str(type) : TEXT }
}

export const asDict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

const given = ({ hash, range }: Keys): Key[] => [hash, range].filter((key) => key !== undefined)

export const keySchema = ({ hash, range }: Keys): Dict[] => [
  ...(hash === undefined ? [] : [asDict({ AttributeName: hash.name, KeyType: 'HASH' })]),
  ...(range === undefined ? [] : [asDict({ AttributeName: range.name, KeyType: 'RANGE' })]),
]

export const attributesOf = (keys: Keys): Dict[] =>
  given(keys).map(({ name, type }) => asDict({ AttributeName: name, AttributeType: type }))

/** Return capacity units as parameters. */
export function throughput(read: Value, write: Value, owner: string): Dict {
  const units = (value: Value, name: string): number => {
    const count = numberOf(value) ?? Number(typeof value === 'string' ? value : Number.NaN)
    if (!Number.isSafeInteger(count) || count < 1) throw misuse(`${owner} needs ${name}, a whole number above 0`)
    return count
  }
  return asDict({
    ReadCapacityUnits: units(read, 'read_capacity_units'),
    WriteCapacityUnits: units(write, 'write_capacity_units'),
  })
}

/** Return the settings of an index: Salt writes a dict with a list of dicts of one entry. */
export function indexSettings(index: Value): Dict {
  const settings: Dict = new Map()
  if (!isDict(index)) throw misuse('An index must be a dict with a list of its settings')
  for (const value of index.values()) {
    for (const entry of isList(value) ? value : [value]) {
      if (!isDict(entry)) throw misuse('The settings of an index must be dicts')
      for (const [name, setting] of entry) settings.set(str(name), setting)
    }
  }
  if (!truthy(settings.get('name') ?? null)) throw misuse("An index needs 'name'")
  return settings
}

function projectionOf(settings: Dict, isGlobal: boolean): Dict {
  const [includes, isKeysOnly] = [settings.get('includes') ?? null, settings.has('keys_only')]
  if (!isGlobal || (!isKeysOnly && !truthy(includes))) return asDict({ ProjectionType: 'ALL' })
  if (isKeysOnly && truthy(includes)) throw misuse('Only one type of GSI projection can be used.')
  if (isKeysOnly) return asDict({ ProjectionType: 'KEYS_ONLY' })
  return asDict({ ProjectionType: 'INCLUDE', NonKeyAttributes: isList(includes) ? includes : [includes] })
}

/** An index in the words of AWS, and the attributes of its keys. */
export interface Index {
  schema: Dict
  attributes: Dict[]
}

/** Return an index of a table. */
export function indexOf(index: Value, isGlobal: boolean): Index {
  const settings = indexSettings(index)
  const setting = (name: string): Value => settings.get(name) ?? null
  const name = str(setting('name'))
  const keys: Keys = {
    hash: keyOf(setting('hash_key'), setting('hash_key_data_type')),
    range: keyOf(setting('range_key'), setting('range_key_data_type')),
  }
  if (keys.hash === undefined) throw misuse(`The index ${name} needs 'hash_key'`)
  const schema = asDict({
    IndexName: name,
    KeySchema: keySchema(keys),
    Projection: projectionOf(settings, isGlobal),
  })
  if (isGlobal) {
    const [read, write] = [setting('read_capacity_units'), setting('write_capacity_units')]
    schema.set('ProvisionedThroughput', throughput(read, write, `The global index ${name}`))
  }
  return { schema, attributes: attributesOf(keys) }
}

const ATTRIBUTES = 'AttributeDefinitions'

/** Return an index as `extract_index` returns it: one dict, with the attributes of the keys. */
export const shownIndex = ({ schema, attributes }: Index): Dict => new Map(schema).set(ATTRIBUTES, attributes)

/** Return the parts of a result of `extract_index`. */
export function indexParts(index: Dict): Index {
  const attributes = index.get(ATTRIBUTES) ?? null
  const schema = new Map([...index].filter(([name]) => name !== ATTRIBUTES))
  return { schema, attributes: isList(attributes) ? attributes.filter(isDict) : [] }
}

/** Return attributes without repetitions. */
export function distinct(attributes: readonly Dict[]): Dict[] {
  const types = new Map<Value, Value>()
  for (const one of attributes) {
    const [name, type] = [one.get('AttributeName') ?? null, one.get('AttributeType') ?? null]
    const known = types.get(name) ?? type
    if (known !== type) throw misuse(`The attribute ${str(name)} is given two types: ${str(known)} and ${str(type)}`)
    types.set(name, type)
  }
  return [...types].map(([AttributeName, AttributeType]) => asDict({ AttributeName, AttributeType }))
}
