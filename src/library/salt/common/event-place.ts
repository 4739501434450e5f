// The first event to return: by an event number, a time, an age, or the position stored under a name in a file below
// `cachedir`. The file is written while events come, so that a killed reader gets some events twice but misses none.
import { failure, str, type Value } from '../../../data/mod.ts'
import { type EventStart, type MasterContext, option } from '../../../sdk/mod.ts'
import { assertCame } from './given.ts'

type Beginning = NonNullable<EventStart['since']>

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Parse `since`. */
export function beginningOf(since: Value, now: number = Date.now()): Beginning {
  const text = str(since).trim()
  if (/^\d{20}(?:_\d+)?$/.test(text)) return { time: timeOfJid(text) }
  if (/^\d+$/.test(text)) return { number: Number(text) }
  if (/^@?\d+\.?\d*$/.test(text)) return { time: Number(text.replace('@', '')) * 1000 }
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([smhdw])\s*/g)]
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text) {
    const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0)
    return { time: now - seconds * 1000 }
  }
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
  if (!Number.isNaN(time)) return { time }
  throw failure(
    `since='${text}' is no number of an event, no time such as 2026-03-01T12:00, and no duration such as 10m`,
  )
}

/** Return the time of a job id. */
function timeOfJid(jid: string): number {
  const [, year, month, day, hour, minute, second, micros] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})(?:_\d+)?$/
    .exec(jid)!
    .map(Number)
  return new Date(year!, month! - 1, day, hour, minute, second).getTime() + Math.floor(micros! / 1000)
}

const WRITE_EVERY_MS = 50

export class EventPlace {
  readonly from: Beginning | undefined
  private readonly ctx: MasterContext
  private readonly file: string | undefined
  private last = 0
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()

  static async open(ctx: MasterContext, since: Value, resume: Value): Promise<EventPlace> {
    const begin = since === null ? undefined : beginningOf(since)
    const came = (): number => ctx.journal().extent().last ?? 0
    if (begin && 'number' in begin) assertCame('since', begin.number!, came())
    if (resume === null) return new EventPlace(ctx, begin)
    const name = str(resume)
    if (/^\d+$/.test(name)) {
      assertCame('resume', Number(name), came())
      return new EventPlace(ctx, { number: Number(name) + 1 })
    }
    if (!/^[\w.@-]+$/.test(name) || name.startsWith('.')) {
      throw failure(`resume='${name}' is neither the number of an event nor a name`)
    }
    const file = `${option(ctx.opts, 'cachedir')}/event-places/${name}`
    if (await ctx.host.access(file, 'exists')) {
      const kept = Number(Buffer.from(await ctx.host.read(file)).toString())
      return new EventPlace(ctx, { number: kept + 1 }, file)
    }
    // store the start for a new name, even if no event comes
    const last = ctx.journal().extent().last ?? 0
    const place = new EventPlace(ctx, begin ?? { number: last + 1 }, file)
    if (begin === undefined) place.passed(last)
    return place
  }

  private constructor(ctx: MasterContext, from: Beginning | undefined, file?: string) {
    this.ctx = ctx
    this.from = from
    this.file = file
  }

  passed(number: number): void {
    if (this.file === undefined) return
    this.last = number
    this.timer ??= setTimeout(() => this.write(), WRITE_EVERY_MS)
  }

  async close(): Promise<void> {
    if (this.timer) this.write()
    await this.writing
  }

  private write(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const text = `${this.last}\n`
    this.writing = this.writing.then(async () => {
      await this.ctx.host.makeDirectory(this.file!.replace(/\/[^/]*$/, ''), { parents: true, mode: 0o700 })
      await this.ctx.host.write(this.file!, text, { mode: 0o600 })
    })
  }
}
