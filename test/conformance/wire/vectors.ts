// The vectors of a directory as cases: one for each value, exchange or publication, with its required data.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case, Json } from '../area.ts'

/** The vectors of the project. */
const OWN = join(import.meta.dirname, '../cases/wire')

type Fields = Record<string, Json>

/** A case of the area; its kind selects the check. */
export interface WireCase extends Case {
  kind: string
  vector: Fields
  /** Throwaway key pairs that the vectors were made with. */
  keys: Record<string, KeyVector>
}

export interface KeyVector {
  private_pem: string
  public_pem: string
  public_clean: string
  finger: Record<string, string>
}

export function wireCases(directory: string, filter?: string): WireCase[] {
  const keys = (read(directory, 'keys.json') ?? read(OWN, 'keys.json'))!['keys'] as unknown as Record<string, KeyVector>
  const cases: WireCase[] = []
  for (const file of readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const name = file.slice(0, -'.json'.length)
    const vectors = split(name, read(directory, file)!)
    for (const [index, { label, kind, vector }] of vectors.entries()) {
      cases.push({ name: `${name} ${label ?? index}`, kind, vector, keys })
    }
  }
  return cases.filter(({ name }) => filter === undefined || name.includes(filter))
}

function read(directory: string, file: string): Fields | undefined {
  const path = join(directory, file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

interface Part {
  label?: string
  kind: string
  vector: Fields
}

const list = (value: Json | undefined): Fields[] => (value ?? []) as Fields[]

function split(name: string, file: Fields): Part[] {
  const kind = name.replace(/-[\d.]+$/, '')
  switch (kind) {
    case 'keys':
      return Object.entries(file['keys'] as Fields).map(([label, vector]) => ({
        label,
        kind,
        vector: vector as Fields,
      }))
    case 'msgpack':
      return list(file['cases']).map((vector) => ({ label: String(vector['name']), kind, vector }))
    case 'crypticle':
      return [...list(file['cases']), { tampered: file['tampered']! }].map((vector) => ({ kind, vector }))
    case 'rsa':
      return rsaParts(file['vectors'] as Fields)
    case 'framing':
      return framingParts(file)
    case 'signed-return':
      return [{ kind, vector: file }]
    case 'auth':
      return list(file['cases']).map((vector) => ({
        label: String(vector['name']),
        kind,
        vector: { ...vector, salt: file['salt_master']! },
      }))
    case 'session':
      return sessionParts(file)
    case 'filtering':
      return list(file['cases']).flatMap((item) =>
        list(item['messages']).map((vector) => ({ kind, vector: { ...vector, aes: file['aes']! } })),
      )
    case 'extra':
      return extraParts(file)
    default:
      return [{ kind, vector: file }]
  }
}

function rsaParts(vectors: Fields): Part[] {
  const parts: Part[] = []
  for (const [label, value] of Object.entries(vectors)) {
    const items = Array.isArray(value) ? list(value) : [value as Fields]
    const kind = 'x931_hex' in items[0]! ? 'x931' : label
    items.forEach((vector, index) => {
      parts.push({ label: `${label} ${index}`, kind, vector })
    })
  }
  return parts
}

function framingParts(file: Fields): Part[] {
  return ['events', 'tcp', 'minion_ipc_names', 'zmq_topics'].flatMap((part) =>
    list(file[part]).map((vector, index) => ({ label: `${part} ${index}`, kind: part, vector })),
  )
}

function extraParts(file: Fields): Part[] {
  const auth = file['auth_pub_sig'] as Fields
  const tcp = list(file['tcp']).map((vector, index) => ({ label: `tcp ${index}`, kind: 'tcp-exchange', vector }))
  return [
    {
      label: 'signed master key',
      kind: 'auth',
      vector: { ...auth, signed: true, name: 'signed master key', salt: '3008.2' },
    },
    ...tcp,
  ]
}

/** Return requests with their answers as one part, with the keys in use at the time. */
function sessionParts(file: Fields): Part[] {
  const parts: Part[] = []
  const open = new Map<number, Fields>()
  let inUse: Fields = {}
  for (const message of list(file['messages'])) {
    const label = `${message['n']} ${message['what']}`
    if (message['what'] === 'publication') parts.push({ label, kind: 'publication', vector: message })
    if (message['channel'] !== 'req') continue
    if (message['dir'] === 'minion->master') {
      open.set(Number(message['conn']), message)
      continue
    }
    const request = open.get(Number(message['conn']))!
    const opened = (message['auth'] as Fields | undefined)?.['opened'] as Fields | undefined
    parts.push({ label, kind: 'exchange', vector: { request, reply: message, ...inUse } })
    if (opened !== undefined) inUse = { session: opened['session']!, aes: opened['aes']! }
  }
  return parts
}
