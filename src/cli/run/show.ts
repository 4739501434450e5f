// What salt-run prints: events of the run as they come, and what the function gives back.
import type { Log } from '../../base/mod.ts'
import { type Dict, isDict, textOf, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import type { Streams } from '../streams.ts'

export class Printed {
  private readonly opts: Dict
  private readonly streams: Streams
  private readonly log: Log

  constructor(opts: Dict, streams: Streams, log: Log) {
    this.opts = opts
    this.streams = streams
    this.log = log
  }

  /** With the outputter that the options name, or this one. */
  value(value: Value, out: string | null, retcode = 0): void {
    if (truthy(this.opts.get('quiet') ?? false)) return
    const kwargs = new Map<Value, Value>([['_retcode', retcode]])
    const text = display(out, value, this.opts, { terminal: this.streams.terminal, log: this.log, kwargs })
    if (text !== '') this.streams.out(`${text}\n`)
  }

  event(suffix: string, event: Dict): void {
    const shown: Dict = new Map<Value, Value>([['suffix', suffix]]).set('event', event)
    this.value(shown, wishOf(event) ?? null)
  }

  /** A dict may name the outputter that shows it, and of one with nothing else but data the data are shown. */
  answer(value: Value, out: string | undefined, retcode: number): void {
    const isDressed = isDict(value) && value.size === 2 && value.has('data') && value.has('outputter')
    this.value(isDressed ? value.get('data')! : value, wishOf(value) ?? out ?? null, retcode)
  }
}

const wishOf = (value: Value): string | undefined =>
  isDict(value) ? textOf(value.get('outputter') ?? null) || undefined : undefined

/** The status that a function asks for by what it gives back. */
export function statusOf(value: Value): number {
  if (!isDict(value)) return 0
  const data = value.get('data') ?? null
  const code = value.get('retcode') ?? (isDict(data) ? data.get('retcode') : undefined) ?? 0
  return typeof code === 'number' ? code : truthy(code) ? 1 : 0
}
