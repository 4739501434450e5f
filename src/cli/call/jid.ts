// Job ids: the time in UTC to the microsecond, 20 digits.

/** A new id; with `unique`, this process' number tells it from others of the same moment. */
export function newJid(unique: boolean, now = Date.now(), micros = process.hrtime.bigint() / 1000n): string {
  const text = new Date(now).toISOString().replace(/[-:.TZ]/g, '')
  const id = text + String(micros % 1000n).padStart(3, '0')
  return unique ? `${id}_${process.pid}` : id
}
