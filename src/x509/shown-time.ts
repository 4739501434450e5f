// Times in options and reports, in UTC.
import { parseTime, valueError } from '../data/mod.ts'

const FORMAT = '%Y-%m-%d %H:%M:%S'

export const shownTime = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ')

export function timeFrom(text: string): Date {
  const moment = parseTime(text, FORMAT)
  if (moment === undefined) throw valueError(`time data '${text}' does not match format '${FORMAT}'`)
  return new Date(moment.epoch * 1000)
}
