// Job ids: the time to the microsecond, 20 digits, each one later than the one before; only a clock that was set back by more
// than a second is followed.
const MICROS = 1000n
const SECOND = 1_000_000n

let last = 0n

/** A new id; with `unique`, this process' number tells it from others of the same moment. */
export function newJid(unique = false, now: number = Date.now()): string {
  const wanted = BigInt(now) * MICROS + ((process.hrtime.bigint() / 1000n) % MICROS)
  last = wanted > last || wanted < last - SECOND ? wanted : last + 1n
  const text = new Date(Number(last / MICROS)).toISOString().replace(/[-:.TZ]/g, '')
  const id = text + String(last % MICROS).padStart(3, '0')
  return unique ? `${id}_${process.pid}` : id
}

const JID = /^\d{20}(_\d+)?$/

/** Whether a text is a job id. Job ids become file names and parts of tags, so check every id that a peer sends. */
export function isJid(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 64 && JID.test(text)
}
