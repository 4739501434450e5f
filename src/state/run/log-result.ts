// Log lines about a state: its low chunk before it runs, and its result.
import { isLogged, type Log } from '../../base/mod.ts'
import { type Dict, HIDDEN, maskSecrets, repr, str, truthy, type Value } from '../../data/mod.ts'
import type { LowChunk } from '../compile/types.ts'
import type { stopwatch } from './clock.ts'

/** Log a low chunk: its identity at debug, and its arguments at trace. */
export function logChunk(log: Log, full: string, low: LowChunk): void {
  if (!isLogged(log, 'debug')) return
  const of = (name: string): string => str(low.get(name) ?? null)
  log('debug', `Running state ${shownState(full, low)}: sls ${of('__sls__')}, order ${of('order')}`)
  if (!isLogged(log, 'trace')) return
  const isHidden = truthy(low.get('no_log') ?? false)
  log('trace', `Low chunk ${shownState(full, low)}: ${isHidden ? HIDDEN : repr(maskSecrets(low))}`)
}

export function logEnd(log: Log, full: string, low: LowChunk, elapsed: ReturnType<typeof stopwatch>): void {
  if (isLogged(log, 'debug')) log('debug', `State ${shownState(full, low)} ended after ${elapsed().duration} ms`)
}

function shownState(full: string, low: LowChunk): string {
  const [id, name] = [str(low.get('__id__') ?? null), str(low.get('name') ?? null)]
  return `${full} of ${id}${name === id ? '' : ` [${name}]`}`
}

export function describeResult(ret: Dict): string {
  const changes = ret.get('changes') ?? null
  if (!truthy(changes)) {
    const comment = ret.get('comment') ?? ''
    return truthy(comment) ? str(comment) : `No changes made for ${str(ret.get('name') ?? null)}`
  }
  if (changes instanceof Map) {
    const diff = changes.get('diff')
    if (typeof diff === 'string') return `File changed:\n${diff}`
    const pairs = [...changes]
    if (pairs.every(([, change]) => change instanceof Map && change.has('old') && change.has('new'))) {
      const lines = pairs.map(([name, change]) => changeLine(name, change as Dict))
      return `Made the following changes:\n${lines.join('')}`
    }
  }
  return str(changes)
}

function changeLine(name: Value, change: Dict): string {
  const shown = (value: Value): string => (truthy(value) || value === false || value === null ? str(value) : 'absent')
  return `'${str(name)}' changed from '${shown(change.get('old')!)}' to '${shown(change.get('new')!)}'\n`
}
