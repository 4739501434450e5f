// Prints the returns of minions for salt.
import { returnCode } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { type MinionReturn, unreturnedText } from '../../sdk/mod.ts'
import { writeResult } from '../output-file.ts'
import { displayedText } from '../shown-text.ts'
import type { Streams } from '../streams.ts'
import type { SaltWork } from './work.ts'

export interface ShownReturn {
  id: string
  value: Value
  retcode: number
  out: string
  isReturned: boolean
}

type Showing = Pick<SaltWork, 'opts' | 'log' | 'streams'>

export function returnToShow({ id, data, reason }: MinionReturn, jid: string): ShownReturn {
  if (data) {
    const out = textOf(data.get('out') ?? null) ?? ''
    return { id, value: data.get('return') ?? null, retcode: returnCode(data), out, isReturned: true }
  }
  const value = unreturnedText({ ...(reason && { reason }), jid })
  return { id, value, retcode: 1, out: 'no_return', isReturned: false }
}

/** Print the job id, if requested. */
export function printJid(jid: string, opts: Dict, streams: Streams): void {
  if (option(opts, 'verbose')) {
    const text = `Executing job with jid ${jid}`
    streams.out(`${text}\n${'-'.repeat(text.length)}\n\n`)
  } else if (option(opts, 'show_jid')) streams.out(`jid: ${jid}\n`)
}

export function showAnswer(work: Showing, { id, value, retcode, out }: ShownReturn): Promise<void> {
  return showValue(work, new Map([[id, value]]), out, retcode)
}

/** Print all returns at once. No return at all is a failure. */
export async function showOutcome(work: Showing, value: Value, out = ''): Promise<number> {
  if (work.opts.get('fun') === 'sys.doc' && isDict(value) && value.size > 0) return showDocs(work, value)
  await showValue(work, value, out, 0)
  if (truthy(value)) return 0
  work.streams.err('ERROR: No return received\n')
  return 2
}

export async function showValue(
  { opts, log, streams }: Showing,
  value: Value,
  out: string,
  retcode: number,
): Promise<void> {
  const kwargs = new Map<Value, Value>([['_retcode', retcode]])
  const shown = displayedText(out, value, opts, { terminal: streams.terminal, log, kwargs })
  const text = typeof shown === 'string' ? shown : await shown
  writeResult(opts, streams, text)
}

/** Documentation of all minions together, each function once. */
export async function showDocs(work: Showing, answers: Dict): Promise<number> {
  const docs = new Map<string, Value>()
  for (const value of answers.values()) {
    if (isDict(value)) for (const [name, doc] of value) if (truthy(doc)) docs.set(str(name), docs.get(str(name)) ?? doc)
  }
  const isChosen = (option(work.opts, 'output') ?? '') !== ''
  for (const name of [...docs.keys()].sort()) {
    if (isChosen) await showValue(work, new Map([[name, docs.get(name)!]]), 'nested', 0)
    else work.streams.out(`${name}:\n${str(docs.get(name)!)}\n\n`)
  }
  return 0
}
