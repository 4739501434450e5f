// Patterns of policies, metadata and paths: `saltstack/{minion}`, `roles/{pillar[roles]}`. A list in a pattern makes one text of each
// of its items.
import { type Dict, isDict, isList, isNumeric, PyError, str, textOf, type Value } from '../../../data/mod.ts'

/** Values by the first name in a pattern; an expensive one is computed at first use. */
export type Mappings = Readonly<Record<string, Value | (() => Promise<Value>)>>

/** More texts than a pattern may become: a minion chooses how long its grains are. */
const MOST_TEXTS = 256
const LONGEST = 512

type Piece = { literal: string } | { name: string; keys: string[] }

const missing = (what: string): PyError => new PyError('KeyError', `'${what}'`)

/** Cut a pattern into its literal parts and its fields; `{{` and `}}` are braces. */
function pieces(pattern: string): Piece[] {
  const found: Piece[] = []
  const PART = /\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g
  for (const [part, field] of pattern.matchAll(PART)) {
    if (field === undefined) {
      if (part === '{' || part === '}') throw new PyError('ValueError', `Single '${part}' in the pattern ${pattern}`)
      found.push({ literal: part === '{{' ? '{' : part === '}}' ? '}' : part })
      continue
    }
    const read = /^(\w+)((?:\[[^[\]]+\])*)$/.exec(field.trim())
    if (!read) throw new PyError('ValueError', `'{${field}}' in a pattern is neither {name} nor {name[key]}`)
    found.push({ name: read[1]!, keys: [...read[2]!.matchAll(/\[([^[\]]+)\]/g)].map(([, key]) => key!) })
  }
  return found
}

async function lookedUp({ name, keys }: { name: string; keys: string[] }, mappings: Mappings): Promise<Value> {
  const start = Object.hasOwn(mappings, name) ? mappings[name]! : undefined
  if (start === undefined) throw missing(name)
  let value = typeof start === 'function' ? await start() : start
  for (const key of keys) {
    const next: Value | undefined = isDict(value)
      ? value.get(key)
      : isList(value) && /^\d+$/.test(key)
        ? value[Number(key)]
        : undefined
    if (next === undefined) throw missing(key)
    value = next
  }
  return value
}

/** Return the texts of a value. */
function textsOf(value: Value, name: string): string[] {
  const items = isList(value) ? [...value] : isDict(value) ? [...value.keys()] : [value]
  return items.map((item) => {
    const text = textOf(item) ?? (isNumeric(item) ? str(item) : undefined)
    if (text === undefined || text === '') throw missing(name)
    if (text.length > LONGEST || /[\p{Cc}]/u.test(text))
      throw new PyError('ValueError', `the value of ${name} cannot stand in a pattern`)
    return text
  })
}

export interface Expansion {
  texts: string[]
  /** Whether a list or a dict was in it. */
  isComposite: boolean
}

/** Return the texts of a pattern. Throw KeyError for a missing value. */
export async function expand(pattern: string, mappings: Mappings): Promise<Expansion> {
  let texts = ['']
  let isComposite = false
  for (const piece of pieces(pattern)) {
    if ('literal' in piece) {
      texts = texts.map((text) => text + piece.literal)
      continue
    }
    const value = await lookedUp(piece, mappings)
    isComposite ||= isList(value) || isDict(value)
    const items = textsOf(value, piece.name)
    if (items.length * texts.length > MOST_TEXTS) {
      throw new PyError('ValueError', `the pattern ${pattern} stands for more than ${MOST_TEXTS} texts`)
    }
    texts = texts.flatMap((text) => items.map((item) => text + item))
  }
  return { texts, isComposite }
}

/** Whether a pattern asks for a value by this name. */
export const names = (pattern: string, name: string): boolean => new RegExp(`\\{\\s*${name}\\b`).test(pattern)

/** Data of a minion that patterns can ask for. */
export interface MinionData {
  id: string
  grains: Dict
  /** Loaded when a pattern asks for it. */
  pillar(): Promise<Dict>
}
