// The output of salt-run: events of the run as they arrive, and the function's result.
import type { Log } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, textOf, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import { writePieces, writeResult } from '../output-file.ts'
import { displayedPieces, displayedText } from '../shown-text.ts'
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

  /** Print with the outputter of the options, or with this one. */
  async value(value: Value, out: string | null, retcode = 0): Promise<void> {
    if (option(this.opts, 'quiet')) return
    const kwargs = new Map<Value, Value>([['_retcode', retcode]])
    const call = { ...this.showing, kwargs, isLast: true }
    const pieces = displayedPieces(out, value, this.opts, call)
    if (pieces) writePieces(this.opts, this.streams, pieces)
    else this.write(await displayedText(out, value, this.opts, call))
  }

  /** Printed at once, in order with the function's own output. */
  event(suffix: string, event: Dict): void {
    const shown: Dict = new Map<Value, Value>([['suffix', suffix]]).set('event', event)
    const kwargs = new Map<Value, Value>([['_retcode', 0]])
    if (option(this.opts, 'quiet')) return
    this.write(display(wishOf(event) ?? null, shown, this.opts, { ...this.showing, kwargs }))
  }

  private get showing(): { terminal: boolean; log: Log } {
    return { terminal: this.streams.terminal, log: this.log }
  }

  private write(text: string): void {
    writeResult(this.opts, this.streams, text)
  }

  /** Show a result. A dict may name its outputter; if it has only `data` besides, the data are shown. */
  answer(value: Value, out: string | undefined, retcode: number): Promise<void> {
    const isDressed = isDict(value) && value.size === 2 && value.has('data') && value.has('outputter')
    return this.value(isDressed ? value.get('data')! : value, wishOf(value) ?? out ?? null, retcode)
  }
}

const wishOf = (value: Value): string | undefined =>
  isDict(value) ? textOf(value.get('outputter') ?? null) || undefined : undefined

/** Return the exit status that the result of a function requests. */
export function exitStatusOf(value: Value): number {
  if (!isDict(value)) return 0
  const data = value.get('data') ?? null
  const code = value.get('retcode') ?? (isDict(data) ? data.get('retcode') : undefined) ?? 0
  return typeof code === 'number' ? code : truthy(code) ? 1 : 0
}
