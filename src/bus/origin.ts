// The origin of an event: the sender, and the proof of its identity. The bus stores the origin beside the event and never in the
// event's data, so the sender cannot choose it.
import { dictFrom, fnmatch, isList, str, type Value } from '../data/mod.ts'
import { FrameHead } from '../wire/mod.ts'

export const ORIGIN_KINDS = ['master', 'minion', 'syndic', 'user', 'external', 'unknown'] as const

export type OriginKind = (typeof ORIGIN_KINDS)[number]

/**
 * How the origin was proven: the code of the daemon itself (`process`), a minion's session with its accepted key
 * (`session`), the local socket that only its owner may write to (`socket`), the key file of a local user (`key`),
 * external authentication (`eauth`) or its token (`token`), or not at all (`none`).
 */
export type OriginProof = 'process' | 'session' | 'socket' | 'key' | 'eauth' | 'token' | 'none'

export interface Origin {
  readonly kind: OriginKind
  /** The master's or minion's id, the user's name, or the engine that let an outsider in. */
  readonly name: string
  readonly proof: OriginProof
}

export const masterOrigin = (name: string): Origin => ({ kind: 'master', name, proof: 'process' })
/** Origins of minions, one object for each id, so that the heads of their frames are made once. */
const minions = new Map<string, Origin>()
const MOST_MINIONS = 50_000

/** A minion that sent the request in its session. */
export function minionOrigin(id: string): Origin {
  const known = minions.get(id)
  if (known) return known
  const origin: Origin = { kind: 'minion', name: id, proof: 'session' }
  if (minions.size >= MOST_MINIONS) minions.clear()
  minions.set(id, origin)
  return origin
}
/** A syndic that forwards events or returns of other minions. */
export const syndicOrigin = (id: string): Origin => ({ kind: 'syndic', name: id, proof: 'session' })
/** A sender outside of Salt that an engine admits. */
export const externalOrigin = (engine: string): Origin => ({ kind: 'external', name: engine, proof: 'none' })

/** Origin of events from a journal or bus without origins: an older version, or Salt's. */
export const UNKNOWN: Origin = { kind: 'unknown', name: '', proof: 'none' }

/** `minion:web1`. */
export const originText = ({ kind, name }: Origin): string => (name === '' ? kind : `${kind}:${name}`)

export const originDict = ({ kind, name, proof }: Origin): Map<Value, Value> => dictFrom({ kind, name, proof })

/** The origin that a text as of `originText` names, with the usual proof of its kind. */
export function readOriginText(text: string): Origin {
  const [kind = '', ...name] = text.split(':')
  return isKind(kind) ? { kind, name: name.join(':'), proof: USUAL_PROOFS[kind] } : UNKNOWN
}

const USUAL_PROOFS: Readonly<Record<OriginKind, OriginProof>> = {
  master: 'process',
  minion: 'session',
  syndic: 'session',
  user: 'socket',
  external: 'none',
  unknown: 'none',
}

const PROOFS: ReadonlySet<string> = new Set(['process', 'session', 'socket', 'key', 'eauth', 'token', 'none'])

const isKind = (text: string): text is OriginKind => (ORIGIN_KINDS as readonly string[]).includes(text)

/** Return the origin in the header of a frame. */
export function readOrigin(value: Value | undefined): Origin {
  if (value === undefined || !isList(value) || value.length !== 3) return UNKNOWN
  const [kind = '', name = '', proof = ''] = value.map(str)
  return isKind(kind) && PROOFS.has(proof) ? { kind, name, proof: proof as OriginProof } : UNKNOWN
}

/** Heads of frames; most events are the master's own, or of minions that were here a moment ago. */
const heads = new WeakMap<Origin, FrameHead>()

export function frameHead(origin: Origin): FrameHead {
  const known = heads.get(origin)
  if (known) return known
  const head = origin.kind === 'unknown' ? new FrameHead() : new FrameHead([origin.kind, origin.name, origin.proof])
  heads.set(origin, head)
  return head
}

/**
 * Whether the master's own code, or a program of the master's own user, fired the event. Such events may control the
 * master.
 */
export const isOwn = ({ kind, proof }: Origin): boolean => kind === 'master' || (kind === 'user' && proof === 'socket')

/** A condition on origins: `minion`, or `minion:web*` with a glob of names. */
export interface OriginPattern {
  kind: OriginKind
  name: string
}

/** Read one condition; return the problem if it is invalid. */
export function readOriginPattern(value: Value): OriginPattern | { problem: string } {
  const [kind = '', ...name] = typeof value === 'string' ? value.split(':') : ['']
  if (isKind(kind) && (name.length === 0 || name.join(':') !== '')) return { kind, name: name.join(':') || '*' }
  const kinds = ORIGIN_KINDS.join(', ')
  return { problem: `'${str(value)}' is no origin: write one of ${kinds}, alone or with a name as in minion:web*` }
}

/** Write a condition as `readOriginPattern` reads it. */
export const patternText = ({ kind, name }: OriginPattern): string => (name === '*' ? kind : `${kind}:${name}`)

export const isFrom = (origin: Origin, patterns: readonly OriginPattern[]): boolean =>
  patterns.some(({ kind, name }) => kind === origin.kind && fnmatch(origin.name, name))
