// Calls of zypper: without prompts, with XML output on request, and repeated while another program holds its lock. Some
// of its exit codes are no failures.
import { setTimeout as sleep } from 'node:timers/promises'
import { isA, recover } from '../../../../base/mod.ts'
import { failure, PyError, parseXml, str, truthy, type Value, type XmlElement } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, runAll } from '../../../../sdk/mod.ts'
import { configuredEnvironment, scopeWords } from '../../common/command.ts'

const LOCKED = 7
const SUCCESS = new Set([0, 100, 101, 102, 103])
/** Codes: no repositories, locked, a repository that could not be refreshed, a failed package script. */
const WARNINGS = new Set([6, LOCKED, 106, 107])
const LOCK_WAIT = 5000
const MOST_WAITS = 120

export interface ZypperCall {
  root?: Value
  /** Whether zypper may refresh repositories. */
  refreshable?: boolean
  /** Whether the call only reads, which needs no lock. */
  readOnly?: boolean
  /** Whether the caller handles a failure. */
  lenient?: boolean
  scope?: boolean
  options?: Readonly<Record<string, Value>>
}

export const succeeded = ({ retcode }: CommandOutcome): boolean => SUCCESS.has(retcode)

async function called(
  ctx: FunctionContext,
  words: readonly string[],
  call: ZypperCall,
  xml: boolean,
): Promise<CommandOutcome> {
  const { root = null, refreshable = false, readOnly = false, scope = false, options = {} } = call
  const command = [
    ...(scope ? await scopeWords(ctx) : []),
    ...['zypper', '--non-interactive'],
    ...(xml ? ['--xmlout'] : []),
    ...(refreshable || words.includes('--no-refresh') ? [] : ['--no-refresh']),
    ...(truthy(root) ? ['--root', str(root)] : []),
    ...words,
  ]
  const env = configuredEnvironment(ctx, 'zypperpkg')
  if (readOnly && !refreshable) env.set('ZYPP_READONLY_HACK', '1')
  const all = { ...options, output_loglevel: 'trace', env }
  let outcome = await runAll(ctx, command, all)
  for (let wait = 0; outcome.retcode === LOCKED && wait < MOST_WAITS; wait++) {
    ctx.log('warning', 'The ZYPP library is locked.')
    await sleep(LOCK_WAIT)
    outcome = await runAll(ctx, command, all)
  }
  if (call.lenient || SUCCESS.has(outcome.retcode) || WARNINGS.has(outcome.retcode)) return outcome
  throw failure(`Zypper command failure: ${complaint(outcome, xml) || "Check Zypper's logs."}`)
}

function complaint({ stdout, stderr }: CommandOutcome, xml: boolean): string {
  if (!xml) return stderr.trim() + stdout.trim()
  const document = parsed(stdout)
  if (document === undefined) return stderr.trim()
  return elements(document, 'message')
    .filter((message) => attribute(message, 'type') === 'error')
    .map((message) => textOfElement(message))
    .join('\n')
}

function parsed(text: string): XmlElement | undefined {
  return recover(isA(PyError), undefined, () => parseXml(text))
}

export const zypper = (
  ctx: FunctionContext,
  words: readonly string[],
  call: ZypperCall = {},
): Promise<CommandOutcome> => called(ctx, words, call, false)

/** Return the elements with a name in the output of zypper. */
export async function zypperElements(
  ctx: FunctionContext,
  name: string,
  words: readonly string[],
  call: ZypperCall = {},
): Promise<XmlElement[]> {
  const document = parsed((await called(ctx, words, call, true)).stdout)
  return document === undefined ? [] : elements(document, name)
}

export function elements(element: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = element.name === name ? [element] : []
  for (const child of element.children) if (typeof child !== 'string') found.push(...elements(child, name))
  return found
}

export const attribute = (element: XmlElement, name: string): string => element.attributes.get(name) ?? ''

export const textOfElement = ({ children }: XmlElement): string =>
  children.filter((child) => typeof child === 'string').join('\n')
