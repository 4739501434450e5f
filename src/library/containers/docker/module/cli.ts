// The docker program: JSON from its inspections, and failures in the form of the Engine's API.
import { recover } from '../../../../base/mod.ts'
import {
  type Dict,
  failure,
  isDict,
  isFailure,
  isList,
  loadJson,
  type SaltError,
  splitLines,
  str,
  type Value,
} from '../../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../../sdk/mod.ts'

export const name = arg.text('Name or ID of the container')

/** Return the failure with the status of the API, which states look for. */
function failureOf(stderr: string): SaltError {
  const text = stderr.trim().replace(/^(Error response from daemon|Error|error): ?/, '')
  if (/^Cannot connect|^permission denied/i.test(text)) return failure(text)
  const code = /no such|not found/i.test(text) ? 404 : /conflict|already in use|in use by/i.test(text) ? 409 : 500
  return failure(`Error ${code}: ${text}`)
}

interface Output {
  stdout: string
  stderr: string
}

/** Return the words that begin a command: the program, and the daemon of the option `docker.url`. */
export async function program(ctx: FunctionContext): Promise<string[]> {
  const path = await ctx.host.which('docker')
  if (path === undefined) throw failure('The program docker was not found')
  const url = str(ctx.opts.get('docker.url') ?? '')
  return [path, ...(url === '' ? [] : ['--host', url])]
}

export async function docker(ctx: FunctionContext, words: readonly string[], stdin?: string): Promise<Output> {
  const argv = [...(await program(ctx)), ...words]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, ...(stdin !== undefined && { stdin }) })
  const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
  if (retcode !== 0) throw failureOf(decode(stderr) || decode(stdout))
  return { stdout: decode(stdout), stderr: decode(stderr) }
}

/** Return the trimmed output of a command. */
export const said = async (ctx: FunctionContext, ...words: string[]): Promise<string> =>
  (await docker(ctx, words)).stdout.trim()

export async function lines(ctx: FunctionContext, ...words: string[]): Promise<string[]> {
  return splitLines(await said(ctx, ...words)).filter((line) => line !== '')
}

/** Return one dict for each line. */
export async function jsonLines(ctx: FunctionContext, ...words: string[]): Promise<Dict[]> {
  return (await lines(ctx, ...words, '--format', '{{json .}}')).map((line) => loadJson(line)).filter(isDict)
}

type Kind = 'container' | 'image' | 'network' | 'volume'

export async function inspect(ctx: FunctionContext, kind: Kind, name: string): Promise<Dict> {
  const found = loadJson(await said(ctx, kind, 'inspect', name))
  const facts = isList(found) ? (found[0] ?? null) : null
  if (!isDict(facts)) throw failure(`Error 404: No such ${kind}: ${name}`)
  return facts
}

/** Return the value below keys, or None. */
export function within(data: Value, ...keys: string[]): Value {
  let value: Value = data
  for (const key of keys) value = isDict(value) ? (value.get(key) ?? null) : null
  return value
}

export async function stateOf(ctx: FunctionContext, name: string): Promise<string> {
  const state = within(await inspect(ctx, 'container', name), 'State')
  if (within(state, 'Paused') === true) return 'paused'
  return within(state, 'Running') === true ? 'running' : 'stopped'
}

export async function requireRunning(ctx: FunctionContext, container: string): Promise<void> {
  if ((await stateOf(ctx, container)) !== 'running') throw failure(`Container '${container}' is not running`)
}

/** Return the value of a call; undefined if Docker refused it. */
export async function attempt<T>(call: () => Promise<T>): Promise<T | undefined> {
  return recover(isFailure, undefined, () => call())
}

/** Return given facts unchanged, or else the facts of the named object. */
export const factsOf = async (ctx: FunctionContext, kind: 'container' | 'network', given: Value): Promise<Dict> =>
  isDict(given) ? given : inspect(ctx, kind, str(given))
