// The options that are in effect, each with its place, its default, its meaning and whether it has an effect here. Secrets are hidden.
import { slipOf } from '../base/mod.ts'
import {
  type Dict,
  fromPlain,
  HIDDEN,
  isDict,
  isList,
  isSecretName,
  maskSecrets,
  str,
  type Value,
} from '../data/mod.ts'
import { defaultOf, isFor, type Option, type Role } from './option.ts'
import { FUNCTION_OPTIONS, OLD_NAMES, OPTIONS } from './options.ts'
import { isFetched, sourcesOf, withoutTemplateSecrets } from './source.ts'

export interface EffectiveOption {
  name: string
  value: Value
  default: Value
  /** `FILE:LINE` where a file sets it. */
  origin: string | null
  doc: string
  hasEffect: boolean
  /** Why it has no effect, or a similar name. */
  note: string | null
  /** Whether the value, or a part of it, is hidden. */
  isSecret: boolean
}

/** Return the options of a daemon, sorted by name: all that its tables declare, and the others that files set. */
export function effectiveOptions(opts: Dict, role: Role): EffectiveOption[] {
  const sources = sourcesOf(opts)
  const declared = Object.keys(OPTIONS).filter((name) => isFor(OPTIONS[name]!, role))
  const known = new Set(declared)
  const names = new Set([...declared, ...sources.keys()])
  return [...names].sort().map((name) => {
    const option = declarationOf(name)
    const usual = option === undefined ? null : usualOf(option, role)
    const value = opts.get(name) ?? usual
    const at = sources.get(name)
    const shown = shownValue(opts, name, value)
    return {
      name,
      value: shown,
      default: usual,
      origin: at?.file === undefined ? null : `${at.file}:${at.line}`,
      doc: option?.doc ?? '',
      hasEffect: !option?.later && !option?.needless,
      note: noteOf(name, option, known),
      isSecret: shown !== value && isHidden(shown),
    }
  })
}

const declarationOf = (name: string): Option | undefined => {
  const current = OLD_NAMES.get(name) ?? name
  return [OPTIONS, FUNCTION_OPTIONS].find((table) => Object.hasOwn(table, current))?.[current]
}

const usualOf = (option: Option, role: Role): Value =>
  defaultOf(option, role) ?? (option.unset === undefined ? null : fromPlain(option.unset))

function noteOf(name: string, option: Option | undefined, known: ReadonlySet<string>): string | null {
  if (option?.later) return `This version does not have ${option.later} yet`
  if (option?.needless) return option.needless
  const current = OLD_NAMES.get(name)
  if (current !== undefined) return `An old name of ${current}`
  if (option !== undefined || name.includes('.') || name.startsWith('_')) return null
  const meant = slipOf(name, known)
  return meant === undefined ? null : `Unknown option; did you mean ${meant}?`
}

/** Options whose keys are names of authentication systems and users. */
const LISTS_OF_USERS: ReadonlySet<string> = new Set(['external_auth', 'publisher_acl'])

/** Return the value of an option with its secrets hidden: values under secret names, fetched values, values from templates, and passwords in URLs. */
export function shownValue(opts: Dict, name: string, value: Value): Value {
  const isPlain = value === null || value === '' || typeof value === 'boolean' || typeof value === 'number'
  const isSecret = declarationOf(name)?.secret ?? isSecretName(name)
  if (isFetched(opts, name) || (isSecret && !isPlain)) return HIDDEN
  const masked = LISTS_OF_USERS.has(name) ? maskLists(value) : maskSecrets(value)
  return withoutPasswords(withoutTemplateSecrets(masked))
}

function maskLists(value: Value): Value {
  if (!isDict(value)) return maskSecrets(value)
  return new Map([...value].map(([key, inner]) => [key, isDict(inner) ? maskUsers(inner) : maskSecrets(inner)]))
}

/** Names with `^` are settings of a login system, not users. */
const maskUsers = (users: Dict): Dict =>
  new Map(
    [...users].flatMap(([user, entries]) => [
      ...(str(user).startsWith('^')
        ? (maskSecrets(new Map([[user, entries]])) as Dict)
        : [[user, maskSecrets(entries)] as const]),
    ]),
  )

/** A password may have an `@` itself. */
const PASSWORD_IN_URL = /(\w:\/\/)[^/\s]*@/g

function withoutPasswords(value: Value): Value {
  if (typeof value === 'string') return value.replace(PASSWORD_IN_URL, `$1${HIDDEN}@`)
  // a remote of Git with parameters is a key
  if (isDict(value)) return new Map([...value].map(([key, item]) => [withoutPasswords(key), withoutPasswords(item)]))
  return isList(value) ? value.map(withoutPasswords) : value
}

function isHidden(value: Value): boolean {
  if (typeof value === 'string') return value.includes(HIDDEN)
  if (isDict(value)) return [...value.keys(), ...value.values()].some(isHidden)
  return isList(value) && value.some(isHidden)
}
