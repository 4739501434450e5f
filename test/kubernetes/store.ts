// The objects of the small API server: versions, managers of fields, and a history that watches read.
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import {
  type Fields,
  fieldsV1,
  isObject,
  type Json,
  leaves,
  removeAt,
  shownPath,
  strategicPatch,
  valueAt,
} from './fields.ts'

export interface Type {
  apiVersion: string
  kind: string
  plural: string
  isNamespaced: boolean
}

export interface Place {
  type: Type
  namespace: string | undefined
  name: string
}

export class StatusError extends Error {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string, message: string) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

export interface Stored {
  object: Fields
  /** Paths by `operation manager`. */
  managers: Map<string, Set<string>>
}

export interface HistoryEntry {
  version: number
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  plural: string
  apiVersion: string
  namespace: string | undefined
  object: Fields
}

/** Fields that no manager owns. */
const BOOKKEEPING = ['resourceVersion', 'uid', 'creationTimestamp', 'generation', 'managedFields', 'name', 'namespace']

const idOf = ({ type, namespace, name }: Place): string =>
  `${type.apiVersion} ${type.plural} ${namespace ?? ''} ${name}`

export const metadataOf = (object: Fields): Fields => (isObject(object['metadata']) ? object['metadata'] : {})

const groupOf = ({ apiVersion, plural }: Type): string =>
  apiVersion.includes('/') ? `${plural}.${apiVersion.split('/')[0]}` : plural

export class Store {
  version = 100
  /** Versions up to this one are forgotten. */
  compacted = 0
  readonly history: HistoryEntry[] = []
  readonly changed = new EventEmitter().setMaxListeners(0)
  private readonly objects = new Map<string, Stored>()

  find(place: Place): Stored | undefined {
    return this.objects.get(idOf(place))
  }

  get(place: Place): Stored {
    const found = this.find(place)
    if (!found) throw this.notFound(place)
    return found
  }

  notFound({ type, name }: Pick<Place, 'type' | 'name'>): StatusError {
    return new StatusError(404, 'NotFound', `${groupOf(type)} "${name}" not found`)
  }

