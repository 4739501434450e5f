// The fields of a function, and the arguments that their texts mean.
import type { Data } from '../../api/client.ts'
import { parseValue, valueText } from './values.ts'

export type Description = Data<'/v1/functions/{name}'>[number]
export type Argument = Description['arguments'][number]

/** The typed texts. */
export interface Texts {
  /** By argument name; absent if nothing was typed. */
  named: Readonly<Record<string, string>>
  /** Further positional arguments, one on a line. */
  rest: string
  /** Further keywords, one `name=value` on a line. */
  more: string
}

export interface Call {
  args: unknown[]
  kwargs: Record<string, unknown>
  /** Errors by field name; `rest` and `more` for the free fields. */
  wrong: Readonly<Record<string, string>>
  /** Names of required arguments without a value. */
  missing: readonly string[]
}

export const FREE_REST = '*rest'
export const FREE_MORE = '*more'

const isFree = ({ kind }: Argument): boolean => kind === 'rest' || kind === 'open'

/** Return the arguments with a field of their own; `test` has a switch. */
export const namedArguments = (description: Description | undefined): Argument[] =>
  (description?.arguments ?? []).filter((argument) => !isFree(argument) && argument.name !== 'test')

/** Whether a function accepts further positional arguments or keywords; an unknown function may accept any. */
export const takes = (description: Description | undefined, kind: 'rest' | 'open'): boolean =>
  description === undefined || description.arguments.some((argument) => argument.kind === kind)

const LIST_KINDS = ['list', 'dict']

/** Whether the value of an argument is typed on several lines. */
export const isLong = ({ kind }: Argument): boolean => LIST_KINDS.includes(kind)

export const isTruth = ({ kind }: Argument): boolean => ['boolean', 'flag', 'isTrue'].includes(kind)

const LITERAL = ['string', 'path', 'text']

/** Whether a function supports a dry run. */
export function canTest(description: Description | undefined): boolean {
  if (!description) return false
  if (description.arguments.some(({ name }) => name === 'test')) return true
  const isOpen = description.arguments.some(({ kind }) => kind === 'open')
  return (
    description.family === 'execution' && /^state\./.test(description.name) && description.changes === true && isOpen
  )
}

/** Read the text of a field by the kind of its argument; throw with the reason where it cannot be. */
function readField({ kind }: Pick<Argument, 'kind'>, text: string): unknown {
  if (LITERAL.includes(kind)) return text
  const value = parseValue(text)
  if (kind === 'integer' && !Number.isInteger(value)) throw new TypeError('Write a whole number')
  if (kind === 'number' && typeof value !== 'number') throw new TypeError('Write a number')
  if (kind === 'list') return Array.isArray(value) ? value : lines(text).map(parseValue)
  if (kind === 'dict' && (typeof value !== 'object' || value === null || Array.isArray(value)))
    throw new TypeError('Write a mapping, such as {key: value}')
  if (kind === 'words' || kind === 'textOrList') return Array.isArray(value) ? value : text
  if (kind === 'textOrNumber') return typeof value === 'number' ? value : text
  return value
}

/** Write a value as the text of its field. */
function fieldText({ kind }: Pick<Argument, 'kind'>, value: unknown): string {
  if (typeof value === 'string' && (LITERAL.includes(kind) || kind === 'words' || kind === 'textOrList')) return value
  return valueText(value)
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

/** The texts of fields for given arguments. */
export function textsOf(
  description: Description | undefined,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): Texts {
  const named: Record<string, string> = {}
  const places = (description?.arguments ?? []).slice(0, firstFree(description))
  const byPlace = places.filter(({ name }) => name !== 'test')
  for (const [index, argument] of byPlace.entries())
    if (index < args.length) named[argument.name] = fieldText(argument, args[index])
  const others: string[] = []
  for (const [name, value] of Object.entries(kwargs)) {
    const argument = namedArguments(description).find((each) => each.name === name)
    if (argument) named[name] = fieldText(argument, value)
    else others.push(`${name}=${valueText(value)}`)
  }
  return { named, rest: args.slice(byPlace.length).map(valueText).join('\n'), more: others.join('\n') }
}

/** Return the number of arguments before the first open one. */
function firstFree(description: Description | undefined): number {
  const at = description?.arguments.findIndex(isFree) ?? 0
  return at < 0 ? (description?.arguments.length ?? 0) : at
}

/** Collects errors while texts are parsed. */
class Reader {
  readonly wrong: Record<string, string> = {}

  read(field: string, run: () => unknown): unknown {
    try {
      return run()
    } catch (error) {
      this.wrong[field] = error instanceof Error ? error.message : String(error)
      return undefined
    }
  }
}

/** Return the arguments of the typed texts. Leading required ones are positional; the others are named. */
export function callOf(description: Description | undefined, texts: Texts): Call {
  const reader = new Reader()
  const rest = lines(texts.rest).map(parseValue)
  const values = new Map<string, unknown>()
  const missing: string[] = []
  for (const argument of namedArguments(description)) {
    const text = texts.named[argument.name]
    if (text !== undefined)
      values.set(
        argument.name,
        reader.read(argument.name, () => readField(argument, text)),
      )
    else if (argument.required) missing.push(argument.name)
  }
  const places = namedArguments(description).filter(
    (each) => description!.arguments.indexOf(each) < firstFree(description),
  )
  const args: unknown[] = []
  for (const argument of places) {
    // arguments before the open one must be positional
    if (rest.length > 0 && !values.has(argument.name) && !argument.required) args.push(argument.default)
    else if (values.has(argument.name) && !argument.secret && (argument.required || rest.length > 0)) {
      args.push(values.get(argument.name))
      values.delete(argument.name)
    } else break
  }
  const kwargs = { ...Object.fromEntries(values), ...keywordsOf(texts.more, reader) }
  return { args: [...args, ...rest], kwargs, wrong: reader.wrong, missing }
}

function keywordsOf(text: string, reader: Reader): Record<string, unknown> {
  const found: [string, unknown][] = []
  for (const line of lines(text)) {
    const [, name, value] = /^\s*([^\d\W][\w.-]*)\s*=(.*)$/s.exec(line) ?? []
    if (name === undefined) reader.wrong[FREE_MORE] = `Write name=value: ${line.trim().slice(0, 80)}`
    else found.push([name, parseValue(value!.trim())])
  }
  return Object.fromEntries(found)
}

/** Leave out the values that must not be in an address. */
export function withoutSecrets(
  description: Description | undefined,
  kwargs: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const secrets = secretNames(description)
  return Object.fromEntries(Object.entries(kwargs).filter(([name]) => !secrets.includes(name)))
}

export const secretNames = (description: Description | undefined): string[] =>
  namedArguments(description)
    .filter(({ secret }) => secret)
    .map(({ name }) => name)
