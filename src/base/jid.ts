// Job ids: the time in microseconds as 20 digits. Each id is later than the one before, unless the clock was set back
// by more than a second.
const MICROS = 1000n
const SECOND = 1_000_000n

let last = 0n

const millisText = (time: number): string => new Date(time).toISOString().replace(/[-:.TZ]/g, '')

/** The first id of a millisecond, to compare others with. */
export const jidOf = (time: number): string => `${millisText(time)}000`

/**
 * Return a new id. With `unique`, the id contains the number of this process, so that two processes never make the same
 * id.
 */
export function newJid(unique = false, now: number = Date.now()): string {
  const wanted = BigInt(now) * MICROS + ((process.hrtime.bigint() / 1000n) % MICROS)
  last = wanted > last || wanted < last - SECOND ? wanted : last + 1n
  const id = millisText(Number(last / MICROS)) + String(last % MICROS).padStart(3, '0')
  return unique ? `${id}_${process.pid}` : id
}

const JID = /^\d{20}(_\d+)?$/

/** Whether a text is a job id. Job ids become file names and parts of tags, so check every id that a peer sends. */
export function isJid(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 64 && JID.test(text)
}