  list(type: Type, namespace: string | undefined): Fields[] {
    const prefix = `${type.apiVersion} ${type.plural} `
    const found = [...this.objects].filter(([id]) =>
      id.startsWith(namespace === undefined ? prefix : `${prefix}${namespace} `),
    )
    return found.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, { object }]) => object)
  }

  create(place: Place, body: Fields, manager: string, operation: string, dryRun: boolean): Fields {
    if (this.find(place))
      throw new StatusError(409, 'AlreadyExists', `${groupOf(place.type)} "${place.name}" already exists`)
    const stored: Stored = {
      object: born(place.type, body),
      managers: new Map([[`${operation} ${manager}`, ownable(body)]]),
    }
    return this.write(place, stored, 'ADDED', dryRun)
  }

  /** Replace an object; the manager owns its changes. */
  update(place: Place, next: Fields, manager: string, dryRun: boolean): Fields {
    const old = this.get(place)
    const wanted = metadataOf(next)['resourceVersion']
    if (wanted !== undefined && wanted !== '' && wanted !== metadataOf(old.object)['resourceVersion']) {
      throw new StatusError(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${groupOf(place.type)} "${place.name}": the object has been modified; please apply your changes to the latest version and try again`,
      )
    }
    const managers = copied(old.managers)
    const now = ownable(next)
    for (const paths of managers.values()) for (const path of paths) if (!now.has(path)) paths.delete(path)
    const own = managers.get(`Update ${manager}`) ?? new Set()
    for (const path of now) {
      if (same(valueAt(old.object, JSON.parse(path)), valueAt(next, JSON.parse(path)))) continue
      for (const paths of managers.values()) paths.delete(path)
      own.add(path)
    }
    if (own.size > 0) managers.set(`Update ${manager}`, own)
    return this.write(place, { object: next, managers }, 'MODIFIED', dryRun, old)
  }

  /** Server-side apply. */
  apply(place: Place, body: Fields, options: { manager: string; force: boolean; dryRun: boolean }): Fields {
    const old = this.find(place)
    if (!old) return this.create(place, body, options.manager, 'Apply', options.dryRun)
    const name = `Apply ${options.manager}`
    const managers = copied(old.managers)
    const wanted = ownable(body)
    const conflicts: string[] = []
    for (const [other, paths] of managers) {
      if (other === name) continue
      for (const path of [...paths].filter(
        (one) => wanted.has(one) && !same(valueAt(old.object, JSON.parse(one)), valueAt(body, JSON.parse(one))),
      )) {
        conflicts.push(
          `conflict with "${other.split(' ')[1]}"${other.startsWith('Update') ? ` using ${place.type.apiVersion}` : ''}: ${shownPath(path)}`,
        )
        if (options.force) paths.delete(path)
      }
    }
    if (conflicts.length > 0 && !options.force) {
      throw new StatusError(
        409,
        'Conflict',
        `Apply failed with ${conflicts.length} conflict${conflicts.length > 1 ? 's' : ''}: ${conflicts.join('\n')}`,
      )
    }
    const next = strategicPatch(old.object, body) as Fields
    const gone = [...(managers.get(name) ?? [])].filter((path) => !wanted.has(path))
    const others = [...managers].filter(([other]) => other !== name).flatMap(([, paths]) => [...paths])
    const whole = structuredClone(next)
    for (const path of gone) if (!others.includes(path)) removeAt(whole, JSON.parse(path))
    managers.set(name, wanted)
    return this.write(place, { object: whole, managers }, 'MODIFIED', options.dryRun, old)
  }

  remove(place: Place, dryRun: boolean): Fields {
    const old = this.get(place)
    if (dryRun) return old.object
    this.objects.delete(idOf(place))
    this.record('DELETED', place, {
      ...old.object,
      metadata: { ...metadataOf(old.object), resourceVersion: String(this.version + 1) },
    })
    return old.object
  }

  private write(
    place: Place,
    { object, managers }: Stored,
    type: 'ADDED' | 'MODIFIED',
    dryRun: boolean,
    old?: Stored,
  ): Fields {
    const before = old ? metadataOf(old.object) : {}
    const metadata: Fields = {
      ...metadataOf(object),
      name: place.name,
      ...(place.namespace !== undefined && { namespace: place.namespace }),
      uid: before['uid'] ?? randomUUID(),
      creationTimestamp: before['creationTimestamp'] ?? `${new Date().toISOString().slice(0, 19)}Z`,
      ...(object['spec'] !== undefined && { generation: generation(old, object) }),
      managedFields: managedFields(place.type, managers),
    }
    if (before['resourceVersion'] !== undefined) metadata['resourceVersion'] = before['resourceVersion']
    const whole: Fields = { ...object, apiVersion: place.type.apiVersion, kind: place.type.kind, metadata }
    if (old && same(comparable(whole), comparable(old.object))) return old.object
    if (dryRun) return whole
    metadata['resourceVersion'] = String(this.version + 1)
    this.objects.set(idOf(place), { object: whole, managers })
    this.record(type, place, whole)
    return whole
  }

  private record(type: HistoryEntry['type'], { type: kind, namespace }: Place, object: Fields): void {
    this.version++
    this.history.push({
      version: this.version,
      type,
      plural: kind.plural,
      apiVersion: kind.apiVersion,
      namespace,
      object,
    })
    this.changed.emit('change')
  }

  /** Forget the history, as etcd does when it is compacted. */
  compact(): void {
    this.compacted = this.version
    this.history.length = 0
    this.changed.emit('change')
  }
}

const same = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item)!)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])!]),
  )
}

function comparable(object: Fields): Fields {
  const { resourceVersion: _version, managedFields, ...metadata } = metadataOf(object)
  const managers = (managedFields as Fields[] | undefined)?.map(({ time: _time, ...manager }) => manager) ?? []
  return { ...object, metadata: { ...metadata, managedFields: managers } }
}

const generation = (old: Stored | undefined, next: Fields): number => {
  const before = Number(old ? (metadataOf(old.object)['generation'] ?? 0) : 0)
  return old && same(old.object['spec'], next['spec']) ? before : before + 1
}

const copied = (managers: Stored['managers']): Stored['managers'] =>
  new Map([...managers].map(([name, paths]) => [name, new Set(paths)]))

/** Return the paths of an object that a manager can own. */
function ownable(object: Fields): Set<string> {
  const { apiVersion: _version, kind: _kind, status: _status, ...rest } = object
  const metadata = Object.fromEntries(
    Object.entries(metadataOf(object)).filter(([name]) => !BOOKKEEPING.includes(name)),
  )
  const { metadata: _metadata, ...fields } = rest
  return new Set(
    leaves(Object.keys(metadata).length > 0 ? { metadata, ...fields } : fields).filter((path) => path !== '[]'),
  )
}

const managedFields = ({ apiVersion }: Type, managers: Stored['managers']): Json[] =>
  [...managers]
    .filter(([name, paths]) => paths.size > 0 || name.startsWith('Apply'))
    .map(([name, paths]) => ({
      manager: name.slice(name.indexOf(' ') + 1),
      operation: name.slice(0, name.indexOf(' ')),
      apiVersion,
      time: `${new Date().toISOString().slice(0, 19)}Z`,
      fieldsType: 'FieldsV1',
      fieldsV1: fieldsV1(paths),
    }))

/** Return an object in the form that the server first stores: with defaults without an owner. */
function born(type: Type, object: Fields): Fields {
  if (type.kind === 'Namespace') return { ...object, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
  if (type.kind === 'Secret') return { type: 'Opaque', ...object }
  if (type.kind !== 'CustomResourceDefinition') return object
  return { ...object, status: { conditions: [{ type: 'Established', status: 'True' }] } }
}
