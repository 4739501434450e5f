// The id of a minion without a configured one: the id stored in `minion_id`, the result of `id_function`, or a guess
// from the host name, on request in lower case and without its domain.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, str, textOf, truthy, typeName, type Value } from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import { guessHostname } from './hostname.ts'
import { option, rawOption } from './view.ts'

/** Four bytes, written in tens. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/** Calls an execution function, for `id_function`. */
export type CallFunction = (name: string, kwargs: Dict) => Value | Promise<Value>

export interface IdRequest {
  log: Log
  /** Write a name that was found to `minion_id`. */
  remember: boolean
  callFunction?: CallFunction | undefined
  guess?: () => Promise<string>
}

export interface FoundId {
  id: string
  /** An address gets no domain. */
  isAddress: boolean
}

export async function findId(opts: Dict, request: IdRequest): Promise<FoundId> {
  const caching = option(opts, 'minion_id_caching')
  const file = join(option(opts, 'root_dir'), 'etc/salt/minion_id')
  const remembered = caching ? readRemembered(file) : undefined
  if (remembered !== undefined) {
    request.log('debug', `Using cached minion ID from ${file}: ${remembered}`)
    return { id: remembered, isAddress: false }
  }
  const source = rawOption(opts, 'id_function')
  let id = truthy(source) ? await askFunction(source, request) : await (request.guess ?? guessHostname)()
  if (option(opts, 'minion_id_lowercase')) id = id.toLowerCase()
  id = withoutDomain(id, option(opts, 'minion_id_remove_domain'))
  if (request.remember && caching) remember(id, file, request.log)
  return { id, isAddress: IPV4.test(id) }
}

function readRemembered(file: string): string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  const name = text
    .split('\n', 1)[0]!
    .replace(/^\ufeff/, '')
    .trim()
  return name === '' || name === 'localhost' ? undefined : name
}

function remember(id: string, file: string, log: Log): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, id)
  } catch (error) {
    log('error', `Could not cache minion ID: ${toError(error).message}`)
  }
}

/** Remove the domain: True cuts at the first dot; a text is the domain to remove. */
function withoutDomain(id: string, domain: Value): string {
  if (domain === true) return id.split('.', 1)[0]!
  const text = textOf(domain)
  if (!text || !id.toUpperCase().endsWith(`.${text.toUpperCase()}`)) return id
  return id.slice(0, -text.length - 1)
}

async function askFunction(source: Value, { callFunction }: IdRequest): Promise<string> {
  const [name, kwargs] = functionOf(source)
  if (!callFunction) throw new ConfigError('OptionInvalid', `Failed to load module ${name}`)
  const id = await callFunction(name, kwargs)
  const text = textOf(id)
  if (text) return text
  const what = `returned value "${str(id)}" of type <class '${typeName(id)}'> instead of string`
  throw new ConfigError('OptionInvalid', `Function ${name} ${what}`)
}

function functionOf(source: Value): [name: string, kwargs: Dict] {
  const text = textOf(source)
  if (text !== undefined) return [text, new Map()]
  if (!isDict(source)) {
    throw new ConfigError('OptionInvalid', "'id_function' option is neither a string nor a dictionary")
  }
  const [name, kwargs] = [...source][0] ?? ['', null]
  return [str(name), isDict(kwargs) ? kwargs : new Map()]
}

/** Appends the configured domain, unless the id ends in it or in a dot. */
export function appendDomain(id: string, domain: Value): string {
  const text = str(domain)
  return id.endsWith(text) || id.endsWith('.') ? id : `${id}.${text}`
}
